public import ObjectModel

/// A rule for conflicts: changes of objects that another save has changed since.
///
///     context.mergePolicy = .objectWins
///
/// Values are compared three ways: the values that the changes were made on, the values here, and the stored values. A
/// value that one side alone has changed is that side's, except under ``error``, ``overwrite`` and ``rollback``.
///
/// The policy also decides when an object was inserted that has the unique values of one that is there
/// already: with ``error`` saving fails, with any other the inserted object is merged into the one that is
/// there, and deleted. What leads to it leads to the other then. What a new object begins with counts as
/// unchanged.
public struct MergePolicy: Sendable {
  /// Decides about one object.
  let decide: (@Sendable (MergeConflict) throws -> MergeResolution)?

  /// Whether conflicts fail the save.
  var isError: Bool { decide == nil }

  /// Saving fails, and says what is in conflict.
  public static let error = MergePolicy(decide: nil)
  /// Where both sides have changed a value, the store's stays: Core Data's
  /// `mergeByPropertyStoreTrump`.
  public static let storeWins = MergePolicy { $0.merged(preferringStore: true) }
  /// Where both sides have changed a value, the object's is saved: Core Data's
  /// `mergeByPropertyObjectTrump`.
  public static let objectWins = MergePolicy { $0.merged(preferringStore: false) }
  /// The object is saved as it is, with every value.
  public static let overwrite = MergePolicy { conflict in
    conflict.isDeletedHere ? .delete : .save(conflict.mine ?? [:])
  }
  /// The object's changes are given up.
  public static let rollback = MergePolicy { _ in .keepStored }

  /// Objects are asked about one by one.
  ///
  /// - Parameter decide: Says what becomes of an object; what it throws fails the save.
  public static func custom(
    _ decide: @escaping @Sendable (MergeConflict) throws -> MergeResolution
  ) -> MergePolicy {
    MergePolicy(decide: decide)
  }
}

/// The outcome of a conflict about one object.
public enum MergeResolution: Sendable {
  /// It stays as the store has it.
  case keepStored
  /// It is deleted.
  case delete
  /// It is saved with these values, and with the store's where none is given.
  case save([String: Value])
}

/// An object that was changed here, and by another save meanwhile.
public struct MergeConflict: Sendable, CustomStringConvertible {
  /// The object.
  public let object: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The values that the changes were made on, by name; `nil` if there was no such object.
  public let base: [String: Value]?
  /// The values here; `nil` when it was deleted here.
  public let mine: [String: Value]?
  /// The values in the store; `nil` when it is not there any more.
  public let theirs: [String: Value]?
  /// The names of the values that an object which was inserted here shares with this one, though no two
  /// may; empty when both sides have changed one object. Then ``base`` is what a new object has, and
  /// ``mine`` what the inserted one has.
  public var uniqueKeys: [String] = []
  /// The names of values that follow from others, about which nobody can disagree.
  var derivedKeys: Set<String> = []

  /// A conflict about one object.
  public init(
    object: ObjectID, entity: String, base: [String: Value]?, mine: [String: Value]?,
    theirs: [String: Value]?
  ) {
    self.object = object
    self.entity = entity
    self.base = base
    self.mine = mine
    self.theirs = theirs
  }

  /// Whether the object was deleted here.
  public var isDeletedHere: Bool { mine == nil }
  /// Whether somebody else has deleted the object.
  public var isDeletedThere: Bool { theirs == nil }

  /// The names of the values that both sides have changed, and differently.
  public var contestedKeys: [String] {
    guard let mine, let theirs else { return [] }
    return mine.keys.filter { key in
      let before = base?[key]
      return !derivedKeys.contains(key) && mine[key] != theirs[key] && mine[key] != before
        && theirs[key] != before
    }.sorted()
  }

  /// What becomes of the object when one side has changed nothing but what follows from others, or nothing at
  /// all: that is computed anew, and no reason to ask anybody.
  var undisputed: MergeResolution? {
    guard let base else { return nil }
    func own(_ values: [String: Value]) -> [String: Value] {
      values.filter { !derivedKeys.contains($0.key) && $0.value != base[$0.key] }
    }
    switch (mine, theirs) {
    case (nil, nil): return nil
    case (nil, let theirs?): return own(theirs).isEmpty ? .delete : nil
    case (let mine?, nil): return own(mine).isEmpty ? .keepStored : nil
    case (let mine?, let theirs?):
      let (here, there) = (own(mine), own(theirs))
      return here.isEmpty || there.isEmpty ? .save(here) : nil
    }
  }

  /// Both sides' changes, and one side's where they disagree.
  func merged(preferringStore: Bool) -> MergeResolution {
    guard let mine else { return preferringStore && theirs != nil ? .keepStored : .delete }
    guard let theirs else { return preferringStore ? .keepStored : .save(mine) }
    var values: [String: Value] = [:]
    for (key, value) in mine where value != base?[key] {
      let isContested = theirs[key] != base?[key] && theirs[key] != value
      if !isContested || !preferringStore { values[key] = value }
    }
    return .save(values)
  }

  /// What has happened to the object, in a sentence.
  public var description: String {
    let what = "\(entity) \(object.uri)"
    if !uniqueKeys.isEmpty {
      let keys = uniqueKeys.map { "\"\($0)\"" }.joined(separator: " and ")
      return "\(what) has the same \(keys) as an object that was inserted here."
    }
    if isDeletedThere { return "\(what) was changed here, and another save has deleted it." }
    if isDeletedHere { return "\(what) was deleted here, and another save has changed it." }
    let keys = contestedKeys.map { "\"\($0)\"" }.joined(separator: ", ")
    return keys.isEmpty
      ? "\(what) was changed here and by another save, in different values."
      : "\(what) was changed here and by another save: \(keys)."
  }
}
