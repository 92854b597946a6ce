import DurableFiles
import ObjectModel
import Rows
public import StoreInterface

/// Reads objects from files as ``ObjectExport`` writes them, and puts them into a store.
///
///     let file = ImportFile(try disk.open("trips.jsonl", for: .read), name: "trips.jsonl", format: .jsonl)
///     let report = try ObjectImport(into: store, [file]).run()
///
/// The files are gone over twice: once for who there is and who leads where, and once for the values. Objects
/// lead to one another by what the files call them, forwards too, and to objects of the store by their
/// identifiers. Everything is checked that a context would check, and all is saved at once or nothing.
///
/// New objects become rows without ever being objects, some 40 bytes of memory each beside what is saved at once.
/// Where objects that are there must change, or values are derived, a context does it.
public struct ObjectImport {
  let store: any Store
  let files: [ImportFile]
  /// How it is done.
  public var options = Options()

  /// How objects are imported.
  public struct Options: Sendable, Hashable {
    /// Whether an object with the unique values of one that is there changes that one.
    public var updates = false
    /// Whether an object that is called as one that is there changes that one.
    public var updatesSameIdentifiers = false
    /// How many objects are saved at a time; `nil` for all at once.
    public var batchSize: Int?
    /// Whether nothing is saved.
    public var isTrial = false
    /// Whether everything is checked before the store sets keys aside, so that a refused import writes
    /// nothing at all. It takes one more pass over the files. Small imports are always checked first.
    public var checksFirst = false
    /// Who the changes are said to be by.
    public var author: String?

    /// New objects, all at once.
    public init() {}
  }

  /// What was imported.
  public struct Report: Sendable, Hashable {
    /// How many objects are new.
    public var insertedCount = 0
    /// How many were there already, and were changed.
    public var updatedCount = 0
    /// How many objects the files have, changed or not.
    public var readCount = 0
  }

  /// An import into a store.
  public init(into store: any Store, _ files: [ImportFile]) {
    self.store = store
    self.files = files
  }

  /// Imports.
  ///
  /// - Parameter progress: Is told now and then which share of the work is done. What it throws ends the import.
  /// - Throws: ``ImportError`` that names what is wrong in which line; `StoreError`; `ContextError`. Nothing was
  ///   saved then, but for the batches before when ``Options/batchSize`` is set and the disk failed.
  public func run(_ progress: (Double) throws -> Void = { _ in }) throws -> Report {
    let base = try store.snapshot()
    let total = try Double(max(1, files.reduce(0) { try $0 + $1.file.byteCount() }))
    let hasBatches = options.batchSize != nil && store.capabilities.contains(.incremental)
    var passCount = 2.0
    func show(_ pass: Double, _ bytes: Int) throws {
      try progress(min(1, (pass + Double(bytes) / total) / passCount))
    }
    let plan = try ImportPlan(base)
    let survey = ImportSurvey(plan, options)
    let problems = ImportProblems()
    try survey.run(files, problems) { try show(0, $0) }
    if !problems.isEmpty {
      // The values are looked at all the same, so that everything that is wrong is said at once.
      _ = try trial(plan, survey, base, problems, show)
      throw problems.error
    }
    let checksFirst =
      hasBatches || options.checksFirst || survey.numbers.count <= ObjectImport.smallCount
    if checksFirst, !options.isTrial { passCount = 3 }
    var report = try run(
      plan, survey, base, hasBatches, checksFirst, passCount, problems, show)
    report.readCount = survey.numbers.count
    return report
  }

  /// So many objects are checked in no time that anybody notices.
  private static let smallCount = 10_000

  /// Whether objects that are there change, or values are derived, so that a context has to do it.
  private func needsContext(_ plan: ImportPlan, _ survey: ImportSurvey) -> Bool {
    survey.needsObjects || options.updates || options.updatesSameIdentifiers
      || plan.needsContext
  }

