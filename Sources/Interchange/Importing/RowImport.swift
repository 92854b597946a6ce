import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

/// The second pass over the files, for imports of new objects only. Each object becomes a row.
final class RowImport {
  private let store: any Store
  private let plan: ImportPlan
  private let survey: ImportSurvey
  private let batchSize: Int?
  private let isTrial: Bool
  private let origin: (author: String?, message: String?)
  private var base: any StoreSnapshot
  private let unique: UniqueValues
  /// The number of the first new object of each entity.
  private var firstNumbers: [UInt16: UInt64] = [:]
  private var pending: [UInt16: PendingRows] = [:]
  private var pendingCount = 0
  /// The number of objects of each entity that have become rows.
  private var done: [UInt16: UInt64] = [:]
  /// The number of references to each object of the files, for relationships that limit this number.
  private var totals: [ReferenceSlot: [UInt32]] = [:]
  private let problems: ImportProblems

  private struct PendingRows {
    let layout: Layout
    var draft: Draft
    var byteCount = 0
    var blocks: [Block] = []

    init(_ layout: Layout) {
      self.layout = layout
      draft = Draft(layout, role: .insertions)
    }

    var isFull: Bool { draft.isFull || byteCount > 4 << 20 }

    /// Makes blocks of the pending rows, or discards the rows.
    mutating func close(keeping: Bool) {
      if keeping {
        var writer = BlockWriter()
        blocks += Draft.freeze([draft], version: nil, &writer)
      }
      draft = Draft(layout, role: .insertions)
      byteCount = 0
    }
  }

  init(
    _ store: any Store, _ base: any StoreSnapshot, _ plan: ImportPlan, _ survey: ImportSurvey,
    batchSize: Int?, isTrial: Bool, _ options: ObjectImport.Options, _ problems: ImportProblems
  ) throws {
    self.store = store
    self.plan = plan
    self.survey = survey
    self.batchSize = batchSize
    self.isTrial = isTrial
    origin = (options.author, options.message)
    self.problems = problems
    var counts = survey.counts
    for (number, statements) in survey.links { counts[number] = statements.links.count }
    for (number, count) in counts where count > 0 {
      // A trial reserves no keys. It uses numbers that no stored object will have.
      firstNumbers[number] =
        isTrial
        ? StoreLanes.firstTrialNumber
        : try store.leaseKeys(ofEntity: number, count: count).lowerBound
    }
    self.base = try store.snapshot()
    guard self.base.commit == base.commit else {
      throw StoreError(
        .overtaken, "Another process saved while the files were read.", path: store.path)
    }
    unique = try UniqueValues(plan.model, plan.schema, base.view)
  }

  /// Imports the objects, or only looks for problems if this is a trial.
  ///
  /// - Throws: ``ImportError`` with all problems, including those of the survey that has read the files before.
  func run(_ files: [ImportFile], _ progress: (Int) throws -> Void) throws
    -> ObjectImport.Report
  {
    try survey.forEachObject(
      of: files, problems, progress: progress,
      afterEach: {
        if let batchSize, pendingCount >= batchSize, problems.isEmpty { try commit() }
      }, add)
    // After a problem, objects are missing in the lists, so the counts would be wrong.
    if problems.isEmpty { try checkCounts() }
    try problems.check()
    if !isTrial {
      for (_, statements) in survey.links.sorted(by: { $0.key < $1.key }) { try add(statements) }
      try commit()
    }
    return ObjectImport.Report(insertedCount: survey.numbers.count)
  }

  // MARK: - Objects

