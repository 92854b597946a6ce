import ObjectModel

extension Model.Description {
  /// The description without the parts that only the source of a model contains.
  var withoutSource: Model.Description {
    var description = self
    description.source = SourceDetails()
    for entity in entities.indices {
      description.entities[entity].source = SourceDetails()
      for property in entities[entity].declaredProperties.indices {
        description.entities[entity].declaredProperties[property].removeSource()
      }
    }
    for composite in composites.indices {
      description.composites[composite].source = SourceDetails()
      for attribute in composites[composite].attributes.indices {
        description.composites[composite].attributes[attribute].source = SourceDetails()
      }
    }
    for request in fetchRequestTemplates.indices {
      description.fetchRequestTemplates[request].source = SourceDetails()
    }
    return description
  }
}

extension Property {
  fileprivate mutating func removeSource() {
    switch self {
    case .attribute(var attribute):
      attribute.source = SourceDetails()
      self = .attribute(attribute)
    case .relationship(var relationship):
      relationship.source = SourceDetails()
      self = .relationship(relationship)
    case .fetched(var property):
      property.source = SourceDetails()
      property.request.source = SourceDetails()
      self = .fetched(property)
    }
  }
}
