public import ObjectGraph
import ObjectModel

/// An error that keeps objects from being brought from one version of a model to another.
public struct MigrationError: Error, Sendable {
  public let code: Code
  /// The attempted operation and the finding, in sentences.
  public let message: String
  /// The changes that can't be inferred; empty except for ``Code/notInferable`` and ``Code/noPath``.
  public let problems: [MigrationProblem]
  /// The rules that the migrated objects would break; empty except for ``Code/invalidResult``.
  public let failures: [ValidationFailure]
  /// The objects that would share unique values; empty except for ``Code/invalidResult``.
  public let constraintConflicts: [ConstraintConflict]
  /// The underlying error, if there is one.
  public let cause: (any Error)?

  /// Creates an error of the given kind.
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
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No path leads from the store's version to the wanted version.
    public static let noPath = Code(rawValue: "noPath")
    /// A mapping can't be inferred from the two models.
    public static let notInferable = Code(rawValue: "notInferable")
    /// A mapping contradicts the models, or can't be read.
    public static let badMapping = Code(rawValue: "badMapping")
    /// A mapping names a policy that the program does not have.
    public static let missingPolicy = Code(rawValue: "missingPolicy")
    /// Stages contradict one another, or do not lead to the wanted version.
    public static let badStages = Code(rawValue: "badStages")
    /// The migration would drop objects, values or links, and the caller has not allowed it.
    public static let wouldLose = Code(rawValue: "wouldLose")
    /// The migrated objects would break rules of the new model.
    public static let invalidResult = Code(rawValue: "invalidResult")
    /// The store, or the output path, can't be used for a migration.
    public static let badPlace = Code(rawValue: "badPlace")
  }
}

extension MigrationError: CustomStringConvertible {
  /// The message, and every problem and failure on its own line.
  public var description: String {
    let found = failures.map(\.description) + constraintConflicts.map(\.description)
    return
      ([message] + problems.map { "  \($0)" } + found.prefix(20).map { "  \($0)" }
      + (found.count > 20 ? ["  and \(found.count - 20) more"] : []))
      .joined(separator: "\n")
  }
}

/// A change that can't be inferred, or a loss.
public struct MigrationProblem: Sendable, Hashable, CustomStringConvertible {
  /// The entity, by its new name. A removed entity has its old name.
  public let entity: String
  /// The property; `nil` if the problem concerns the whole entity.
  public let property: String?
  /// The reason, as the rest of a sentence that begins with the name.
  public let reason: String

  /// Creates a problem with the given entity or property.
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
