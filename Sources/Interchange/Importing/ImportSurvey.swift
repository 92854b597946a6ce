import ObjectModel
import Rows

/// The first pass over the files. It collects the objects, their identifiers and their relationships.
final class ImportSurvey {
  let plan: ImportPlan
  private let options: ObjectImport.Options
  var identifiers = IdentifierTable()
  /// The number of each object in ``identifiers``, in the order of the files.
  private(set) var numbers: [UInt32] = []
  /// The number of objects of each entity.
  private(set) var counts: [UInt16: Int] = [:]
  var references: [ReferenceSlot: ReferenceStatements] = [:]
  var links: [UInt16: LinkStatements] = [:]
  /// Whether the import must change existing objects, so that new rows are not enough.
  private(set) var needsObjects = false
  /// The names that the files have for others in the model, as far as they have occurred.
  private(set) var usedNames: Set<String>

  init(_ plan: ImportPlan, _ options: ObjectImport.Options) {
    self.plan = plan
    self.options = options
    usedNames = plan.usedNames
  }

  /// Reads all files.
  ///
  /// - Parameter problems: Collects the problems of entities, identifiers, names and lists. The second pass finds the
  ///   problems of values.
  func run(
    _ files: [ImportFile], _ problems: ImportProblems, _ progress: (Int) throws -> Void
  ) throws {
    var before = 0
    for (place, file) in files.enumerated() {
      let record = RecordReader(file, number: place)
      var goesOn = true
      while goesOn {
        do { goesOn = try record.next() } catch let problem as ImportProblem {
          problems.add(problem)
          if problem.endsFile { break }
          continue
        }
        if goesOn { try survey(record, problems) }
        if numbers.count % 4096 == 0 { try progress(before + record.offset) }
      }
      before += record.offset
      usedNames.formUnion(record.usedNames)
    }
    for (number, _) in links { links[number]!.settle() }
    try resolve()
  }

  /// The number in place of an object with an unknown entity.
  static let unknown = UInt32.max

  private func survey(_ record: RecordReader, _ problems: ImportProblems) throws {
    guard identifiers.count < IdentifierTable.mostCount else {
      problems.add(record.problem(nil, "The files contain more objects than one import can read."))
      throw problems.error
    }
    var found: ImportedEntity?
    try problems.collect { found = try plan.entity(of: record) }
    guard let entity = found else {
      if let identifier = record.identifier {
        identifiers.setFaulty(identifiers.number(of: identifier))
      }
      return numbers.append(ImportSurvey.unknown)
    }
    let number = try number(of: record, problems)
    let place = counts[entity.layout.entityNumber, default: 0]
    counts[entity.layout.entityNumber] = place + 1
    numbers.append(UInt32(number))
    // The final keys are not known yet, so the key contains the object's index within its entity, from 1.
    identifiers.setKey(
      ObjectKey(entity: entity.layout.entityNumber, number: UInt64(place) + 1), of: number)
    for (place, field) in record.fields.enumerated() {
      try problems.collect {
        let target = try plan.target(field.name, at: place, of: entity, record)
        switch target.kind {
        case .toOne(let toOne): try addReference(toOne, target.name, of: number, field, record)
        case .toMany(let toMany): try addReference(toMany, target.name, of: number, field, record)
        default: break
        }
      }
    }
  }

  /// Returns the number of an object. A repeated identifier is a problem, and its object gets a number without
  /// identifier.
  private func number(of record: RecordReader, _ problems: ImportProblems) throws -> Int {
    guard let identifier = record.identifier else { return identifiers.add() }
    let number = identifiers.number(of: identifier)
    guard identifiers.key(number) != nil else { return number }
    problems.add(
      record.problem(
        FieldName.identifier, "Another object has the identifier '\(identifier)' already."))
    return identifiers.add()
  }

