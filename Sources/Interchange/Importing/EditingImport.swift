import ObjectGraph
import ObjectModel
import Rows
import StoreInterface

/// The second pass over the files, for imports that may change existing objects. A context makes the changes, so
/// inverses, derived values and validation work as they do in a program.
final class EditingImport {
  private let plan: ImportPlan
  private let survey: ImportSurvey
  private let options: ObjectImport.Options
  private let isTrial: Bool
  private let context: ManagedObjectContext
  private let tag: StoreTag
  private let unique: UniqueValues?
  /// The imported objects, by their numbers in the survey.
  private var objects: [Int: ManagedObject] = [:]
  private var places: [ObjectID: Place] = [:]
  private var existing: Set<ManagedObject> = []
  /// The existing objects with a value or a reference that differs from the files.
  private var changed: Set<ManagedObject> = []
  /// The lists that have left out stored objects, by the objects.
  private var causes: [ObjectID: (place: Place, list: String)] = [:]
  private let problems: ImportProblems

  /// The place of an object in the files, and its properties with recorded problems.
  private struct Place {
    let file: String
    let fileNumber: Int
    let line: Int
    var faulty: Set<String> = []
  }
  private var report = ObjectImport.Report()

  init(
    _ store: any Store, _ base: any StoreSnapshot, _ plan: ImportPlan, _ survey: ImportSurvey,
    _ options: ObjectImport.Options, isTrial: Bool, _ problems: ImportProblems
  ) throws {
    self.isTrial = isTrial
    self.problems = problems
    self.plan = plan
    self.survey = survey
    self.options = options
    tag = store.tag
    unique = options.updates ? try UniqueValues(plan.model, plan.schema, base.view) : nil
    let coordinator = PersistentStoreCoordinator(model: plan.model)
    try coordinator.add(store)
    context = ManagedObjectContext(coordinator, concurrency: .confined)
    context.transactionAuthor = options.author
    context.transactionMessage = options.message
  }

  func run(
    _ files: [ImportFile], _ progress: (Int) throws -> Void
  ) throws -> ObjectImport.Report {
    try survey.forEachObject(of: files, problems, progress: progress, setAttributes)
    // Lists of existing objects are set first, and replace all members. New objects then add members to their own
    // lists.
    for step in Step.allCases {
      try survey.forEachObject(of: files, problems) { try lead($0, $1, step) }
    }
    let updated = context.updatedObjects
    report.updatedCount = changed.count + relinkedCount(among: updated)
    report.unchangedCount = existing.count { !changed.contains($0) && !updated.contains($0) }
    do {
      if isTrial || !problems.isEmpty { try context.validateChanges() } else { try context.save() }
    } catch let error as ContextError {
      record(error)
      try problems.check()
      throw error
    }
    try problems.check()
    return report
  }

  /// The number of stored objects that the files don't contain, but whose references the import has changed.
  private func relinkedCount(among updated: Set<ManagedObject>) -> Int {
    updated.count { object in
      guard !changed.contains(object) else { return false }
      return object.changedValues().keys.contains { name in
        guard case .relationship(let one) = plan.model.property(name, of: object.entity.name) else {
          return true
        }
        return !one.isToMany
      }
    }
  }

  /// Records the failures and the conflicts of a save, except failures that recorded problems already explain.
  private func record(_ error: ContextError) {
    for failure in error.failures {
      record(failure.object, failure.key.map { [$0] } ?? [], failure.message)
    }
    for conflict in error.constraintConflicts {
      for object in conflict.conflictingObjects {
        let other = conflict.storedObject ?? conflict.conflictingObjects.first { $0 != object }
        record(
          object, conflict.constraint,
          UniqueValues.reason(
            other.map { name($0) } ?? "another object", isStored: conflict.storedObject != nil),
          conflict)
      }
    }
  }

  private func record(
    _ object: ObjectID, _ properties: [String], _ reason: String,
    _ conflict: ConstraintConflict? = nil
  ) {
    let place = places[object]
    let isExplained = properties.contains { property in
      place?.faulty.contains { $0 == property || $0.hasPrefix(property + ".") } ?? false
    }
    if isExplained { return }
    let named = properties.joined(separator: ", ")
    var origin = place
    var property = named.isEmpty ? nil : named
    var sentence = reason
    if place == nil {
      let identifier = ValueText.text(object.key)
      sentence = "\(identifier): \(reason)"
      if let cause = causes[object] {
        (origin, property) = (cause.place, cause.list)
        sentence = "The list leaves out '\(identifier)', whose '\(named)' would be wrong: \(reason)"
      }
    }
    var problem = ImportProblem(line: origin?.line ?? 0, property: property, sentence)
    problem.file = origin?.file ?? ""
    problem.fileNumber = origin?.fileNumber ?? .max
    problem.fieldNumber = .max
    problem.conflict = conflict
    problems.add(problem)
  }

