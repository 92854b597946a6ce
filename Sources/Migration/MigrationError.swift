public import ObjectGraph
import ObjectModel

/// Why objects can't be brought from one version of a model to another.
public struct MigrationError: Error, Sendable {
  /// What kind of failure it is.
  public let code: Code
  /// What was tried and what was found, in sentences.
  public let message: String
  /// Everything that nothing can be inferred for; empty but for ``Code/notInferable`` and
  /// ``Code/noPath``.
  public let problems: [MigrationProblem]
  /// What is wrong with the objects as they would be; empty but for ``Code/invalidResult``.
  public let failures: [ValidationFailure]
  /// The objects that would share unique values; empty but for ``Code/invalidResult``.
  public let constraintConflicts: [ConstraintConflict]
  /// What made it fail, if something below did.
  public let cause: (any Error)?

  /// A failure of the given kind.
  public init(
    _ code: Code, _ message: String, problems: [MigrationProblem] = [],
    failures: [ValidationFailure] = [], constraintConflicts: [ConstraintConflict] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.problems = problems
    self.failures = failures
    self.constraintConflicts = constraintConflicts
    self.cause = cause
  }

  /// A kind of failure, to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public let rawValue: String
    /// The kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No way leads from the store's version to the one that is wanted.
    public static let noPath = Code(rawValue: "noPath")
    /// A mapping does not follow from the two models by themselves.
    public static let notInferable = Code(rawValue: "notInferable")
    /// A mapping says what the models do not bear out, or can't be read.
    public static let badMapping = Code(rawValue: "badMapping")
    /// A mapping names a policy that the program does not have.
    public static let missingPolicy = Code(rawValue: "missingPolicy")
    /// Stages contradict one another, or do not lead to the version that is wanted.
    public static let badStages = Code(rawValue: "badStages")
    /// The migration would drop objects, values or links, and the caller has not allowed it.
    public static let wouldLose = Code(rawValue: "wouldLose")
    /// The objects as they would be are not what the model asks of them.
    public static let invalidResult = Code(rawValue: "invalidResult")
    /// The store, or the place that is written to, is not one that can be migrated.
    public static let badPlace = Code(rawValue: "badPlace")
  }
}

extension MigrationError: CustomStringConvertible {
  /// The message, and every problem and failure on a line of its own.
  public var description: String {
    let found = failures.map(\.description) + constraintConflicts.map(\.description)
    return
      ([message] + problems.map { "  \($0)" } + found.prefix(20).map { "  \($0)" }
      + (found.count > 20 ? ["  and \(found.count - 20) more"] : []))
      .joined(separator: "\n")
  }
}

/// Something that nothing can be inferred for.
public struct MigrationProblem: Sendable, Hashable, CustomStringConvertible {
  /// The entity, under its new name unless it is gone.
  public let entity: String
  /// The property; `nil` when it is about the entity as a whole.
  public let property: String?
  /// The reason, as the rest of a sentence that begins with the name.
  public let reason: String

  /// A problem with the given part.
  public init(_ entity: String, _ property: String? = nil, _ reason: String) {
    self.entity = entity
    self.property = property
    self.reason = reason
  }

  /// The part and the reason: `Trip.cost has become a String, and its numbers are none.`
  public var description: String {
    "\(entity)\(property.map { "." + $0 } ?? "") \(reason)."
  }
}
