public import ObjectModel
import Rows
import StoreInterface

/// The failure of an operation of a context or a coordinator.
public struct ContextError: Error, Sendable {
  public let code: Code
  /// Sentences that name the failed operation and the fault.
  public let message: String
  /// The broken rules of the model and of classes, for objects to be saved; empty unless the code is
  /// ``Code/validation``.
  public let failures: [ValidationFailure]
  /// The objects that another context has changed meanwhile; empty unless the code is ``Code/conflict``.
  public let conflicts: [MergeConflict]
  /// The objects to be saved that share unique values with another object.
  ///
  /// The code is ``Code/conflict``, or ``Code/validation`` if there are ``failures`` too.
  public let constraintConflicts: [ConstraintConflict]
  /// The error of a lower layer that caused this failure, if any.
  public let cause: (any Error)?

  /// Makes a failure of the given kind.
  public init(
    _ code: Code, _ message: String, failures: [ValidationFailure] = [],
    conflicts: [MergeConflict] = [], constraintConflicts: [ConstraintConflict] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.failures = failures
    self.conflicts = conflicts
    self.constraintConflicts = constraintConflicts
    self.cause = cause
  }

  /// Makes the error of a save that refuses objects.
  init(refusing failures: [ValidationFailure], _ conflicts: [ConstraintConflict]) {
    var parts: [String] = []
    if !failures.isEmpty {
      let count =
        failures.count == 1 ? "1 validation failure" : "\(failures.count) validation failures"
      parts.append("The objects to be saved have \(count).")
    }
    if !conflicts.isEmpty {
      let count = conflicts.count == 1 ? "1 conflict" : "\(conflicts.count) conflicts"
      parts.append("The objects to be saved have \(count) of unique values.")
    }
    self.init(
      failures.isEmpty ? .conflict : .validation, parts.joined(separator: " "),
      failures: failures, constraintConflicts: conflicts)
  }

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The stable name of the kind.
    public let rawValue: String
    /// Makes the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The model has no such entity.
    public static let unknownEntity = Code(rawValue: "unknownEntity")
    /// An entity has no such property.
    public static let unknownProperty = Code(rawValue: "unknownProperty")
    /// A value is not of the property's type.
    public static let wrongType = Code(rawValue: "wrongType")
    /// No store holds objects of the entity, or there is no such store.
    public static let noStore = Code(rawValue: "noStore")
    /// Two objects of different stores can't be related.
    public static let crossStore = Code(rawValue: "crossStore")
    /// There is no such object.
    public static let noObject = Code(rawValue: "noObject")
    /// Objects break rules of the model or of their classes.
    public static let validation = Code(rawValue: "validation")
    /// Another context has changed the same objects since they were read, or objects share unique values.
    public static let conflict = Code(rawValue: "conflict")
    /// The model does not fit a store.
    public static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// A value could not be read when the program asked for it.
    public static let unreadable = Code(rawValue: "unreadable")
    /// A part of the history is not kept any more.
    public static let historyExpired = Code(rawValue: "historyExpired")
    /// The operation is not possible in this context or store.
    public static let notSupported = Code(rawValue: "notSupported")
  }
}

