import Foundation
public import ObjectGraph
public import ObjectModel
import Rows
public import StoreInterface
import Tracing

extension Migrator {
  /// Migrates a store to a version of its model.
  ///
  /// Nothing else can save to the store meanwhile. Objects keep their identifiers, unless a written mapping makes
  /// them again or the store changes its type.
  ///
  /// - Parameters:
  ///   - target: The wanted version.
  ///   - type: The wanted type of the store; `nil` to keep the type.
  ///   - output: The path of the new store, if the old store stays unchanged; `nil` to replace the old store.
  /// - Throws: ``MigrationError``, `StoreError`, or an error of a policy, a handler or ``progress``. The store is
  ///   unchanged then.
  @discardableResult
  public func migrate(
    storeAt path: String, to target: Model, as type: StoreType? = nil, output: String? = nil,
    in places: StorePlaces
  ) throws -> MigrationReport {
    var attempts = 0
    while true {
      do {
        return try Trace.measure(.migration, at: path, "to another model") {
          try migrateOnce(path, target, type, output, places)
        }
      } catch let error as StoreError where attempts < 8 {
        // Another writer saved between planning and the commit, or replaced the store with a migrated one.
        let isOvertaken = error.code == .overtaken
        guard try isOvertaken || error.code == .notFound && places.exists(path) else { throw error }
        attempts += 1
      }
    }
  }

  private func migrateOnce(
    _ path: String, _ target: Model, _ type: StoreType?, _ output: String?, _ places: StorePlaces
  ) throws -> MigrationReport {
    let opened = try open(path, readOnly: output != nil, in: places)
    defer { try? opened.store.close() }
    let plan = try plan(for: opened, to: target, as: type, counting: false)
    if let output {
      try places.refuseExisting(output)
      try checkLoss(plan)
      return try writing(output, plan, opened, places)
    }
    if plan.isEmpty { return MigrationReport(plan: plan, backupPath: nil, lostReferenceCount: 0) }
    try checkLoss(plan)
    try checkKeepsNoLog(opened.store)
    let backup = try backupPath(path, plan, places)
    // The commit is held until the new store is in place, so that no save into the old store is lost.
    let report = try opened.store.holding(commit: opened.snapshot.commit) {
      try replacing(path, plan, opened, backup, places)
    }
    if let report { return report }
    do { try commit(plan, opened) } catch {
      // The store is unchanged, so its backup is not needed.
      if let backup { try? places.destroy(backup) }
      // A database of another system can't take another model, so a database of this format replaces it.
      guard writesForeign, let refusal = error as? StoreError, refusal.code == .incompatibleModel,
        let report = try opened.store.holding(
          commit: opened.snapshot.commit,
          { try replacing(path, plan, opened, backup, places, writesRows: true) })
      else { throw error }
      return report
    }
    return MigrationReport(plan: plan, backupPath: backup, lostReferenceCount: 0)
  }

  /// Throws if a store can't be migrated in its place, whatever the model. A dry run asks for it.
  ///
  /// - Throws: `StoreError` with the code `StoreError.Code.readOnly` if a history of changes would be lost.
  public func checkReplaces(storeAt path: String, in places: StorePlaces) throws {
    let opened = try open(path, readOnly: true, in: places)
    defer { try? opened.store.close() }
    try checkKeepsNoLog(opened.store)
  }

  /// Throws if the store has a log of changes: the store that replaces it would have none, and the program that reads the
  /// log would miss the changes of the migration.
  private func checkKeepsNoLog(_ store: any Store) throws {
    guard store.features.changeLog != nil else { return }
    throw StoreError(
      .readOnly,
      "The database can't be migrated in its place: its history of changes (ATRANSACTION) would be lost.",
      path: store.path)
  }

  /// Throws an error if the migration would drop data and the caller has not allowed that.
  private func checkLoss(_ plan: MigrationPlan) throws { try checkLoss(of: plan.drops, plan) }

  /// Throws an error if one of the given drops is not allowed.
  func checkLoss(of drops: [MigrationDrop], _ plan: MigrationPlan) throws {
    let refused = drops.filter { !allows($0) }
    guard !refused.isEmpty else { return }
    throw MigrationError(
      .wouldLose,
      "The migration from \"\(plan.from.name)\" to \"\(plan.to.name)\" would drop:\n"
        + refused.map { "  \($0)" }.joined(separator: "\n")
        + "\nNothing was written. Allow the loss (allowsLoss, or --allow-loss), or give a written mapping."
    )
  }

  private func allows(_ drop: MigrationDrop) -> Bool {
    if allowsLoss || allowedLosses.contains(drop.entity) { return true }
    return drop.property.map { allowedLosses.contains("\(drop.entity).\($0)") } ?? false
  }

