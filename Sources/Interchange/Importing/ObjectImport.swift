import DurableFiles
import ObjectModel
import Rows
package import StoreInterface
import TextMatching

/// Reads objects from files in the format of ``ObjectExport``, and saves them in a store.
///
///     let file = ImportFile(try disk.open("trips.jsonl", for: .read), name: "trips.jsonl", format: .jsonl)
///     let report = try ObjectImport(into: store, [file]).run()
///
/// The files are read twice: first for objects and their relationships, then for values. Objects refer to one another
/// by their identifiers in the files, also before the definition, and to stored objects by their identifiers in the
/// store. The import makes the same checks as a context, and saves all objects at once or none.
///
/// New objects are written directly as rows, and need about 40 bytes of memory each, plus the rows of one commit. If
/// existing objects may change, or values are derived, a context makes the changes instead.
public struct ObjectImport {
  let store: any Store
  let files: [ImportFile]
  /// The options of the import.
  package var options = Options()

  /// Options of an import.
  public struct Options: Sendable, Hashable {
    /// Whether an imported object changes the stored object with the same unique values.
    public var updates = false
    /// Whether an imported object changes the stored object with the same identifier.
    public var updatesSameIdentifiers = false
    /// Whether exported objects may refer to objects of this store that the files don't contain. In the store of the
    /// export, the same identifiers may name other objects.
    public var acceptsStoredReferences = false
    /// The number of objects in each commit; `nil` for a single commit. Used only if all objects are new, and the
    /// store has `StoreCapabilities.incremental`.
    public var batchSize: Int?
    /// Whether the import only checks the files and saves nothing.
    public var isTrial = false
    /// Whether everything is checked before the store reserves keys, so that a rejected import writes nothing. This
    /// check needs another pass over the files. Small imports are always checked first.
    public var checksFirst = false
    /// The author of the changes in the history.
    public var author: String?
    /// The author's message about the changes in the history.
    public var message: String?

    /// Creates options for an import of new objects in a single commit.
    public init() {}
  }

  /// The result of an import.
  public struct Report: Sendable, Hashable {
    /// The number of inserted objects.
    public var insertedCount = 0
    /// The number of stored objects that were changed, including objects whose reference changes because a list in the
    /// files contains them or leaves them out.
    public var updatedCount = 0
    /// The number of stored objects that the files contain with the same values.
    public var unchangedCount = 0
    /// The number of objects in the files, changed or not.
    public var readCount = 0
  }

  package init(into store: any Store, _ files: [ImportFile]) {
    self.store = store
    self.files = files
  }

