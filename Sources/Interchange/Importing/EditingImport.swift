import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

/// The second walk over the files, where objects that are there may change: a context does it, so that
/// inverses, derived values and validation are what they are for a program.
final class EditingImport {
  private let plan: ImportPlan
  private let survey: ImportSurvey
  private let options: ObjectImport.Options
  private let isTrial: Bool
  private let context: ManagedObjectContext
  private let tag: StoreTag
  private let unique: UniqueValues?
  /// The objects of the files, by their numbers.
  private var objects: [Int: ManagedObject] = [:]
  private var places: [ObjectID: (file: String, line: Int)] = [:]
  private var existing: Set<ManagedObject> = []
  private var problems: [ImportProblem] = []
  private var report = ObjectImport.Report()

  init(
    _ store: any Store, _ base: any StoreSnapshot, _ plan: ImportPlan, _ survey: ImportSurvey,
    _ options: ObjectImport.Options, isTrial: Bool
  ) throws {
    self.isTrial = isTrial
    self.plan = plan
    self.survey = survey
    self.options = options
    tag = store.tag
    unique = options.updates ? try UniqueValues(plan.model, plan.schema, base.view) : nil
    let coordinator = PersistentStoreCoordinator(model: plan.model)
    try coordinator.add(store)
    context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = options.author
  }

  func run(
    _ files: [ImportFile], _ progress: (Int) throws -> Void
  ) throws -> ObjectImport.Report {
    try walk(files, progress: progress) { record, ordinal in try setAttributes(record, ordinal) }
    // What is there gets its lists first, which are all that it leads to; then what is new adds its own.
    for step in Step.allCases {
      try walk(files) { record, ordinal in try lead(record, ordinal, step) }
    }
    do {
      if isTrial { try context.validateChanges() } else { try context.save() }
    } catch let error as ContextError {
      try throwProblems(of: error)
      throw error
    }
    return report
  }

  private func walk(
    _ files: [ImportFile], progress: (Int) throws -> Void = { _ in },
    _ body: (RecordReader, Int) throws -> Void
  ) throws {
    var ordinal = 0
    var before = 0
    for file in files {
      let record = RecordReader(file)
      while try record.next() {
        guard ordinal < survey.numbers.count else {
          throw ImportError(problems: [record.problem(nil, "The file was changed meanwhile.")])
        }
        do { try body(record, ordinal) } catch let problem as ImportProblem {
          problems.append(problem)
          if problems.count == ImportError.mostProblems { throw ImportError(problems: problems) }
        }
        ordinal += 1
        if ordinal % 1024 == 0 { try progress(before + record.offset) }
      }
      before += record.offset
    }
    guard problems.isEmpty else { throw ImportError(problems: problems) }
  }

  /// Throws the failures and the conflicts of a save as problems of lines, if there are any.
  private func throwProblems(of error: ContextError) throws {
    let failures = error.failures.map { problem($0.object, $0.key, $0.message) }
    let conflicts = error.constraintConflicts.flatMap { conflict in
      conflict.conflictingObjects.map { object in
        let other = conflict.storedObject ?? conflict.conflictingObjects.first { $0 != object }
        var problem = problem(
          object, conflict.constraint.joined(separator: ", "),
          UniqueValues.reason(other.map { name($0) } ?? "another object"))
        problem.conflict = conflict
        return problem
      }
    }
    let problems = failures + conflicts
    guard !problems.isEmpty else { return }
    throw ImportError(problems: Array(problems.prefix(ImportError.mostProblems)))
  }

  /// An object as messages name it: by its line, or by its identifier in the store.
  private func name(_ object: ObjectID) -> String {
    guard let place = places[object], !existing.contains(where: { $0.objectID == object }) else {
      return "'\(FieldText.text(object.key))'"
    }
    return place.file.isEmpty ? "the object of line \(place.line)" : "\(place.file):\(place.line)"
  }

  private func problem(_ object: ObjectID, _ property: String?, _ reason: String) -> ImportProblem {
    let place = places[object]
    var problem = ImportProblem(
      line: place?.line ?? 0, property: property,
      place == nil ? "\(FieldText.text(object.key)): \(reason)" : reason)
    problem.file = place?.file ?? ""
    return problem
  }