  private func add(_ record: RecordReader, _ ordinal: Int) throws {
    let entity = try plan.entity(of: record)
    let number = entity.layout.entityNumber
    guard let first = firstNumbers[number],
      survey.counts[number, default: 0] > done[number, default: 0]
    else { throw ImportSurvey.changed(record.file) }
    let key = ObjectKey(entity: number, number: first + done[number, default: 0])
    done[number, default: 0] += 1
    if pending[number]?.isFull ?? false { pending[number]!.close(keeping: !isTrial) }
    pending[number, default: PendingRows(entity.layout)].byteCount += record.byteCount
    let draft = pending[number]!.draft
    pendingCount += 1
    let row = draft.append(key: key.number)
    for (column, value) in entity.initialValues { draft.set(value, column: column, row: row) }
    // The target of each to-one relationship that the object states itself; -1 for a null value.
    var given = [Int?](repeating: nil, count: entity.references.count)
    let reading = FieldReading(plan, record, entity)
    var faulty = try reading.forEach(problems) { _, column, value in
      draft.set(value, column: column, row: row)
    } toOne: { target, end, identifier in
      given[end.index] =
        try identifier.map { try survey.object($0, end.destinations, target.name, record) } ?? -1
    } toMany: { target, end, identifiers in
      for identifier in identifiers {
        try problems.collect {
          _ = try survey.object(identifier, end.destinations, target.name, record)
        }
      }
    }
    let own = Int(survey.numbers[ordinal])
    func isFaulty(_ path: String) -> Bool {
      !faulty.isEmpty && entity[path].map { faulty.contains($0.position) } ?? false
    }
    for (name, end) in entity.references where !isFaulty(name) {
      let isSound = try problems.collect {
        try lead(end, name, of: own, given[end.index], draft, row, record)
      }
      if !isSound, let target = entity[name] { faulty.insert(target.position) }
    }
    for (column, path) in entity.required
    where (draft.value(column: column, row: row)?.isNull ?? true) && !isFaulty(path) {
      problems.add(record.problem(path, "The property must have a value, but has none."))
    }
    if !unique.isEmpty, faulty.isEmpty,
      let found = unique.add(key, value: { draft.value(column: $0, row: row) ?? .null })
    {
      // New objects have no permanent identifier, because a refused import saves nothing.
      let isStored = found.other.number < firstNumbers[found.other.entity] ?? .max
      var problem = record.problem(
        found.constraint.names.joined(separator: ", "),
        UniqueValues.reason(
          isStored ? "'\(ValueText.text(found.other))'" : "an earlier object of the files",
          isStored: isStored))
      problem.conflict = ConstraintConflict(
        entity: found.constraint.entity, constraint: found.constraint.names,
        values: found.values,
        storedObject: isStored ? ObjectID(store: store.tag, key: found.other) : nil,
        conflictingObjects: [])
      throw problem
    }
  }

  /// Returns the key that an object has in the store.
  private func key(of number: Int) -> ObjectKey? {
    guard let key = survey.identifiers.key(number), !survey.identifiers.isThere(number) else {
      return survey.identifiers.key(number)
    }
    return firstNumbers[key.entity].map {
      ObjectKey(entity: key.entity, number: $0 + key.number - 1)
    }
  }

  /// Sets a to-one reference, stated by the object itself or from the end of its inverse.
  private func lead(
    _ end: ImportTarget.ToOne, _ name: String, of own: Int, _ given: Int?, _ draft: Draft,
    _ row: Int, _ record: RecordReader
  ) throws {
    let said = survey.references[end.slot]?.owner(of: own)
    if let said, let given, given != said.owner {
      let other = survey.identifiers.text(said.owner)
      throw record.problem(
        name,
        "The relationship refers to "
          + "\(given < 0 ? "no object" : "'\(survey.identifiers.text(given))'"), but '\(other)' refers "
          + "to this object by the inverse.")
    }
    guard let other = said?.owner ?? given, other >= 0, let key = key(of: other) else { return }
    guard end.destinations.contains(key.entity) else {
      throw record.problem(
        name,
        "The relationship can't refer to '\(survey.identifiers.text(other))', which refers to this object."
      )
    }
    draft.setReference(key, column: end.column, row: row)
    if let order = end.order {
      let place =
        said?.place
        ?? survey.references[end.slot, default: ReferenceStatements(isOrdered: true)]
        .nextPlace(at: other, of: survey.identifiers.count)
      draft.setInteger(Int64(place), column: order, row: row)
    }
    guard end.isInverseCounted, other < survey.identifiers.count else { return }
    var counts =
      totals.removeValue(forKey: end.slot)
      ?? Array(repeating: 0, count: survey.identifiers.count)
    counts[other] += 1
    totals[end.slot] = counts
  }