extension ContextError: CustomStringConvertible {
  /// The message, then each failure and each conflict on its own line.
  public var description: String {
    ([message] + failures.map { "  \($0)" } + conflicts.map { "  \($0)" }
      + constraintConflicts.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// One broken rule of one object that is to be saved.
public struct ValidationFailure: Sendable, CustomStringConvertible {
  public let object: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The name of the property; `nil` if the rule is about the object as a whole.
  public let key: String?
  /// The value that breaks the rule.
  public let value: Value?
  /// The kind of the broken rule.
  public let rule: Rule
  /// The failure, in a sentence.
  public let message: String
  /// The error number that the model defines for the broken predicate; `nil` if it defines none.
  public let code: Int?
  /// The error that the object's class threw; `nil` if it threw none.
  public let cause: (any Error)?

  /// Makes a failure of one object.
  public init(
    object: ObjectID, entity: String, key: String? = nil, value: Value? = nil, rule: Rule,
    message: String, code: Int? = nil, cause: (any Error)? = nil
  ) {
    self.object = object
    self.entity = entity
    self.key = key
    self.value = value
    self.rule = rule
    self.message = message
    self.code = code
    self.cause = cause
  }

  /// The kinds of rules that objects must obey.
  public enum Rule: String, Sendable, Hashable {
    /// The property must have a value.
    case required
    /// The value must not be less than the minimum.
    case minimum
    /// The value must not be greater than the maximum.
    case maximum
    /// The text must match the pattern.
    case pattern
    /// The value must be a whole day, or have few enough decimal places.
    case precision
    /// The relationship must lead to more objects.
    case tooFewObjects
    /// The relationship must lead to fewer objects.
    case tooManyObjects
    /// The object can't be deleted as long as a relationship refers to other objects.
    case deletionDenied
    /// The value must meet a validation predicate of the model.
    case predicate
    /// The object must meet a rule that its class checks.
    case custom
  }

  /// The entity, the identifier and the failure.
  public var description: String { "\(entity) \(object.uri): \(message)" }
}

// MARK: - Common errors

extension ContextError {
  static func unknownEntity(_ name: String, in model: Model) -> ContextError {
    let names = model.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return ContextError(
      .unknownEntity, "The model has no entity \"\(name)\". It has: \(names).")
  }

  static func unknownProperty(_ name: String, of graph: GraphEntity) -> ContextError {
    let names = graph.properties.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return ContextError(
      .unknownProperty,
      "The entity \"\(graph.name)\" has no property \"\(name)\". It has: \(names).")
  }

  static func derived(_ name: String, of graph: GraphEntity) -> ContextError {
    ContextError(
      .wrongType,
      "The attribute \"\(name)\" of \"\(graph.name)\" is derived from other properties and can't be set."
    )
  }

  static func wrongType(
    _ value: Value, _ attribute: Attribute, of graph: GraphEntity
  ) -> ContextError {
    ContextError(
      .wrongType,
      """
      The value of "\(attribute.name)" of "\(graph.name)" can't be set: \
      \(attribute.type.problem(with: value) ?? "\(value.text) has another type").
      """)
  }

  static func tooLarge(
    _ value: Value, _ attribute: Attribute, of graph: GraphEntity
  ) -> ContextError {
    ContextError(
      .wrongType,
      """
      The value of "\(attribute.name)" of "\(graph.name)" can't be set: it has \
      \(value.byteStringByteCount) bytes, but the texts and bytes of one object can have at most \
      \(Draft.maximumRowByteCount) bytes together. Keep larger data in a file, such as an attachment of a document.
      """)
  }

  static func wrongDestination(_ name: String, of graph: GraphEntity) -> ContextError {
    ContextError(
      .wrongType,
      """
      The relationship "\(name)" of "\(graph.name)" can't be set: its destination entity has no object \
      with the given identifier.
      """)
  }

  static func notSingle(_ name: String, of graph: GraphEntity) -> ContextError {
    ContextError(
      .wrongType,
      "The property \"\(name)\" of \"\(graph.name)\" is not a single value that can be set.")
  }

  static func inSeveralStores(_ entity: String) -> ContextError {
    ContextError(
      .notSupported,
      "Values of \"\(entity)\" are in several stores: name one store in affectedStores.")
  }

  static func crossStore(
    _ relationship: String, _ object: ManagedObject, _ other: ManagedObject
  ) -> ContextError {
    ContextError(
      .crossStore,
      """
      The relationship "\(relationship)" of \(object) can't refer to \(other), which is in another \
      store. Insert both into the same store, or use a fetched property.
      """)
  }
}

extension StoreError {
  /// Returns the error for a write into a store that was added for reading only.
  static func addedForReading(_ path: String?) -> StoreError {
    StoreError(.readOnly, "The store was added for reading only.", path: path)
  }
}