  // MARK: - Attributes

  private func setAttributes(_ record: RecordReader, _ ordinal: Int) throws {
    let entity = try plan.entity(of: record)
    var values: [String: Value] = [:]
    var byColumn: [Int: Value] = [:]
    let reading = FieldReading(plan, record, entity)
    try reading.forEach { target, column, value in
      values[target.name] = value
      byColumn[column] = value
    } toOne: { _, _, _ in
    } toMany: { _, _, _ in
    }
    let object: ManagedObject
    if let found = try self.existing(record, entity, byColumn) {
      object = found
      if existing.insert(object).inserted { report.updatedCount += 1 }
    } else {
      object = try context.insert(entity.entity.name)
      report.insertedCount += 1
    }
    objects[Int(survey.numbers[ordinal])] = object
    places[object.objectID] = (record.file.name, record.line)
    try object.setValues(values)
  }

  /// The object of the store that a record means.
  private func existing(
    _ record: RecordReader, _ entity: ImportedEntity, _ values: [Int: Value]
  ) throws -> ManagedObject? {
    let number = entity.layout.entityNumber
    if options.updatesSameIdentifiers, let identifier = record.identifier,
      let key = FieldText.key(identifier), try plan.view.contains(key)
    {
      guard key.entity == number else {
        throw record.problem(
          FieldName.identifier,
          "'\(identifier)' is an object of '\(plan.schema[key.entity]?.entity ?? "")'.")
      }
      return try context.existingObject(with: ObjectID(store: tag, key: key))
    }
    guard
      let key = unique?.object(ofEntity: number, value: { values[$0] ?? .null })
    else { return nil }
    guard key.entity == number else {
      throw record.problem(
        nil,
        "An object of '\(plan.schema[key.entity]?.entity ?? "")' has its unique values, and no object "
          + "becomes one of another entity.")
    }
    return try context.existingObject(with: ObjectID(store: tag, key: key))
  }

  // MARK: - Relationships

  private enum Step: CaseIterable {
    case listsOfExisting, listsOfNew, references
  }

  private func lead(_ record: RecordReader, _ ordinal: Int, _ step: Step) throws {
    let entity = try plan.entity(of: record)
    let number = Int(survey.numbers[ordinal])
    guard let own = objects[number] else { return }
    let isNew = !existing.contains(own)
    let reading = FieldReading(plan, record, entity)
    try reading.forEach { _, _, _ in
    } toOne: { target, end, identifier in
      guard step == .references else { return }
      let other = try identifier.map { try object($0, end.destinations, target.name, record) }
      if let said = survey.references[end.slot]?.owner(of: number),
        objects[said.owner] != other
      {
        throw record.problem(
          target.name,
          "It leads to '\(identifier ?? "nobody")', and '\(survey.identifiers.text(said.owner))' says "
            + "that it leads there.")
      }
      own.setObjects(other.map { [$0] } ?? [], forKey: target.name)
    } toMany: { target, end, identifiers in
      guard step == (isNew ? .listsOfNew : .listsOfExisting) else { return }
      var others: [ManagedObject] = []
      var seen: Set<ManagedObject> = []
      for identifier in identifiers {
        let other = try object(identifier, end.destinations, target.name, record)
        if seen.insert(other).inserted { others.append(other) }
      }
      if isNew {
        let before = own.value(forKey: target.name) as? [ManagedObject] ?? []
        others += before.filter { !seen.contains($0) }
      }
      own.setObjects(others, forKey: target.name)
    }
  }

  private func object(
    _ identifier: String, _ destinations: Set<UInt16>, _ name: String, _ record: RecordReader
  ) throws -> ManagedObject {
    guard let number = survey.identifiers.known(identifier),
      let key = survey.identifiers.key(number)
    else {
      throw record.problem(
        name, "There is no object '\(identifier)', neither in what is imported nor in the store.")
    }
    guard destinations.contains(key.entity) else {
      throw record.problem(
        name,
        "It leads to '\(identifier)', an object of '\(plan.schema[key.entity]?.entity ?? "")', "
          + "to which it can't.")
    }
    if let object = objects[number] { return object }
    return try context.existingObject(with: ObjectID(store: tag, key: key))
  }
}
