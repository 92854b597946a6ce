public import ObjectModel

/// A conflict of objects that share the values of a uniqueness constraint, like Core Data's `NSConstraintConflict`.
///
///     catch let error as ContextError where error.code == .conflict {
///       for conflict in error.constraintConflicts {
///         print(conflict.constraint, conflict.values, conflict.storedObject, conflict.conflictingObjects)
///       }
///     }
public struct ConstraintConflict: Sendable, Hashable, CustomStringConvertible {
  /// The name of the entity that declares the uniqueness constraint.
  public let entity: String
  /// The names of the constraint's properties, in the model's order.
  public let constraint: [String]
  /// The shared value of each property of the constraint, by name.
  public let values: [String: Value]
  /// The object that had the values before; `nil` if all objects with the values are new or changed.
  public let storedObject: ObjectID?
  /// The new and changed objects with the values. They conflict with the stored object or with one another.
  public let conflictingObjects: [ObjectID]

  /// Creates a conflict over the values of one constraint.
  public init(
    entity: String, constraint: [String], values: [String: Value], storedObject: ObjectID?,
    conflictingObjects: [ObjectID]
  ) {
    self.entity = entity
    self.constraint = constraint
    self.values = values
    self.storedObject = storedObject
    self.conflictingObjects = conflictingObjects
  }

  /// The most objects that a sentence names beside the first one.
  private static let mostNamed = 3

  /// A sentence that names the objects, or the first few of many, and the values.
  public var description: String {
    let keys = constraint.map { "\"\($0)\"" }.joined(separator: " and ")
    let shared = constraint.map { values[$0]?.text ?? "nothing" }.joined(separator: ", ")
    let objects = conflictingObjects.map(\.uri)
    let subject = objects.first ?? ""
    let others =
      (storedObject.map { ["the stored object \($0.uri)"] } ?? []) + objects.dropFirst()
    let isLong = others.count > ConstraintConflict.mostNamed + 1
    let named =
      isLong
      ? others.prefix(ConstraintConflict.mostNamed)
        + ["\(others.count - ConstraintConflict.mostNamed) more objects"] : others[...]
    return """
      \(entity) \(subject): \(keys) must be unique, and \(named.joined(separator: " and ")) \
      \(others.count == 1 ? "has" : "have") the same \(shared).
      """
  }
}
