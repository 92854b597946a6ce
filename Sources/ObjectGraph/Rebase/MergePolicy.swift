public import ObjectModel

/// A rule for conflicts: changes of objects that another save has changed since.
///
///     context.mergePolicy = .objectWins
///
/// Choose ``objectWins`` for an editor: its user has just seen and confirmed the values. Choose ``storeWins`` for work in the
/// background, so that it never undoes an edit that a person made meanwhile. Choose ``error`` if the program asks its user, or
/// repeats the whole work on the newer state, as a transfer between accounts does. ``overwrite`` and ``rollback`` take all values
/// of an object from one side, for objects that only make sense as a whole.
///
/// Values are compared three ways: the values that the changes were made on, the context's values, and the stored
/// values. A value that only one side has changed is taken from that side, except under ``error``, ``overwrite`` and
/// ``rollback``.
///
/// The policy also decides about an inserted object that has the unique values of an existing object. With ``error``
/// the save fails. With every other policy the inserted object is merged into the existing object and deleted, and
/// references to it move to the existing object. Under ``storeWins`` and ``rollback`` the existing object keeps all its
/// own values, the missing ones too. If a custom policy returns ``MergeResolution/delete``, the existing
/// object is deleted instead. The initial values of a new object count as unchanged.
public struct MergePolicy: Sendable {
  /// The function that resolves one conflict; `nil` if conflicts fail the save.
  let decide: (@Sendable (MergeConflict) throws -> MergeResolution)?

  /// Whether conflicts fail the save.
  var isError: Bool { decide == nil }

  /// A policy that fails the save. The error contains the conflicts.
  public static let error = MergePolicy(decide: nil)
  /// A policy that keeps the stored value where both sides have changed a value: Core Data's
  /// `mergeByPropertyStoreTrump`.
  public static let storeWins = MergePolicy { $0.merged(preferringStore: true) }
  /// A policy that saves the object's value where both sides have changed a value: Core Data's
  /// `mergeByPropertyObjectTrump`.
  public static let objectWins = MergePolicy { $0.merged(preferringStore: false) }
  /// A policy that saves the object as it is, with every value.
  public static let overwrite = MergePolicy { conflict in
    conflict.isDeletedHere ? .delete : .save(conflict.mine ?? [:])
  }
  /// A policy that discards the object's changes.
  public static let rollback = MergePolicy { _ in .keepStored }

  /// Returns a policy that asks the program about each object.
  ///
  /// - Parameter decide: Returns the resolution of one conflict. An error that it throws fails the save.
  public static func custom(
    _ decide: @escaping @Sendable (MergeConflict) throws -> MergeResolution
  ) -> MergePolicy {
    MergePolicy(decide: decide)
  }
}

/// The outcome of a conflict about one object.
public enum MergeResolution: Sendable {
  /// Keeps the object as it is in the store.
  case keepStored
  case delete
  /// Saves the object with these values. Values that are not given stay as in the store.
  case save([String: Value])
}

/// A conflict about an object that this context and another save have changed.
public struct MergeConflict: Sendable, CustomStringConvertible {
  public let object: ObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The values that the changes were made on, by name; `nil` if the object did not exist.
  public let base: [String: Value]?
  /// The context's values; `nil` if the context has deleted the object.
  public let mine: [String: Value]?
  /// The stored values; `nil` if another save has deleted the object.
  public let theirs: [String: Value]?
  /// The names of the unique values that an inserted object shares with this object; empty if both sides have changed
  /// one object. If it is not empty, ``base`` contains the initial values of a new object, and ``mine`` the values of
  /// the inserted object.
  public var uniqueKeys: [String] = []
  /// Whether the context has marked the object with ``ManagedObjectContext/detectConflicts(for:)``. The save then fails
  /// whatever the merge policy is.
  public internal(set) var isMarked = false
  /// The names of derived values, which can't be in conflict.
  var derivedKeys: Set<String> = []

  /// Creates a conflict about one object.
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

  /// Whether the context has deleted the object.
  public var isDeletedHere: Bool { mine == nil }
  /// Whether another save has deleted the object.
  public var isDeletedThere: Bool { theirs == nil }

  /// The names of the values that both sides have changed to different values.
  public var contestedKeys: [String] {
    guard let mine, let theirs else { return [] }
    return mine.keys.filter { key in
      let before = base?[key]
      return !derivedKeys.contains(key) && differ(mine[key], theirs[key])
        && differ(mine[key], before) && differ(theirs[key], before)
    }.sorted()
  }

  /// The resolution if one side has changed only derived values or nothing; `nil` if the policy must decide. Derived
  /// values are computed again.
  var undisputed: MergeResolution? {
    guard let base else { return nil }
    func own(_ values: [String: Value]) -> [String: Value] {
      values.filter { !derivedKeys.contains($0.key) && differ($0.value, base[$0.key]) }
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

  /// Returns the resolution that combines the changes of both sides, and prefers one side where both have changed a
  /// value.
  func merged(preferringStore: Bool) -> MergeResolution {
    guard let mine else { return preferringStore && theirs != nil ? .keepStored : .delete }
    guard let theirs else { return preferringStore ? .keepStored : .save(mine) }
    // No program has seen the stored object as the base of the inserted one, so a missing value of the stored object is
    // as deliberate as any other.
    if preferringStore, !uniqueKeys.isEmpty { return .keepStored }
    var values: [String: Value] = [:]
    for (key, value) in mine where differ(value, base?[key]) {
      let isContested = differ(theirs[key], base?[key]) && differ(theirs[key], value)
      if !isContested || !preferringStore { values[key] = value }
    }
    return .save(values)
  }

  /// Whether two values differ in any bit. "Not a number" does not differ from itself.
  private func differ(_ one: Value?, _ other: Value?) -> Bool {
    guard let one, let other else { return (one == nil) != (other == nil) }
    return !one.isIdentical(to: other)
  }

  /// A sentence about the conflict.
  public var description: String {
    let what = "\(entity) \(object.uri)"
    if !uniqueKeys.isEmpty {
      let keys = uniqueKeys.map { "\"\($0)\"" }.joined(separator: " and ")
      return "\(what) has the same \(keys) as an object that this context inserted."
    }
    if isMarked {
      return
        "\(what) was marked in this context and \(isDeletedThere ? "deleted" : "changed") by another save."
    }
    if isDeletedThere { return "\(what) was changed in this context and deleted by another save." }
    if isDeletedHere { return "\(what) was deleted in this context and changed by another save." }
    let keys = contestedKeys.map { "\"\($0)\"" }.joined(separator: ", ")
    return keys.isEmpty
      ? "\(what) was changed in this context and by another save, in different properties."
      : "\(what) was changed in this context and by another save: \(keys)."
  }
}
