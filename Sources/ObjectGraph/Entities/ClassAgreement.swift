import ObjectModel
import Synchronization

/// Compares the properties that classes declare with a model that was made elsewhere, such as one from a file.
///
/// A class that is not the model's own compiles against any model. Its wrong properties would stop the program at their
/// first use, which may be long after the start.
struct ClassAgreement {
  private let model: Model
  private let type: ManagedObject.Type

  private init(_ model: Model, _ type: ManagedObject.Type) {
    self.model = model
    self.type = type
  }

  /// The models and classes that were found to agree last: a program makes many coordinators of few models.
  private static let known = Mutex<[(model: Model, classes: Set<ObjectIdentifier>)]>([])
  private static let mostKnown = 8

  /// Returns a sentence for each disagreement of the classes with a model.
  static func disagreements(of classes: [ManagedObject.Type], with model: Model) -> [String] {
    let identifiers = Set(classes.map { ObjectIdentifier($0) })
    let isKnown = known.withLock { known in
      known.contains { $0.model.isSame(as: model) && $0.classes.isSuperset(of: identifiers) }
    }
    if isKnown { return [] }
    var found: [String] = []
    for type in classes {
      let new = ClassAgreement(model, type).disagreements()
      // A subclass has the properties of its superclass too.
      found += new.filter { !found.contains($0) }
    }
    if found.isEmpty {
      known.withLock { known in
        known.insert((model, identifiers), at: 0)
        if known.count > mostKnown { known.removeLast() }
      }
    }
    return found
  }

  private func disagreements() -> [String] {
    let entity = type.entityName
    guard model[entity] != nil else {
      return ["The class \(type) belongs to the entity \"\(entity)\", which is not in the model."]
    }
    return (type.entityDeclaration?.properties ?? []).compactMap { property in
      problem(with: property).map { problem in
        let name = property.property.name
        return "\(PropertyPaths.owner(of: name, in: type)).\(name) \(problem)."
      }
    }
  }

  /// Returns the disagreement about a property, as the end of a sentence.
  private func problem(with declared: EntityProperty) -> String? {
    // A program opens earlier versions of its model with its present classes. Only the use of a property that a version
    // lacks stops the program.
    guard let property = model.property(declared.property.name, of: type.entityName) else {
      return nil
    }
    switch (declared.property, property) {
    case (.attribute(let own), .attribute(let given)): return problem(with: own, given)
    case (.relationship(let own), .relationship(let given)):
      return problem(with: own, to: declared.destination, given)
    case (.fetched, .fetched): return nil
    default: return "is \(declared.property.words), and in the model \(property.words)"
    }
  }

  private func problem(with own: Attribute, _ given: Attribute) -> String? {
    if own.type != given.type, given.type != .undefined {
      return "is of the type \(own.type.sourceName), and in the model \(given.type.sourceName)"
    }
    if own.compositeName != given.compositeName {
      return
        "is a \(own.compositeName ?? "?"), and in the model a \(given.compositeName ?? "?")"
    }
    // No row lacks a derived or transient value: the store or the program computes it.
    let isComputed = given.derivation != nil || given.isTransient
    if !own.isOptional, given.isOptional, given.defaultValue.isNull, !isComputed {
      return "is required, and in the model it may have no value: make its type optional"
    }
    return nil
  }

  private func problem(
    with own: Relationship, to destination: ManagedObject.Type?, _ given: Relationship
  ) -> String? {
    func words(_ relationship: Relationship) -> String {
      "refers to \(relationship.isToMany ? "many objects" : "one object") of \(relationship.destination)"
    }
    let fits =
      destination == ManagedObject.self
      || model.family(of: own.destination).contains { $0.name == given.destination }
    guard fits, own.isToMany == given.isToMany else {
      return "\(words(own)), and in the model \(words(given))"
    }
    if !own.isToMany, !own.isOptional, given.isOptional {
      return "is required, and in the model it may be empty: make its type optional"
    }
    return nil
  }
}

extension Property {
  /// The kind of the property, in words.
  fileprivate var words: String {
    switch self {
    case .attribute: "an attribute"
    case .relationship: "a relationship"
    case .fetched: "a fetched property"
    }
  }
}