  /// Takes the second pass without saving anything.
  private func trial(
    _ plan: ImportPlan, _ survey: ImportSurvey, _ base: any StoreSnapshot,
    _ problems: ImportProblems, _ show: (Double, Int) throws -> Void
  ) throws -> Report {
    if needsContext(plan, survey) {
      return try EditingImport(
        TrialStore(store), base, plan, survey, options, isTrial: true, problems
      ).run(files) { try show(1, $0) }
    }
    return try RowImport(
      store, base, plan, survey, batchSize: 4096, isTrial: true, nil, problems
    ).run(files) { try show(1, $0) }
  }

  /// Takes the second pass, and a third where everything is checked first.
  private func run(
    _ plan: ImportPlan, _ survey: ImportSurvey, _ base: any StoreSnapshot, _ hasBatches: Bool,
    _ checksFirst: Bool, _ passCount: Double, _ problems: ImportProblems,
    _ show: (Double, Int) throws -> Void
  ) throws -> Report {
    if checksFirst || options.isTrial {
      // What is wrong is found before anything is written.
      let report = try trial(plan, survey, base, problems, show)
      if options.isTrial { return report }
    }
    if needsContext(plan, survey) {
      return try EditingImport(store, base, plan, survey, options, isTrial: false, problems)
        .run(files) { try show(passCount - 1, $0) }
    }
    let rows = try RowImport(
      store, base, plan, survey, batchSize: hasBatches ? options.batchSize : nil, isTrial: false,
      options.author, problems)
    return try rows.run(files) { try show(passCount - 1, $0) }
  }
}

/// What the names in the files stand for.
final class ImportPlan {
  let model: Model
  let schema: Schema
  let view: View
  private var entities: [String: ImportedEntity] = [:]
  /// How many objects were read from files, as often as they were.
  var readingCount = 0
  /// Whether values follow from other values, or predicates are asked of whole objects.
  let needsContext: Bool

  init(_ snapshot: any StoreSnapshot) throws {
    model = try snapshot.model
    schema = snapshot.schema
    view = snapshot.view
    needsContext = model.entities.contains { entity in
      entity.declaredAttributes.contains {
        $0.derivation != nil || ($0.type == .composite && !$0.validation.predicates.isEmpty)
      } || entity.declaredRelationships.contains { !$0.validationPredicates.isEmpty }
    }
  }

  /// An entity that objects of the files are of.
  func knownEntity(_ name: String) -> ImportedEntity? { entities[name] }

  /// The entity of an object of a file.
  ///
  /// - Throws: ``ImportProblem`` when there is none, or it has no objects.
  func entity(of record: RecordReader) throws -> ImportedEntity {
    guard let name = record.entity ?? record.file.entity else {
      throw record.problem(
        FieldName.entity, "The object does not say its entity, and nothing else does.")
    }
    if let known = entities[name] { return known }
    guard let entity = model[name], let layout = schema[name] else {
      throw record.problem(
        FieldName.entity,
        "There is no entity '\(name)'." + suggestion(name, model.entities.map(\.name)))
    }
    guard !entity.isAbstract else {
      throw record.problem(
        FieldName.entity, "'\(name)' is abstract and has no objects of its own.")
    }
    let made = ImportedEntity(entity, layout, model: model, schema: schema)
    entities[name] = made
    return made
  }

  /// What a name stands for.
  ///
  /// - Throws: ``ImportProblem`` when it stands for nothing that can be set.
  func target(
    _ name: String, of entity: ImportedEntity, _ record: RecordReader
  ) throws -> ImportTarget {
    guard let target = entity[name] else {
      throw record.problem(
        name,
        "'\(entity.entity.name)' has no such property." + suggestion(name, entity.names))
    }
    if case .refused(let reason) = target.kind { throw record.problem(name, reason) }
    return target
  }

  private func suggestion(_ word: String, _ known: [String]) -> String {
    var suggestion = NameSuggestion()
    return suggestion.nearest(to: word, among: known).map { " Did you mean '\($0)'?" } ?? ""
  }
}
