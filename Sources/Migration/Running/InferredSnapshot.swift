package import ObjectModel
package import StoreInterface

/// The objects of a snapshot after the inferred migration to a model. The migrated store stays as it is.
///
/// Replicas compare versions of different models by this: all of them infer the same objects. Rows that must be written are written
/// into a temporary store, which is removed together with this value.
package final class InferredSnapshot {
  /// The migrated objects, with the identifiers that they had.
  package let snapshot: any StoreSnapshot
  private var run: MigrationRun?

  /// Migrates the objects of a snapshot.
  ///
  /// - Parameter path: The path beside which temporary stores lie.
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/notInferable``, also if objects would get new identifiers; the
  ///   errors of reading.
  package init(
    _ before: any StoreSnapshot, to model: Model, besides path: String, in places: StorePlaces
  ) throws {
    let store = try SnapshotStore(before)
    _ = try InferredMapping(from: before.model, to: model)
    var migrator = Migrator.automatic
    (migrator.allowsLoss, migrator.allowsInvalid) = (true, true)
    let opened = try Migrator.Opened(store, knowing: [])
    let plan = try migrator.plan(for: opened, to: model, as: nil, counting: false)
    guard !plan.isEmpty else {
      snapshot = before
      return
    }
    var run = try MigrationRun(migrator, plan, opened, writing: path, replacing: true, in: places)
    guard run.keepsKeys else {
      throw MigrationError(
        .notInferable, "Objects of different entities with one number would get new identifiers.")
    }
    do { try run.takeSteps() } catch {
      run.cleanUp()
      throw error
    }
    snapshot = run.current
    self.run = run
  }

  deinit { run?.cleanUp() }
}
