public import ObjectModel
import Rows

/// A mapping that follows from two versions of a model, by names and renaming identifiers. Core Data calls this a
/// lightweight migration.
///
///     let mapping = try InferredMapping(from: old, to: new)
///     print(mapping.losses)       // what the new version has no place for
///
/// Entities and properties may be added, removed and renamed. Values may become optional, required if there is a
/// default, or of a wider type. Relationships may be added, get an inverse, become to-many, and lose their order.
/// Entities may move in the tree of inheritance. Any other change is listed with its reason when the mapping is made.
public struct InferredMapping: Sendable {
  public let source: Model
  public let destination: Model
  /// The parts of stores of the older version that the newer version can't store, in words.
  public let losses: [MigrationProblem]
  let continuation: ModelContinuation

  /// Infers the mapping.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/notInferable`` and every change that can't be
  ///   inferred.
  public init(from source: Model, to destination: Model) throws(MigrationError) {
    self.source = source
    self.destination = destination
    continuation = ModelContinuation(from: source, to: destination)
    var inference = Inference(continuation)
    inference.run()
    losses = inference.losses
    let problems = inference.problems
    guard problems.isEmpty else {
      throw MigrationError(
        .notInferable,
        """
        \(problems.count == 1 ? "A change" : "\(problems.count) changes") can't be inferred and \
        \(problems.count == 1 ? "needs" : "need") a written mapping:
        """, problems: problems)
    }
  }

  /// Returns every change between two versions that can't be inferred. The list is empty if ``init(from:to:)``
  /// succeeds.
  public static func problems(from source: Model, to destination: Model) -> [MigrationProblem] {
    var inference = Inference(ModelContinuation(from: source, to: destination))
    inference.run()
    return inference.problems
  }
}

/// One comparison of two models. It collects the losses and the changes that can't be inferred.
private struct Inference {
  private let continuation: ModelContinuation
  private var old: Model { continuation.old }
  private var new: Model { continuation.new }
  private(set) var problems: [MigrationProblem] = []
  private(set) var losses: [MigrationProblem] = []

  init(_ continuation: ModelContinuation) { self.continuation = continuation }

  mutating func run() {
    for name in continuation.removedEntities where !(old[name]?.isAbstract ?? true) {
      losses.append(MigrationProblem(name, nil, "is removed with its objects"))
    }
    for entity in new.entities {
      guard let before = continuation.entity(before: entity.name) else { continue }
      if entity.isAbstract, !before.isAbstract {
        problems.append(
          MigrationProblem(
            entity.name, nil, "is abstract now, and no entity continues its objects"))
      }
      compare(entity, before)
    }
  }

  private mutating func compare(_ entity: Entity, _ before: Entity) {
    let continued = continuation.properties(of: entity.name)
    // An inherited property is reported for the entity that declares it.
    for property in entity.declaredProperties where !property.isTransient {
      let old = continued.before[property.name].flatMap { $0.isTransient ? nil : $0 }
      switch (property, old) {
      case (.attribute(let attribute), nil): check(attribute, nil, entity)
      case (.attribute(let attribute), .attribute(let old)?): check(attribute, old, entity)
      case (.relationship(let relationship), nil): check(added: relationship, entity)
      case (.relationship(let relationship), .relationship(let old)?):
        check(relationship, old, entity)
      case (_, let old?):
        problems.append(
          MigrationProblem(
            entity.name, property.name,
            "was \(old.kind.withArticle) and is \(property.kind.withArticle)"))
      case (.fetched, nil): break
      }
    }
    for property in entity.declaredProperties where property.isTransient {
      guard let old = continued.before[property.name], !old.isTransient else { continue }
      losses.append(MigrationProblem(entity.name, property.name, "is not stored any more"))
    }
    let declared = Set(before.declaredProperties.map(\.name))
    for removed in continued.removed where !removed.isTransient && declared.contains(removed.name) {
      losses.append(MigrationProblem(entity.name, removed.name, "is removed"))
    }
  }

  // MARK: - Attributes