  private func addReference(
    _ toOne: ImportTarget.ToOne, _ name: String, of owner: Int, _ field: RecordReader.Field,
    _ record: RecordReader
  ) throws {
    let identifier: String?
    do { identifier = try record.value(field).identifier() } catch let fault as FieldFault {
      throw record.problem(name, fault.reason)
    }
    guard let identifier else { return }
    let other = identifiers.number(of: identifier)
    if toOne.order != nil || toOne.isInverseCounted || toOne.inverseSlot != nil {
      identifiers.concern(other)
    }
    guard let slot = toOne.inverseSlot else { return }
    try say(slot, isOrdered: false, owner: owner, other: other, name, record)
  }

  private func addReference(
    _ toMany: ImportTarget.ToMany, _ name: String, of owner: Int, _ field: RecordReader.Field,
    _ record: RecordReader
  ) throws {
    let others: [String]
    do { others = try record.value(field).identifiers() } catch let fault as FieldFault {
      throw record.problem(name, fault.reason)
    }
    for (place, identifier) in others.enumerated() {
      let other = identifiers.number(of: identifier)
      switch toMany.place {
      case .references(let slot):
        identifiers.concern(other)
        try say(
          slot, isOrdered: toMany.relationship.keepsOrder, owner: owner, other: other, name, record)
      case .links(let side, let isInverseCounted):
        let table = side.table
        if isInverseCounted || table.layout.columns.count > 2 { identifiers.concern(other) }
        links[table.layout.entityNumber, default: LinkStatements(table)]
          .add(owner: owner, other: other, place: place, side)
      }
    }
  }

  private func say(
    _ slot: ReferenceSlot, isOrdered: Bool, owner: Int, other: Int, _ name: String,
    _ record: RecordReader
  ) throws {
    let count = identifiers.count
    guard
      let first = references[slot, default: ReferenceStatements(isOrdered: isOrdered)]
        .add(owner: owner, other: other, of: count)
    else { return }
    throw record.problem(
      name,
      "The relationship refers to '\(identifiers.text(other))', to which '\(identifiers.text(first))' refers "
        + "already."
    )
  }

  /// Looks up the identifiers that no file has defined among the objects of the store.
  private func resolve() throws {
    var values: [TableColumns.Key: [String: Int]] = [:]
    var stored: [Int] = []
    for number in 0..<identifiers.count where identifiers.key(number) == nil {
      let text = identifiers.text(number)
      if let key = plan.keys.first(where: { text.hasPrefix($0.prefix) }) {
        values[key, default: [:]][String(text.dropFirst(key.prefix.count))] = number
        continue
      }
      // An identifier without any object is reported with its line in the second pass.
      guard let key = ValueText.key(text), plan.schema[key.entity] != nil,
        try plan.view.contains(key)
      else { continue }
      find(key, number)
      stored.append(number)
    }
    // Only files that refer to the store are searched for identifiers of an export.
    let mayBeForeign =
      !stored.isEmpty && !options.updatesSameIdentifiers && !options.acceptsStoredReferences
    if mayBeForeign, definesExported {
      for number in stored { identifiers.setForeign(number) }
    }
    for (key, numbers) in values {
      let found = try StoredKeys.objects(
        key, values: Set(numbers.keys), plan.model, plan.schema, plan.view)
      for (value, object) in found { find(object, numbers[value]!) }
    }
  }

  /// Records the stored object of an identifier.
  private func find(_ key: ObjectKey, _ number: Int) {
    identifiers.setKey(key, of: number, isThere: true)
    if identifiers.isConcerned(number) { needsObjects = true }
  }

  /// Checks that an identifier in exported files means the same object in this store.
  ///
  /// - Throws: ``ImportProblem`` if it is the identifier of a stored object that the files don't contain.
  func checkOrigin(_ number: Int, _ name: String, _ record: RecordReader) throws {
    guard identifiers.isForeign(number) else { return }
    throw record.problem(
      name,
      "The object '\(identifiers.text(number))' is not in the imported files, and in the store of the export the "
        + "identifier may name another object. Import the object too. With --stored-references, the identifier "
        + "names an object of this store.")
  }

  /// Whether a file defines an object under an identifier such as `2/p1`.
  private var definesExported: Bool {
    (0..<identifiers.count).contains {
      identifiers.key($0) != nil && !identifiers.isThere($0)
        && ValueText.key(identifiers.text($0)) != nil
    }
  }
}
