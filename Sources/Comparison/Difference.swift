public import ObjectModel
public import StoreInterface

/// The difference between two documents or stores, or between two versions of one.
///
///     let difference = try Difference(from: "Trips.quire@2", to: "Trips.quire", in: places)
///     for change in try difference.changes { print(change.kind, change.entity, change.object.id) }
///
/// Both sides are open for reading as long as the difference exists, and no process waits for it. Between two versions of
/// one file the work depends on the number of changed rows. Otherwise all rows of both sides are read, a few blocks at a
/// time. Use ``Patch`` to keep the changes, and ``Merge`` to make them in another copy.
public final class Difference {
  /// The attachments that differ, in the order of their names; empty unless both sides are documents.
  public let attachments: [AttachmentChange]
  /// The difference of the models. Objects of entities that only one side has are inserted or deleted.
  public let models: ModelDifference
  private let stores: PairedStores
  private let matching: MatchChoices

  /// Opens both sides.
  ///
  /// - Parameters:
  ///   - old: A document or a store, or a version of one: `Trips.quire@3`, `Trips.quire@draft~2`.
  ///   - new: The document or store with the changes.
  ///   - places: The backends that open stores, and the disk.
  ///   - matching: The way in which objects of both sides match.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: ``ComparisonError``, such as ``ComparisonError/Code/differentStores``; the errors of opening and reading.
  public init(
    from old: String, to new: String, in places: StorePlaces,
    matching: MatchChoices = MatchChoices(), model: Model? = nil
  ) throws {
    let before = try ComparedPlace(old, in: places, model: model)
    do {
      let after = try ComparedPlace(new, in: places, model: model)
      do { stores = try PairedStores(before, after, in: places) } catch {
        after.close()
        throw error
      }
    } catch {
      before.close()
      throw error
    }
    attachments = stores.attachments ?? []
    models = stores.modelChanges()
    self.matching = matching
  }

  deinit { stores.close() }

  /// The objects that differ: entity by entity, and within an entity in the order of their identifiers.
  ///
  /// - Throws: As ``forEachChange(of:_:)`` does.
  public var changes: [ObjectChange] {
    get throws {
      var changes: [ObjectChange] = []
      try forEachChange { changes.append($0) }
      return changes
    }
  }

  /// Calls `body` with each object that differs, without keeping them in memory.
  ///
  /// - Parameter entities: The names of the entities to compare, without their subentities; `nil` for all.
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/badKey`` or ``ComparisonError/Code/duplicateKeys``; the
  ///   errors of a damaged store and of `body`.
  public func forEachChange(
    of entities: Set<String>? = nil, _ body: (ObjectChange) throws -> Void
  ) throws {
    for pair in stores.pairs {
      let comparison = try StoreComparison(
        from: pair.old, to: pair.new, matching, layer: pair.layer)
      try comparison.forEachChange(of: entities) { change in
        var change = change
        change.store = pair.name
        try body(change)
      }
    }
  }

  /// Whether both sides have the same objects, attachments and model. The comparison ends at the first difference.
  ///
  /// - Throws: As ``forEachChange(of:_:)`` does.
  public var isEmpty: Bool {
    get throws {
      guard models.isEmpty, attachments.isEmpty else { return false }
      struct Found: Error {}
      do { try forEachChange { _ in throw Found() } } catch is Found { return false }
      return true
    }
  }
}
