import Foundation
public import ObjectGraph
public import ObjectModel
import Rows
public import StoreInterface

extension Migrator {
  /// Brings a store to a version of its model.
  ///
  /// Nobody else can save to it meanwhile. Objects keep their identifiers where no written mapping makes them
  /// anew and the store keeps its type.
  ///
  /// - Parameters:
  ///   - target: The version that is wanted.
  ///   - type: The type that the store is to be of; its own when it is `nil`.
  ///   - output: Where the new store is written, while the old one stays as it is; in its place when it is
  ///     `nil`.
  /// - Throws: ``MigrationError``; `StoreError`; what a policy, a handler or ``progress`` throws. The store is
  ///   as it was then.
  @discardableResult
  public func migrate(
    storeAt path: String, to target: Model, as type: StoreType? = nil, output: String? = nil,
    in places: StorePlaces
  ) throws -> MigrationReport {
    var attempts = 0
    while true {
      do {
        return try migrateOnce(path, target, type, output, places)
      } catch let error as StoreError where attempts < 8 {
        // Somebody saved between what was looked at and the commit, or put a migrated store in the place.
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
      if try places.exists(output) {
        throw StoreError(.exists, "There is a file or a folder at the path already.", path: output)
      }
      try checkLoss(plan)
      return try writing(output, plan, opened, places)
    }
    if plan.isEmpty { return MigrationReport(plan: plan, backupPath: nil, lostReferenceCount: 0) }
    try checkLoss(plan)
    let backup = try backupPath(path, plan, places)
    // The store as it was is kept until the new one is there: nobody may save into it meanwhile.
    let report = try opened.store.holding(commit: opened.snapshot.commit) {
      try replacing(path, plan, opened, backup, places)
    }
    if let report { return report }
    do { try commit(plan, opened) } catch {
      // It is a copy of what is still there.
      if let backup { try? places.destroy(backup) }
      // A database of another system takes no other model: one of ours takes its place.
      guard writesForeign, let refusal = error as? StoreError, refusal.code == .incompatibleModel,
        let report = try opened.store.holding(
          commit: opened.snapshot.commit,
          { try replacing(path, plan, opened, backup, places, writesRows: true) })
      else { throw error }
      return report
    }
    return MigrationReport(plan: plan, backupPath: backup, lostReferenceCount: 0)
  }

  /// Throws if the migration would drop something and the caller has not allowed that.
  private func checkLoss(_ plan: MigrationPlan) throws {
    guard !allowsLoss, !plan.drops.isEmpty else { return }
    throw MigrationError(
      .wouldLose,
      "The migration from \"\(plan.from.name)\" to \"\(plan.to.name)\" would drop:\n"
        + plan.drops.map { "  \($0)" }.joined(separator: "\n")
        + "\nNothing was written. Allow the loss (allowsLoss, or --allow-loss), or give a written mapping."
    )
  }

  /// Where the store is to be kept as it was.
  private func backupPath(
    _ path: String, _ plan: MigrationPlan, _ places: StorePlaces
  ) throws -> String? {
    switch writesForeign && backup == .none ? .beside : backup {
    case .none: return nil
    case .at(let wanted):
      if try places.exists(wanted) {
        throw StoreError(
          .exists, "There is something already where the backup is to be.", path: wanted)
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

  /// Writes the new store beside the old one and puts it in its place.
  ///
  /// - Parameter writesRows: Whether all rows are written, also if the steps need no row written.
  /// - Returns: `nil` when no row has to be written: the store only needs to be told of the model then.
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

  /// The path of a new store, after it was looked at.
  private func checked(_ path: String) throws -> String {
    try checksResult?(path)
    return path
  }

  /// Takes all steps and hands on what came of them. Nothing is left lying about when that fails.
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

  /// Tells a store whose rows stay as they are that it is of another model.
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

  /// What brings a store of a document to a version.
  package enum DocumentMigration {
    /// The store commits this.
    case commit(CommitRequest)
    /// The store is replaced by one that was written at the given path.
    case replacement(MigrationReport)
  }

  /// Brings what a store of a document shows to a version of its model. Nothing changes in the store.
  ///
  /// - Parameter output: Where another store is written, if the rows can't stay as they are.
  /// - Returns: `nil` when the store is of the version already.
  /// - Throws: As ``migrate(storeAt:to:as:output:in:)``.
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

  /// Writes the new store to a place of its own.
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
  /// Brings a store that a coordinator is given to its model.
  public func migrateStore(
    at path: String, type: StoreType?, to model: Model, configuration: String?,
    in places: StorePlaces
  ) throws {
    var migrator = self
    if let configuration {
      // Stores of a configuration have its entities only.
      migrator.versions = versions.map { version in
        KnownVersion(
          version.name,
          (try? version.model.subset(configuration: configuration)) ?? version.model)
      }
    }
    try migrator.migrate(storeAt: path, to: model, as: type, in: places)
  }
}
