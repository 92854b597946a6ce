import ObjectGraph
public import ObjectModel
import Rows
public import StoreInterface

extension Migrator {
  /// Returns the plan of a migration. Nothing is written.
  ///
  /// - Parameters:
  ///   - target: The wanted version.
  ///   - type: The wanted type of the store; `nil` to keep the type.
  /// - Throws: ``MigrationError``, or `StoreError` if the store can't be read.
  public func plan(
    forStoreAt path: String, to target: Model, as type: StoreType? = nil, in places: StorePlaces
  ) throws -> MigrationPlan {
    let opened = try open(path, readOnly: true, in: places)
    defer { try? opened.store.close() }
    return try plan(for: opened, to: target, as: type, counting: true)
  }

  /// An open store that is to be migrated, with its snapshot and version.
  struct Opened {
    let store: any Store
    let snapshot: any StoreSnapshot
    let type: StoreType
    /// The version that the store was written with.
    let version: KnownVersion

    init(_ store: any Store, knowing versions: [KnownVersion]) throws {
      self.store = store
      snapshot = try store.snapshot()
      type = store.type
      let model = try snapshot.model
      let own = KnownVersion(
        model.description.versionIdentifiers.first ?? KnownVersion.nameOfStore, model)
      let known = versions.first { $0.isSame(as: own) }
      version = KnownVersion(known?.name ?? own.name, model)
    }
  }

  /// Opens a store. If the store does not contain its model, the model of a known version is used.
  func open(_ path: String, readOnly: Bool, in places: StorePlaces) throws -> Opened {
    let backend = try places.backend(ofStoreAt: path)
    let store: any Store
    do {
      store = try places.open(
        path, type: backend.type,
        StoreOpening(readOnly: readOnly, writesForeign: writesForeign && !readOnly))
    } catch let error as StoreError where error.code == .incompatibleModel {
      guard let hashes = try places.metadata(at: path, type: backend.type).versionHashes else {
        throw error
      }
      guard let version = versions.version(of: hashes) else { throw unknown(hashes, path) }
      store = try places.open(
        path, type: backend.type,
        StoreOpening(
          readOnly: readOnly, model: version.model, writesForeign: writesForeign && !readOnly))
    }
    do { return try Opened(store, knowing: versions) } catch {
      try? store.close()
      throw error
    }
  }

  private func unknown(_ hashes: [String: VersionHash], _ path: String) -> MigrationError {
    var message = """
      The store at "\(path)" does not contain its model, and its version hashes match no known version.
      """
    if versions.isEmpty { message += " No versions are known." }
    for version in versions {
      message += "\n  \"\(version.name)\": \(version.model.differences(from: hashes))"
    }
    return MigrationError(.noPath, message)
  }

  /// Returns the steps from one version to another.
  func steps(
    from start: KnownVersion, to target: KnownVersion
  ) throws(MigrationError) -> [MigrationStep] {
    if !stages.isEmpty {
      let chain = try StageChain(stages, to: target.model, infers: infersMappings)
      if start.isSame(as: target) { return try changeWithinVersion(from: start, to: target) }
      guard let links = chain.links(from: start) else {
        let names = stages.flatMap(\.versions).map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw MigrationError(
          .noPath,
          "No stage begins with \"\(start.name)\", the store's version. The stages have: \(names)."
        )
      }
      var steps: [MigrationStep] = []
      for link in links {
        let means: MigrationStep.Means
        if let written = mappings.first(where: {
          link.from.isSame(as: $0.source) && link.to.isSame(as: $0.destination)
        }) {
          means = .written(written)
        } else {
          means = try link.inferred()
        }
        steps.append(
          MigrationStep(
            from: link.from, to: link.to, means: means, before: link.before, after: link.after))
      }
      return steps
    }
    if start.isSame(as: target) { return try changeWithinVersion(from: start, to: target) }
    // Without written mappings no path is better than one inferred step, so other versions are not searched.
    if mappings.isEmpty, infersMappings,
      let direct = try? InferredMapping(from: start.model, to: target.model)
    {
      return [MigrationStep(from: start, to: target, means: .inferred(direct))]
    }
    // The store's version is the oldest and the wanted version the newest, unless `versions` orders them differently.
    var known: [KnownVersion] = versions.contains { $0.isSame(as: start) } ? [] : [start]
    let mapped = mappings.flatMap { mapping in
      [mapping.source, mapping.destination].map {
        KnownVersion($0.description.versionIdentifiers.first ?? "a mapping's version", $0)
      }
    }
    for version in versions + mapped + [target] where known.position(of: version) == nil {
      known.append(version)
    }
    return try MigrationPath(known, mappings, infers: infersMappings).steps(from: start, to: target)
  }