  /// Reads the files and saves their objects.
  ///
  /// - Parameter progress: Called repeatedly with the fraction of the work that is done. If it throws, the import
  ///   ends.
  /// - Throws: ``ImportError`` that lists the problems and their lines; `StoreError`; `ContextError`. Nothing is
  ///   saved then, except earlier batches if ``Options/batchSize`` is set and the disk failed.
  package func run(_ progress: (Double) throws -> Void = { _ in }) throws -> Report {
    let base = try store.snapshot()
    let total = try Double(max(1, files.reduce(0) { try $0 + $1.file.byteCount() }))
    let hasBatches = options.batchSize != nil && store.features.isIncremental
    var passCount = 2.0
    func show(_ pass: Double, _ bytes: Int) throws {
      try progress(min(1, (pass + Double(bytes) / total) / passCount))
    }
    let plan = try ImportPlan(base, files)
    let survey = ImportSurvey(plan, options)
    let problems = ImportProblems()
    try survey.run(plan.files, problems) { try show(0, $0) }
    let given = files.reduce(into: Set<String>()) { $0.formUnion($1.names.given) }
    for name in given.subtracting(survey.usedNames).sorted() {
      problems.add(ImportProblem(line: 0, "No file has a table or a column '\(name)'."))
    }
    if !problems.isEmpty {
      // Check the values too, so that the error contains all problems at once.
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

  /// Checking this many objects takes no noticeable time.
  private static let smallCount = 10_000

  /// Whether a context must make the changes, because existing objects may change or values are derived.
  private func needsContext(_ plan: ImportPlan, _ survey: ImportSurvey) -> Bool {
    survey.needsObjects || options.updates || options.updatesSameIdentifiers
      || plan.needsContext
  }

  /// Makes the second pass without saving.
  private func trial(
    _ plan: ImportPlan, _ survey: ImportSurvey, _ base: any StoreSnapshot,
    _ problems: ImportProblems, _ show: (Double, Int) throws -> Void
  ) throws -> Report {
    if needsContext(plan, survey) {
      return try EditingImport(
        TrialStore(store), base, plan, survey, options, isTrial: true, problems
      ).run(plan.files) { try show(1, $0) }
    }
    return try RowImport(
      store, base, plan, survey, batchSize: 4096, isTrial: true, options, problems
    ).run(plan.files) { try show(1, $0) }
  }

  /// Makes the second pass, and a third if everything is checked first.
  private func run(
    _ plan: ImportPlan, _ survey: ImportSurvey, _ base: any StoreSnapshot, _ hasBatches: Bool,
    _ checksFirst: Bool, _ passCount: Double, _ problems: ImportProblems,
    _ show: (Double, Int) throws -> Void
  ) throws -> Report {
    if checksFirst || options.isTrial {
      // Find all problems before anything is written.
      let report = try trial(plan, survey, base, problems, show)
      if options.isTrial { return report }
    }
    if needsContext(plan, survey) {
      return try EditingImport(store, base, plan, survey, options, isTrial: false, problems)
        .run(plan.files) { try show(passCount - 1, $0) }
    }
    let rows = try RowImport(
      store, base, plan, survey, batchSize: hasBatches ? options.batchSize : nil, isTrial: false,
      options, problems)
    return try rows.run(plan.files) { try show(passCount - 1, $0) }
  }
}

/// The meanings of the names in the files.
final class ImportPlan {
  /// The files, with the meaning of their columns.
  let files: [ImportFile]
  /// The names that the files have for others in the model, as far as they have occurred.
  let usedNames: Set<String>
  /// The unique attributes by which the files refer to objects.
  let keys: Set<TableColumns.Key>
  let model: Model
  let schema: Schema
  let view: View
  private var entities: [String: ImportedEntity] = [:]
  /// The number of readings of objects so far. An object that is read twice counts twice.
  var readingCount = 0
  /// Whether a context must make the changes, because the model has derived attributes or predicates on whole
  /// objects.
  let needsContext: Bool

  init(_ snapshot: any StoreSnapshot, _ files: [ImportFile]) throws {
    model = try snapshot.model
    var columns = TableColumns(model)
    self.files = try columns.reading(files)
    keys = columns.keys
    usedNames = columns.usedNames
    schema = snapshot.schema
    view = snapshot.view
    needsContext = model.entities.contains { entity in
      entity.declaredAttributes.contains {
        $0.derivation != nil || ($0.type == .composite && !$0.validation.predicates.isEmpty)
      } || entity.declaredRelationships.contains { !$0.validationPredicates.isEmpty }
    }
  }

  /// Returns an entity that the files have used; `nil` if they have not.
  func knownEntity(_ name: String) -> ImportedEntity? { entities[name] }

  /// Returns the entity of an object in a file.
  ///
  /// - Throws: ``ImportProblem`` if the entity does not exist, or it is abstract.
  func entity(of record: RecordReader) throws -> ImportedEntity {
    guard let name = record.entity ?? record.file.entity else {
      var problem = record.problem(
        FieldName.entity, "The object names no entity, and no entity is given for the file.")
      problem.lacksEntity = true
      throw problem
    }
    if let known = entities[name] { return known }
    guard let entity = model[name], let layout = schema[name] else {
      throw record.problem(
        unknown: FieldName.entity,
        "The entity '\(name)' does not exist." + suggestion(name, model.entities.map(\.name)))
    }
    guard !entity.isAbstract else {
      throw record.problem(
        FieldName.entity, "The entity '\(name)' is abstract, so it has no objects.")
    }
    let made = ImportedEntity(entity, layout, model: model, schema: schema)
    entities[name] = made
    return made
  }

  /// Returns the meaning of a name.
  ///
  /// - Parameter place: The place of the field in its object; `nil` for the part of a composite attribute.
  /// - Throws: ``ImportProblem`` if the name is unknown, or names a property that can't be set.
  func target(
    _ name: String, at place: Int? = nil, of entity: ImportedEntity, _ record: RecordReader
  ) throws -> ImportTarget {
    let found = if let place { entity.target(name, at: place) } else { entity[name] }
    guard let target = found else {
      throw record.problem(
        unknown: name,
        "'\(entity.entity.name)' has no property with this name." + suggestion(name, entity.names))
    }
    if case .refused(let reason) = target.kind { throw record.problem(name, reason) }
    return target
  }

  private func suggestion(_ word: String, _ known: [String]) -> String {
    var suggestion = NameSuggestion()
    return suggestion.nearest(to: word, among: known).map { " Did you mean '\($0)'?" } ?? ""
  }
}
