import ObjectModel

@testable import ObjectGraph

/// The way in which a save must fail.
struct SaveRefusal: Sendable, CustomStringConvertible {
  let description: String
  private let difference: @Sendable (any Error, Scenario) throws -> Void

  /// A refusal with an error of the context.
  private init(
    _ description: String, _ difference: @escaping @Sendable (ContextError, Scenario) throws -> Void
  ) {
    self.description = description
    self.difference = { error, scenario in
      guard let error = error as? ContextError else {
        throw StepFailure("The error is none of a context.")
      }
      try difference(error, scenario)
    }
  }

  /// A refusal with any error.
  private init(
    _ description: String, ofAnyKind difference: @escaping @Sendable (any Error) throws -> Void
  ) {
    self.description = description
    self.difference = { error, _ in try difference(error) }
  }

  /// Throws the difference from the error that the save threw.
  func check(_ error: any Error, _ scenario: Scenario) throws {
    do {
      try difference(error, scenario)
    } catch let difference {
      throw StepFailure("\(difference)\nThe save threw: \(error)")
    }
  }

  /// A conflict about one value of one object that both sides have changed.
  ///
  /// - Parameters:
  ///   - object: The object's name; `nil` for any object.
  ///   - key: The value's name; `nil` for any value.
  ///   - base: The value that the change is based on; `nil` for any.
  ///   - mine: The value here; `nil` for any.
  ///   - theirs: The value in the store; `nil` for any.
  static func conflict(
    _ object: String? = nil, _ key: String? = nil, base: StepValue? = nil, mine: StepValue? = nil,
    theirs: StepValue? = nil
  ) -> SaveRefusal {
    let facts = [
      object.map { "\($0)" }, key.map { "\($0)" }, base.map { "base: \($0)" },
      mine.map { "mine: \($0)" }, theirs.map { "theirs: \($0)" },
    ].compactMap(\.self)
    return SaveRefusal("a conflict (\(facts.joined(separator: ", ")))") { error, scenario in
      let conflict = try onlyConflict(in: error)
      try require("object", object, scenario.name(of: conflict.object))
      let keys = conflict.contestedKeys
      guard keys.count == 1, key == nil || keys == [key] else {
        throw StepFailure("The conflict is about \(keys).")
      }
      try require("base", base, value(keys[0], in: conflict.base))
      try require("mine", mine, value(keys[0], in: conflict.mine))
      try require("theirs", theirs, value(keys[0], in: conflict.theirs))
    }
  }

  /// A conflict about an object that both sides have changed, in the same values or in different ones.
  static func conflictAboutObject(_ object: String) -> SaveRefusal {
    SaveRefusal("a conflict about \(object)") { error, scenario in
      try require("object", object, scenario.name(of: onlyConflict(in: error).object))
    }
  }

  /// A conflict about an object that was changed here and deleted by another context.
  ///
  /// - Parameters:
  ///   - base: Values that the change is based on.
  ///   - mine: Values here.
  static func deletedThere(
    _ object: String, base: [String: StepValue] = [:], mine: [String: StepValue] = [:]
  ) -> SaveRefusal {
    SaveRefusal("a conflict about \(object), deleted there") { error, scenario in
      let conflict = try onlyConflict(in: error)
      try require("object", object, scenario.name(of: conflict.object))
      guard conflict.isDeletedThere else { throw StepFailure("The object is not deleted there.") }
      for (key, expected) in base { try require("base", expected, value(key, in: conflict.base)) }
      for (key, expected) in mine { try require("mine", expected, value(key, in: conflict.mine)) }
    }
  }

  /// A conflict about an object that was deleted here and changed by another context.
  ///
  /// - Parameter base: Values that the deletion is based on.
  static func deletedHere(_ object: String, base: [String: StepValue] = [:]) -> SaveRefusal {
    SaveRefusal("a conflict about \(object), deleted here") { error, scenario in
      let conflict = try onlyConflict(in: error)
      try require("object", object, scenario.name(of: conflict.object))
      guard conflict.isDeletedHere else { throw StepFailure("The object is not deleted here.") }
      for (key, expected) in base { try require("base", expected, value(key, in: conflict.base)) }
    }
  }

  /// A conflict about a unique value that the objects share with another object.
  static func sharedValue(_ objects: String...) -> SaveRefusal {
    SaveRefusal("a unique value shared by \(objects)") { error, scenario in
      let found = error.constraintConflicts.map { $0.conflictingObjects.map(scenario.name) }
      guard error.code == .conflict, found == [objects] else {
        throw StepFailure("The save was refused as \(error.code.rawValue) about \(found).")
      }
    }
  }

  /// A delete rule that denies a deletion.
  static let denied = SaveRefusal("a denied deletion") { error, _ in
    let rules = error.failures.map(\.rule)
    guard rules == [.deletionDenied] else {
      throw StepFailure("The save was refused for the rules \(rules.map(\.rawValue)).")
    }
  }

  /// An error with a message that contains the text.
  static func error(with text: String) -> SaveRefusal {
    SaveRefusal("an error with the text \(text)") { error, _ in
      if !error.message.contains(text) { throw StepFailure("The message has another text.") }
    }
  }

  /// The error that a custom merge policy of a test throws.
  static let unwanted = SaveRefusal(
    "the policy's error",
    ofAnyKind: { error in
      if !(error is Unwanted) { throw StepFailure("The error is none of the policy.") }
    })

  private static func onlyConflict(in error: ContextError) throws -> MergeConflict {
    guard error.code == .conflict, error.conflicts.count == 1 else {
      throw StepFailure(
        "The save was refused as \(error.code.rawValue) with \(error.conflicts.count) conflicts.")
    }
    return error.conflicts[0]
  }

  private static func value(_ key: String, in values: [String: Value]?) -> StepValue {
    StepValue(values?[key] ?? .null)
  }

  private static func require<V: Equatable>(_ part: String, _ expected: V?, _ found: V) throws {
    if let expected, expected != found {
      throw StepFailure("The \(part) is \(found), not \(expected).")
    }
  }
}

/// A merge policy with a name to print.
struct ScenarioPolicy: Sendable, CustomStringConvertible {
  let description: String
  let policy: MergePolicy

  init(_ description: String, _ policy: MergePolicy) {
    self.description = description
    self.policy = policy
  }

  /// Whether a conflict fails the save.
  var isError: Bool { policy.isError }

  static let error = ScenarioPolicy("error", .error)
  static let storeWins = ScenarioPolicy("storeWins", .storeWins)
  static let objectWins = ScenarioPolicy("objectWins", .objectWins)
  static let overwrite = ScenarioPolicy("overwrite", .overwrite)
  static let rollback = ScenarioPolicy("rollback", .rollback)
}