  // MARK: - Relationships to many

  /// Checks the number of members of each to-many relationship that limits it.
  private func checkCounts() throws {
    for (_, statements) in survey.links {
      var forward: [UInt32: UInt32] = [:]
      var backward: [UInt32: UInt32] = [:]
      for link in statements.links {
        forward[link.source, default: 0] += 1
        if !statements.table.isSymmetric {
          backward[link.target, default: 0] += 1
        } else if link.source != link.target {
          forward[link.target, default: 0] += 1
        }
      }
      linkTotals[statements.table.layout.entityNumber] = (forward, backward)
    }
    for number in survey.numbers {
      guard let key = survey.identifiers.key(Int(number)),
        let layout = plan.schema[key.entity], let entity = plan.knownEntity(layout.entity)
      else { continue }
      for target in entity.counted {
        guard case .toMany(let end) = target.kind else { continue }
        let count: Int
        switch end.place {
        case .references(let slot): count = Int(totals[slot]?[Int(number)] ?? 0)
        case .links(let side, _):
          let both = linkTotals[side.table.layout.entityNumber]
          count = Int((side.isForward ? both?.forward : both?.backward)?[number] ?? 0)
        }
        if let reason = end.problem(withCount: count) {
          let identifier = survey.identifiers.text(Int(number))
          problems.add(
            ImportProblem(
              line: 0, property: "\(layout.entity).\(target.name)",
              (identifier.isEmpty ? "An object" : "'\(identifier)'") + reason))
        }
      }
    }
    linkTotals = [:]
  }
  private var linkTotals: [UInt16: (forward: [UInt32: UInt32], backward: [UInt32: UInt32])] = [:]

  private func add(_ statements: LinkStatements) throws {
    let layout = statements.table.layout
    guard let first = firstNumbers[layout.entityNumber] else { return }
    let columns = [
      LinkTable.Column.source, LinkTable.Column.target, LinkTable.Column.targetOrder,
      LinkTable.Column.sourceOrder,
    ].map { layout.index(ofNumber: $0) }
    for (index, link) in statements.links.enumerated() {
      guard let source = key(of: Int(link.source)), let target = key(of: Int(link.target)) else {
        continue
      }
      if pending[layout.entityNumber]?.isFull ?? false {
        pending[layout.entityNumber]!.close(keeping: true)
      }
      // A link takes two keys and two places.
      pending[layout.entityNumber, default: PendingRows(layout)].byteCount += 32
      let draft = pending[layout.entityNumber]!.draft
      let row = draft.append(key: first + UInt64(index))
      pendingCount += 1
      draft.setReference(source, column: columns[0]!, row: row)
      draft.setReference(target, column: columns[1]!, row: row)
      for (column, place) in [(columns[2], link.targetPlace), (columns[3], link.sourcePlace)] {
        guard let column, place > 0 else { continue }
        draft.setInteger(Int64(place) - 1, column: column, row: row)
      }
      if let batchSize, pendingCount >= batchSize { try commit() }
    }
  }

  // MARK: - Saving

  private func commit() throws {
    var changes: [Layer.EntityChanges] = []
    for number in pending.keys {
      pending[number]!.close(keeping: !isTrial)
      changes.append(
        Layer.EntityChanges(entityNumber: number, put: BlockRun(pending[number]!.blocks)))
      pending[number]!.blocks = []
    }
    pendingCount = 0
    if isTrial { return }
    var request = CommitRequest(Layer(changes), basedOn: base)
    // Unique values and references were checked against this commit.
    request.requiredCommit = base.commit
    (request.author, request.message) = origin
    base = try store.commit(request)
  }
}

extension ImportTarget.ToMany {
  /// Returns the problem with the given number of members, as the end of a sentence; `nil` if the number is allowed.
  func problem(withCount count: Int) -> String? {
    switch relationship.problem(withCount: count) {
    case nil: nil
    case .tooFew(let least): " refers to \(count) objects, and must refer to at least \(least)."
    case .tooMany(let most): " refers to \(count) objects, and may refer to at most \(most)."
    }
  }
}