  private mutating func check(_ attribute: Attribute, _ before: Attribute?, _ entity: Entity) {
    let (parts, removed) = continuation.parts(of: attribute, continuing: before)
    for part in parts {
      let path = part.path.joined(separator: ".")
      if let before = part.before?.attribute {
        check(part.attribute, before, path, entity)
      } else {
        check(added: part.attribute, path, entity)
      }
    }
    for part in removed {
      losses.append(
        MigrationProblem(entity.name, part.path.joined(separator: "."), "is removed"))
    }
  }

  private mutating func check(added attribute: Attribute, _ path: String, _ entity: Entity) {
    guard !attribute.isOptional, attribute.defaultValue.isNull, attribute.derivation == nil else {
      return
    }
    problems.append(
      MigrationProblem(entity.name, path, "is new, must have a value, and has no default value"))
  }

  private mutating func check(
    _ attribute: Attribute, _ before: Attribute, _ path: String, _ entity: Entity
  ) {
    // A derived value is computed again, so the old value does not matter.
    if attribute.derivation != nil { return }
    // Lost values within composite attributes are not counted one by one, so the conversion must be lossless there.
    guard
      path.contains(".")
        ? before.type == attribute.type || before.type.widens(to: attribute.type)
        : before.type.becomes(attribute.type)
    else {
      problems.append(
        MigrationProblem(
          entity.name, path,
          """
          was of type \(before.type.sourceName) and is of type \(attribute.type.sourceName), which \
          can't represent every value of type \(before.type.sourceName)
          """))
      return
    }
    if before.isOptional, !attribute.isOptional, attribute.defaultValue.isNull {
      problems.append(
        MigrationProblem(
          entity.name, path,
          "must have a value now, and has no default value for objects without a value"))
    }
  }

  // MARK: - Relationships

  /// Returns the old relationship that a new one continues.
  private func before(_ relationship: Relationship, of entity: String) -> Relationship? {
    guard
      case .relationship(let old)? = continuation.properties(of: entity).before[
        relationship.name], !old.isTransient
    else { return nil }
    return old
  }

  private func inverseBefore(_ relationship: Relationship) -> Relationship? {
    new.inverse(of: relationship).flatMap { before($0, of: relationship.destination) }
  }

  private mutating func check(added relationship: Relationship, _ entity: Entity) {
    let isGiven = inverseBefore(relationship).map { $0.inverse == nil } ?? false
    if !isGiven, !relationship.isOptional,
      !relationship.isToMany || relationship.count.minimum > 0
    {
      problems.append(
        MigrationProblem(
          entity.name, relationship.name,
          "is new and must refer to an object, and no mapping gives the object"))
    }
  }

  private mutating func check(
    _ relationship: Relationship, _ before: Relationship, _ entity: Entity
  ) {
    func problem(_ reason: String) {
      problems.append(MigrationProblem(entity.name, relationship.name, reason))
    }
    if before.isToMany, !relationship.isToMany {
      problem("was to-many and is to-one, and no mapping selects the object")
    }
    let oldFamily = old.family(of: before.destination).filter { !$0.isAbstract }.map(\.name)
    let newFamily = Set(new.family(of: relationship.destination).map(\.name))
    let staying = oldFamily.compactMap { continuation.entity(after: $0)?.name }
    let allowed = staying.filter(newFamily.contains)
    if allowed.isEmpty, !staying.isEmpty {
      problem(
        """
        referred to objects of "\(before.destination)" and refers to objects of \
        "\(relationship.destination)", which continues none of these objects
        """)
    } else if allowed.count < oldFamily.count {
      losses.append(
        MigrationProblem(
          entity.name, relationship.name,
          "no longer refers to objects of "
            + oldFamily.filter { name in
              continuation.entity(after: name).map { !newFamily.contains($0.name) } ?? true
            }.map { "\"\($0)\"" }.joined(separator: ", ")))
    }
    if before.keepsOrder, !relationship.keepsOrder, relationship.isToMany {
      losses.append(
        MigrationProblem(entity.name, relationship.name, "loses the order of its objects"))
    }
  }
}

extension String {
  fileprivate var withArticle: String {
    (first.map { "aeiou".contains($0) } ?? false ? "an " : "a ") + self
  }
}
