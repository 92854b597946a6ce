// Checks of derived attributes: the expression must be valid, and its path must end at a property.

extension ModelCheck {
  mutating func checkDerivation(of attribute: Attribute, in entity: Int) {
    guard let derivation = attribute.derivation else { return }
    let entityName = description.entities[entity].name
    guard let form = derivation.form else {
      report(
        .wrongDerivation, entity: entityName, property: attribute.name,
        """
        The derivation expression "\(derivation.expression.prefix(80))" is not supported. Write now(), a key path, \
        or one of \(Attribute.Derivation.Function.allCases.map { "\($0):(…)" }.joined(separator: ", ")).
        """)
      return
    }
    if let problem = problem(with: form, from: entity) {
      report(.wrongDerivation, entity: entityName, property: attribute.name, problem)
    }
  }

  private mutating func problem(
    with form: Attribute.Derivation.Form, from entity: Int
  ) -> String? {
    switch form {
    case .now:
      return nil
    case .value(let path):
      return follow(
        path, from: entity,
        else: "A key path must end at an attribute and follow to-one relationships only."
      ) {
        $0.attribute != nil && !$0.passesToMany
      }
    case .function(let function, let path):
      switch function {
      case .canonical, .uppercase, .lowercase:
        return follow(
          path, from: entity, else: "\(function) needs text at the end of to-one relationships."
        ) {
          $0.attribute?.type == .string && !$0.passesToMany
        }
      case .count:
        return follow(path, from: entity, else: "count needs a to-many relationship.") {
          $0.attribute == nil && $0.passesToMany
        }
      case .sum, .average:
        return follow(
          path, from: entity,
          else: "\(function) needs numbers at the end of a to-many relationship."
        ) {
          $0.attribute?.type.isNumeric ?? false && $0.passesToMany
        }
      case .min, .max:
        return follow(
          path, from: entity,
          else: "\(function) needs an attribute at the end of a to-many relationship."
        ) {
          $0.attribute != nil && $0.passesToMany
        }
      }
    }
  }

  /// The place where a key path ends.
  private struct End {
    /// The attribute at the end; `nil` if the path ends at a relationship.
    var attribute: Attribute?
    var passesToMany = false
  }

  /// Returns the error in a path: an unknown name on the path, or an unsuitable end, or `nil`.
  private mutating func follow(
    _ path: [String], from start: Int, else complaint: String, isFit: (End) -> Bool
  ) -> String? {
    var end = End()
    var entity = start
    for name in path {
      if let attribute = end.attribute {
        guard let part = index.part(name, of: attribute) else {
          return "The attribute \"\(attribute.name)\" has no part \"\(name)\"."
        }
        end.attribute = part
        continue
      }
      guard index.hasKnownAncestors[entity] else { return nil }
      guard let place = index.property(name, of: entity) else {
        return "The entity \"\(description.entities[entity].name)\" has no property \"\(name)\"."
          + suggestProperty(name, of: entity)
      }
      switch index[place] {
      case .attribute(let attribute):
        end.attribute = attribute
      case .relationship(let relationship):
        end.passesToMany = end.passesToMany || relationship.isToMany
        // The check of the relationship reports an unknown destination.
        guard let destination = index.entityByName[relationship.destination] else { return nil }
        entity = destination
      case .fetched:
        return "\"\(name)\" is a fetched property; a value can't be derived from it."
      }
    }
    return isFit(end) ? nil : complaint
  }
}

extension AttributeType {
  /// Whether values of this type are numbers.
  public var isNumeric: Bool {
    isInteger || self == .decimal || self == .double || self == .float
  }
}