  /// Returns the name of an object for messages: its line, or its identifier in the store.
  private func name(_ object: ObjectID) -> String {
    guard let place = places[object], !existing.contains(where: { $0.objectID == object }) else {
      return "'\(ValueText.text(object.key))'"
    }
    return place.file.isEmpty ? "the object of line \(place.line)" : "\(place.file):\(place.line)"
  }

  // MARK: - Attributes

  private func setAttributes(_ record: RecordReader, _ ordinal: Int) throws {
    let entity = try plan.entity(of: record)
    var values: [String: Value] = [:]
    var byColumn: [Int: Value] = [:]
    let reading = FieldReading(plan, record, entity)
    let faulty = try reading.forEach(problems) { target, column, value in
      values[target.name] = value
      byColumn[column] = value
    } toOne: { _, _, _ in
    } toMany: { _, _, _ in
    }
    let object: ManagedObject
    if let found = try self.existing(record, entity, byColumn) {
      object = found
      existing.insert(object)
    } else {
      object = try context.insert(entity.entity.name)
      report.insertedCount += 1
    }
    objects[Int(survey.numbers[ordinal])] = object
    places[object.objectID] = Place(
      file: record.file.name, fileNumber: record.fileNumber, line: record.line,
      faulty: Set(entity.names(at: faulty)))
    guard existing.contains(object) else { return try object.setValues(values) }
    if try ObjectEdit(object).set(values) { changed.insert(object) }
  }

  /// Returns the stored object that a record updates; `nil` if the record is a new object.
  private func existing(
    _ record: RecordReader, _ entity: ImportedEntity, _ values: [Int: Value]
  ) throws -> ManagedObject? {
    let number = entity.layout.entityNumber
    if options.updatesSameIdentifiers, let identifier = record.identifier,
      let key = ValueText.key(identifier), try plan.view.contains(key)
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
        "An object of '\(plan.schema[key.entity]?.entity ?? "")' has the same unique values, and an import "
          + "can't change the entity of an object.")
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
    // The pass for attributes has already recorded problems with names and values.
    let known = ImportProblems()
    _ = try reading.forEach(known) { _, _, _ in
    } toOne: { target, end, identifier in
      guard step == .references else { return }
      try noting(target, of: own) {
        let other = try identifier.map { try object($0, end.destinations, target.name, record) }
        if let said = survey.references[end.slot]?.owner(of: number),
          objects[said.owner] != other
        {
          throw record.problem(
            target.name,
            "The relationship refers to \(identifier.map { "'\($0)'" } ?? "no object"), but "
              + "'\(survey.identifiers.text(said.owner))' refers to this object by the inverse.")
        }
        set(other.map { [$0] } ?? [], forKey: target.name, of: own)
      }
    } toMany: { target, end, identifiers in
      guard step == (isNew ? .listsOfNew : .listsOfExisting) else { return }
      var others: [ManagedObject] = []
      var seen: Set<ManagedObject> = []
      for identifier in identifiers {
        try noting(target, of: own) {
          let other = try object(identifier, end.destinations, target.name, record)
          if seen.insert(other).inserted { others.append(other) }
        }
      }
      if !isNew, let place = places[own.objectID] {
        // A removed object may lack a required reference. The list is the reason then.
        for removed in own.value(forKey: target.name) as? [ManagedObject] ?? []
        where !seen.contains(removed) {
          causes[removed.objectID] = (place, target.name)
        }
      }
      if isNew {
        let before = own.value(forKey: target.name) as? [ManagedObject] ?? []
        others += before.filter { !seen.contains($0) }
      }
      set(others, forKey: target.name, of: own)
    }
  }

  /// Sets the members of a relationship. An existing object with the same members stays unchanged.
  private func set(_ members: [ManagedObject], forKey key: String, of object: ManagedObject) {
    guard existing.contains(object) else { return object.setObjects(members, forKey: key) }
    if ObjectEdit(object).set(members, forKey: key) { changed.insert(object) }
  }

  /// Calls `body`, and records the problem of a relationship that it throws.
  private func noting(
    _ target: ImportTarget, of object: ManagedObject, _ body: () throws -> Void
  ) throws {
    if try !problems.collect(body) { places[object.objectID]?.faulty.insert(target.name) }
  }

  private func object(
    _ identifier: String, _ destinations: Set<UInt16>, _ name: String, _ record: RecordReader
  ) throws -> ManagedObject {
    let number = try survey.object(identifier, destinations, name, record)
    if let object = objects[number] { return object }
    // The object could not be created, and the problem is recorded at its own line.
    guard survey.identifiers.isThere(number), let key = survey.identifiers.key(number) else {
      throw ReportedProblem()
    }
    return try context.existingObject(with: ObjectID(store: tag, key: key))
  }
}