  /// Returns the path for the backup of the old store.
  private func backupPath(
    _ path: String, _ plan: MigrationPlan, _ places: StorePlaces
  ) throws -> String? {
    switch writesForeign && backup == .none ? .beside : backup {
    case .none: return nil
    case .at(let wanted):
      if try places.exists(wanted) {
        throw StoreError(
          .exists, "A file or folder exists already at the path of the backup.", path: wanted)
      }
      return wanted
    case .beside:
      let name = String(plan.from.name.map { $0.isLetter || $0.isNumber ? $0 : "-" })
      for number in 1... {
        let wanted = "\(path).\(name)\(number == 1 ? "" : "-\(number)").backup"
        if try !places.exists(wanted) { return wanted }
      }
      return nil
    }
  }

  /// Writes the new store beside the old one and moves it to the old store's path.
  ///
  /// - Parameter writesRows: Whether all rows are written even if no step needs that.
  /// - Returns: `nil` if no row has to be written. Then the caller only commits the new model to the store.
  private func replacing(
    _ path: String, _ plan: MigrationPlan, _ opened: Opened, _ backup: String?,
    _ places: StorePlaces, writesRows: Bool = false
  ) throws -> MigrationReport? {
    places.removeAbandonedReplacements(of: path)
    let run = try MigrationRun(self, plan, opened, writing: path, replacing: true, in: places)
    return try taking(run) { run in
      if run.isInPlace, !writesRows {
        if let backup { try places.copy(path, to: backup) }
        return nil
      }
      try places.put(checked(run.finish()), inPlaceOf: path, keeping: backup)
      return MigrationReport(
        plan: plan, backupPath: backup, lostReferenceCount: run.lostReferenceCount)
    }
  }

  /// Returns the path of a new store after ``checksResult`` has accepted the store.
  private func checked(_ path: String) throws -> String {
    try checksResult?(path)
    return path
  }

  /// Performs all steps and passes the run to `body`. If a step or `body` fails, temporary files are removed.
  private func taking<R>(_ run: MigrationRun, _ body: (inout MigrationRun) throws -> R) throws -> R
  {
    var run = run
    do {
      try run.takeSteps()
      let result = try body(&run)
      run.removeLeftLogs()
      return result
    } catch {
      run.cleanUp()
      throw error
    }
  }

  /// Commits the new model to a store with rows that stay unchanged.
  private func commit(_ plan: MigrationPlan, _ opened: Opened) throws {
    try opened.store.commit(request(plan, opened))
  }

  private func request(_ plan: MigrationPlan, _ opened: Opened) -> CommitRequest {
    var request = CommitRequest(
      Layer(), basedOn: opened.snapshot, model: plan.steps.last?.to.model)
    request.modelsBetween = plan.steps.dropLast().map(\.to.model)
    request.requiredCommit = opened.snapshot.commit
    request.contextName = "migration"
    return request
  }

  /// The change that brings a store of a document to a version.
  package enum DocumentMigration {
    /// The store commits the request.
    case commit(CommitRequest)
    /// A new store, written at the given path, replaces the store.
    case replacement(MigrationReport)
  }

  /// Prepares the migration of a document's store to a version of its model. The store does not change.
  ///
  /// - Parameter output: The path of the new store, if the rows must be written again.
  /// - Returns: `nil` if the store has the version already.
  /// - Throws: The errors of ``migrate(storeAt:to:as:output:in:)``.
  package func prepare(
    _ store: any Store, to target: Model, output: String, in places: StorePlaces
  ) throws -> DocumentMigration? {
    let opened = try Opened(store, knowing: versions)
    let plan = try plan(for: opened, to: target, as: nil, counting: false)
    if plan.isEmpty { return nil }
    try checkLoss(plan)
    let run = try MigrationRun(self, plan, opened, writing: output, replacing: true, in: places)
    return try taking(run) { run in
      if run.isInPlace { return .commit(request(plan, opened)) }
      try places.put(checked(run.finish()), inPlaceOf: output, overwriting: false)
      return .replacement(
        MigrationReport(plan: plan, backupPath: nil, lostReferenceCount: run.lostReferenceCount))
    }
  }

  /// Writes the new store to its own path.
  private func writing(
    _ output: String, _ plan: MigrationPlan, _ opened: Opened, _ places: StorePlaces
  ) throws -> MigrationReport {
    let run = try MigrationRun(self, plan, opened, writing: output, replacing: false, in: places)
    return try taking(run) { run in
      try places.put(checked(run.finish()), inPlaceOf: output, overwriting: false)
      return MigrationReport(
        plan: plan, backupPath: nil, lostReferenceCount: run.lostReferenceCount)
    }
  }
}

// MARK: - For coordinators

extension Migrator: StoreMigrator {
  /// Migrates a store to the model of the coordinator that opens it.
  public func migrateStore(
    at path: String, type: StoreType?, to model: Model, configuration: String?,
    in places: StorePlaces
  ) throws {
    var migrator = self
    if let configuration {
      // Stores of a configuration contain only the configuration's entities.
      migrator.versions = versions.map { version in
        KnownVersion(
          version.name,
          (try? version.model.subset(configuration: configuration)) ?? version.model)
      }
    }
    try migrator.migrate(storeAt: path, to: model, as: type, in: places)
  }
}