  /// Returns the step between two models with the same version hashes. The hashes do not include rules, default values,
  /// indexes and the like.
  private func changeWithinVersion(
    from start: KnownVersion, to target: KnownVersion
  ) throws(MigrationError) -> [MigrationStep] {
    if ModelDifference(from: start.model, to: target.model).isEmpty { return [] }
    let mapping = try InferredMapping(from: start.model, to: target.model)
    return [MigrationStep(from: start, to: target, means: .inferred(mapping))]
  }

  /// Throws an error if a mapping names a policy that the program does not have.
  private func requirePolicies(of mapping: MappingModel) throws(MigrationError) {
    for part in mapping.entityMappings {
      guard let name = part.policyName, policies[name] == nil else { continue }
      throw MigrationError.missingPolicy(name, of: part, among: policies.keys.sorted())
    }
  }

  /// Returns the plan for an open store.
  ///
  /// - Parameter counting: Whether objects are counted, for which all blocks are visited.
  func plan(
    for opened: Opened, to model: Model, as type: StoreType?, counting: Bool
  ) throws -> MigrationPlan {
    let target = KnownVersion(
      versions.first { $0.isSame(as: model) }?.name
        ?? model.description.versionIdentifiers.first ?? "the new model", model)
    let steps = try steps(from: opened.version, to: target)
    var rewritings: [String] = []
    var losses: [MigrationProblem] = []
    var schema = opened.snapshot.schema
    var before = try opened.snapshot.model
    var lineage = Lineage(before)
    var preview: (any StoreSnapshot)? = opened.snapshot
    var violations: [ValidationFailure] = []
    var leftOut: [MigrationDrop] = []
    var conflicts: [ConstraintConflict] = []
    var joinDrops: [MigrationDrop] = []
    for step in steps {
      let former = lineage
      lineage = lineage.following(step.means)
      if step.hasHandlers {
        preview = nil
        rewritings.append(
          "handlers of the program run for \"\(step.from.name)\" or \"\(step.to.name)\"")
      }
      switch step.means {
      case .inferred(let mapping):
        losses += mapping.losses
        let evolved = try Schema(step.to.model, evolving: schema, of: before)
        let transfer = RowTransfer(mapping, from: schema, to: evolved)
        let reasons = transfer.rewritings
        // After a step that writes rows again, the preview lacks the references that the step computes.
        if let shown = preview, rewritings.isEmpty, !reasons.isEmpty, counting || !allowsLoss {
          let (origins, drops) = try transfer.origins(reading: shown)
          joinDrops += former.named(drops)
          if counting {
            let check = try InferredChecks(mapping, all: false).check(
              before: shown, writing: origins, of: opened.store.tag)
            violations += check.failures
            conflicts += check.conflicts
          }
        }
        rewritings += reasons
        schema = evolved
        if let shown = preview {
          let next = EvolvedSnapshot(shown, step.to.model, evolved)
          let check = try InferredChecks(mapping, all: false).check(
            next, of: opened.store.tag, valuesOnly: !reasons.isEmpty)
          violations += check.failures
          conflicts += check.conflicts
          preview = next
        }
      case .written(let mapping):
        try requirePolicies(of: mapping)
        try mapping.checkExpressions()
        if counting || !allowsLoss, let shown = preview {
          leftOut += try mapping.leftOut(of: shown)
        }
        if counting, let shown = preview {
          violations += try mapping.violations(in: shown, of: opened.store.tag)
        }
        preview = nil
        rewritings.append("a written mapping creates the objects of \"\(step.to.name)\"")
        losses += mapping.entityMappings.filter { $0.kind == .remove }.map {
          MigrationProblem($0.sourceEntity ?? "", nil, "is removed with its objects")
        }
        schema = try Schema(step.to.model)
      }
      before = step.to.model
    }
    if let type, type != opened.type {
      rewritings.append("the type of the store changes to \(type.rawValue)")
    }
    var counts: [(entity: String, count: Int)] = []
    for layout in counting ? opened.snapshot.schema.layouts : [] {
      let count = try opened.snapshot.view.batches(of: layout).reduce(0) { $0 + $1.rowCount }
      if count > 0 { counts.append((layout.entity, count)) }
    }
    return MigrationPlan(
      from: opened.version, to: target, steps: steps, type: (opened.type, type ?? opened.type),
      objectCounts: counts, rewritings: rewritings, losses: losses,
      drops: counting || !allowsLoss
        ? try lineage.drops(from: opened.snapshot) + joinDrops + leftOut : [],
      violations: violations, constraintConflicts: conflicts,
      changesModelAlone: opened.store.features.changesModelAlone)
  }
}
