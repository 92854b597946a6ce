import CommandInterface
import DurableFiles
import JSONText
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

extension Argument {
  /// The assignments to an object's properties.
  static let assignments = Argument(
    "KEY=VALUE",
    "A property and its value, or an expression: price=price*1.1, name=TRIM(name), total=SUM(lines.amount). With := "
      + "the value is always an expression. A computed value is rounded to the decimal places of its property, or to its day. Dates are ISO 8601, in UTC unless they contain a time zone, or "
      + "seconds since 2001 (@1.5), or relative to now (now, today, -3d, +2h). Binary values are "
      + "base64 or @FILE. null removes the value; \\null is the text 'null'. The value of a "
      + "relationship is an identifier (2/p17), the value of a unique attribute (trip=Lisbon), or a predicate in braces "
      + "({name == 'Lisbon'}) that exactly one object matches. A to-many relationship takes several values, separated by "
      + "commas; += adds objects and -= removes objects.",
    isRepeating: true, kind: .assignments)
}

extension CommandError {
  fileprivate static func transient(_ key: String) -> CommandError {
    .wrongUsage("'\(key)' is transient: no store contains it.")
  }
}

extension Option {
  static let identifiers = Option(
    "id", value: "IDS", "The identifiers of the objects (2/p17), separated by commas.")
  static let everyObject = Option("all", "Takes all objects of the entity.")
  static let showsIdentifiers = Option(
    "ids", "Prints the identifier of each object, and not only the number of objects.")
  static let dryRun = Option("dry-run", "Prints what the command would do, and saves nothing.")
}

/// One edit of a store's objects by `quire insert`, `quire set` or `quire delete`.
///
/// The edit goes through a context. So inverses, delete rules, derived attributes and validation work as they do in a
/// program.
struct StoreEdit {
  let context: ManagedObjectContext
  private let invocation: Invocation
  private let disk: any Disk
  private let store: any Store
  private let schema: Schema
  private let interruption: Interruption
  /// The paths that the command line names. A damaged file is part of one of them.
  private let inputs: [String]

  /// Opens the store that the command line names, for reading only if this is a dry run.
  init(_ reader: StoreReader, _ invocation: Invocation, _ models: ModelReader) throws {
    let isTrial = invocation.has(.dryRun) || invocation.has(.explain)
    let store = try reader.open(invocation[.store], invocation, models, readOnly: isTrial)
    try reader.checkMessage(for: store, at: invocation[.store], invocation)
    if !isTrial { invocation.console.outcome.willChange("Nothing was saved.") }
    try self.init(isTrial ? TrialStore(store) : store, reader.disk, invocation)
  }

  private init(_ store: any Store, _ disk: any Disk, _ invocation: Invocation) throws {
    let snapshot = try store.snapshot()
    let coordinator = PersistentStoreCoordinator(model: try snapshot.model)
    try FetchCommand.checkEntity(invocation, coordinator.model)
    // Each command is its own process. With more keys the numbers of objects would have a gap after each insertion.
    try coordinator.add(store).leaseSingleKeys()
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let origin = try invocation.saveOrigin()
    context.transactionAuthor = origin.author
    context.transactionMessage = origin.message
    self.init(context, of: store, snapshot.schema, disk, invocation)
  }

  /// Makes the edit in a trial first. A new object needs a key that the store reserves, and a refused edit must not write to
  /// the store.
  ///
  /// - Throws: The errors of `body`, and ``ContextError`` for values that can't be saved.
  func rehearse(_ body: (StoreEdit) throws -> Void) throws {
    guard !invocation.has(.dryRun) else { return }
    let trial = try StoreEdit(TrialStore(store), disk, invocation)
    try body(trial)
    try trial.checkValues()
  }

  /// Whether the command line assigns a relationship.
  var assignsRelationships: Bool {
    invocation.values(of: .assignments).contains { word in
      guard let assignment = try? Assignment(word),
        case .relationship? = context.coordinator.model.property(
          assignment.rootKey, of: invocation[.entity])
      else { return false }
      return true
    }
  }

  /// Checks everything that a save checks.
  private func checkValues() throws { try context.validateChanges() }

  /// Creates an edit in an existing context.
  init(
    _ context: ManagedObjectContext, of store: any Store, _ schema: Schema, _ disk: any Disk,
    _ invocation: Invocation, _ interruption: Interruption = Interruption(),
    inputs: [String]? = nil
  ) {
    self.context = context
    self.store = store
    self.schema = schema
    self.disk = disk
    self.invocation = invocation
    self.interruption = interruption
    self.inputs = inputs ?? invocation.inputs
  }

  /// Returns the objects that the command line names, or that meet its predicate.
  func objects() throws -> [ManagedObject] {
    let choices = [Option.identifiers, FetchCommand.condition, .everyObject].filter {
      invocation.has($0)
    }
    guard choices.count < 2 else {
      throw CommandError.wrongUsage(
        "Give either \(choices.map { "--\($0.name)" }.joined(separator: " or ")).")
    }
    if let text = invocation.value(of: .identifiers) {
      var problems: [CommandError] = []
      let objects = try text.split(separator: ",").compactMap { word in
        try noting(&problems) { try object(String(word), of: invocation[.entity]) }
      }
      try CommandError.throwAll(problems)
      var known: Set<ManagedObject> = []
      return objects.filter { known.insert($0).inserted }
    }
    guard !choices.isEmpty else {
      throw CommandError.wrongUsage(
        "Give the objects with --where or --id.", hint: "--all takes all objects of the entity.")
    }
    return try FetchCommand.placed(invocation) {
      try context.fetch(
        FetchRequest(FetchCommand.request(invocation, context.coordinator.model)))
    }
  }

  /// Prints the way to the objects, if the command line asks for that alone.
  func explains() throws -> Bool {
    guard invocation.has(.explain) else { return false }
    let request: QueryRequest
    if invocation.has(FetchCommand.condition), !invocation.has(.identifiers) {
      request = try FetchCommand.placed(invocation) {
        try FetchCommand.request(invocation, context.coordinator.model)
      }
    } else {
      // A command line that names no objects is refused here, as without the option.
      let keys = try objects().map(\.objectID.key)
      request = QueryRequest(
        invocation[.entity], where: FetchSelection.predicate(for: keys, in: store.tag))
    }
    for part in try context.explain(FetchRequest(request)) {
      try ExplainOutput.show(part, invocation)
    }
    return true
  }

  /// Returns the object with an identifier in the form that the tool prints.
  func object(_ text: String, of entity: String) throws -> ManagedObject {
    let key = try ObjectKey(word: text)
    try key.check(in: entity, context.coordinator.model, schema)
    return try context.existingObject(with: ObjectID(store: store.tag, key: key))
  }

  /// The objects of an edit that have changed, and the number of those that have the wanted values already.
  struct Outcome {
    var objects: [ManagedObject]
    var unchangedCount = 0
    /// The number of objects that an expression has left without a value that they had.
    var emptiedCount = 0
  }

  /// Applies the assignments of the command line to the objects.
  ///
  /// Each expression is evaluated for all objects before any value is set.
  ///
  /// - Throws: ``CommandError`` with every assignment that is invalid, before any value is set.
  func assign(to objects: [ManagedObject]) throws -> Outcome {
    // By the number of the entity in the store. Objects of one entity mostly follow each other.
    var known: [UInt16: [Change]] = [:]
    let computed = ComputedValues(context, store.tag, schema, CommandZone(invocation))
    var problems: [CommandError] = []
    var last: UInt16?
    for object in objects where object.entityNumber != last {
      last = object.entityNumber
      guard known[object.entityNumber] == nil else { continue }
      // The same problem may occur with the same message for several entities; `throwAll` removes repetitions.
      known[object.entityNumber] = try changes(to: object.entity.name, computed, &problems)
    }
    // Assignments are also checked if there are no objects.
    if objects.isEmpty { _ = try changes(to: invocation[.entity], computed, &problems) }
    try CommandError.throwAll(problems)
    try computed.evaluate(for: objects, checking: interruption)
    last = nil
    var current: [Change] = []
    var outcome = Outcome(objects: [])
    for object in objects {
      try interruption.check()
      if object.entityNumber != last {
        last = object.entityNumber
        current = known[object.entityNumber] ?? []
      }
      var isChanged = false
      for change in current where try change(object) { isChanged = true }
      if isChanged { outcome.objects.append(object) } else { outcome.unchangedCount += 1 }
    }
    outcome.emptiedCount = computed.emptiedCount
    return outcome
  }

  /// A change of one object. It returns whether the object had another value before.
  typealias Change = (ManagedObject) throws -> Bool

  /// Returns the assignments of the command line as changes of an entity's objects.
  ///
  /// - Throws: ``CommandError`` with every assignment that is invalid, before any value is set.
  func changes(to entity: String) throws -> [Change] {
    var problems: [CommandError] = []
    let changes = try changes(to: entity, nil, &problems)
    try CommandError.throwAll(problems)
    return changes
  }

  /// Returns the valid changes, and appends the errors of the invalid assignments to `problems`.
  ///
  /// - Parameter computed: The values of expressions; `nil` if the command takes no expressions.
  private func changes(
    to entity: String, _ computed: ComputedValues?, _ problems: inout [CommandError]
  ) throws -> [Change] {
    var changes: [Change] = []
    var given: Set<String> = []
    for word in invocation.values(of: .assignments) {
      var others: [CommandError] = []
      let made = try noting(&problems) {
        let assignment = try Assignment(word)
        if assignment.sign == .set || assignment.sign == .compute,
          !given.insert(assignment.key).inserted
        {
          others.append(.wrongUsage("'\(oneLine(assignment.key))' is given twice."))
        }
        return try change(assignment, of: entity, computed, &others)
      }
      problems += others
      if let made { changes.append(made) }
    }
    return changes
  }

  /// Returns the result of `body`. If `body` throws, appends the error to `problems` and returns `nil`.
  private func noting<R>(
    _ problems: inout [CommandError], _ body: () throws -> R
  ) throws -> R? {
    do { return try body() } catch {
      if error is CancellationError { throw error }
      problems.append(CommandError(explaining: error, words: inputs))
      return nil
    }
  }

  /// Returns the change that an assignment makes to an object of an entity.
  private func change(
    _ assignment: Assignment, of entity: String, _ computed: ComputedValues?,
    _ problems: inout [CommandError]
  ) throws -> Change {
    let model = context.coordinator.model
    switch model.property(assignment.rootKey, of: entity) {
    case .attribute(let attribute):
      let part = try Self.part(assignment.key, of: attribute, model)
      guard assignment.sign == .set || assignment.sign == .compute else {
        let sum = "\(assignment.key)\(assignment.sign.rawValue.prefix(1))\(assignment.text)"
        throw CommandError.wrongUsage(
          "'\(assignment.key)' is an attribute, and \(assignment.sign.rawValue) changes relationships.",
          hint: "Write \(oneLine("\(assignment.key)=\(assignment.text)").shellWord), or "
            + "\(oneLine("\(assignment.key)=\(sum)").shellWord) for the sum.")
      }
      guard attribute.derivation == nil else {
        throw CommandError.wrongUsage(
          "'\(assignment.key)' is derived from other values and can't be set.")
      }
      guard !attribute.isTransient else { throw CommandError.transient(assignment.key) }
      if let computed, let change = try computed.change(assignment, of: part, entity) {
        return change
      }
      if computed == nil, assignment.sign == .compute {
        throw CommandError.wrongUsage(
          "An expression needs the values of an object that exists. Give '\(assignment.key)' a value."
        )
      }
      let value = try assignment.value(of: part, on: disk)
      if let problem = part.type.problem(with: value) {
        throw CommandError.wrongUsage("'\(assignment.key)': \(problem).")
      }
      let shared = SharedValue(value, forKey: assignment.key)
      return { try ObjectEdit($0).set(shared) }
    case .relationship(let relationship):
      guard assignment.key == relationship.name else {
        throw CommandError.wrongUsage(
          "'\(assignment.key)' is a property of another object. Set the property of that object.")
      }
      guard !relationship.isTransient else { throw CommandError.transient(assignment.key) }
      return try leading(relationship, assignment, &problems)
    case .fetched:
      throw CommandError.wrongUsage("'\(assignment.key)' is fetched and can't be set.")
    case nil:
      throw CommandError.unknown(
        "property", assignment.key, in: "of '\(entity)'",
        known: model.properties(of: entity).map(\.name),
        otherwise: "It has "
          + model.properties(of: entity).map { "'\($0.name)'" }.joined(separator: ", ") + ".")
    }
  }

  /// Returns the attribute that a key names: an attribute of the entity, or a part of a composite attribute.
  private static func part(
    _ key: String, of attribute: Attribute, _ model: Model
  ) throws -> Attribute {
    let names = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let part = model.part(at: names.dropFirst(), of: attribute) else {
      throw CommandError.wrongUsage("'\(key)' is not an attribute.")
    }
    guard part.type != .composite else {
      throw CommandError.wrongUsage(
        "'\(key)' has several parts.", hint: "Set each of them: \(key).PART=VALUE.")
    }
    return part
  }

  private func leading(
    _ relationship: Relationship, _ assignment: Assignment, _ problems: inout [CommandError]
  ) throws -> Change {
    let name = relationship.name
    let targets = try assignment.targets
    let others = try targets.compactMap { word in
      try noting(&problems) { try target(word, of: relationship) }
    }
    guard relationship.isToMany else {
      guard assignment.sign == .set, targets.count < 2 else {
        throw CommandError.wrongUsage(
          "'\(name)' refers to one object: use = and one value.")
      }
      return { ObjectEdit($0).set(others, forKey: name) }
    }
    guard assignment.sign != .compute else {
      throw CommandError.wrongUsage("'\(name)' is a relationship: use =, += or -=, not :=.")
    }
    return { object in
      let before = object.value(forKey: name) as? [ManagedObject] ?? []
      let after =
        switch assignment.sign {
        case .set, .compute: others
        case .add: before + others.filter { !before.contains($0) }
        case .remove: before.filter { !others.contains($0) }
        }
      return ObjectEdit(object).set(after, forKey: name)
    }
  }

  /// Prints the changed objects without saving.
  func tell(_ outcome: Outcome, did what: String) throws {
    try tell(outcome, identifiers(of: outcome.objects), did: what, isSaved: nil)
  }

  /// Saves, and prints the changed objects. In a dry run, validates the changes in place of the save.
  func finish(_ outcome: Outcome, did what: String) throws {
    let isTrial = invocation.has(.dryRun)
    // A deleted object loses its identifier.
    let identifiers = identifiers(of: outcome.objects)
    if isTrial {
      try checkValues()
    } else {
      try context.save()
      try invocation.console.outcome.didChange("The change is saved.")
    }
    try invocation.close(store, saved: !isTrial)
    try tell(outcome, identifiers, did: what, isSaved: !isTrial)
  }

  /// Whether the output contains the identifiers of the objects.
  private var showsIdentifiers: Bool {
    // An insertion has no option, and prints the identifier that the new object has received.
    invocation.format == .json || invocation.has(.showsIdentifiers)
      || !invocation.command.options.contains(.showsIdentifiers)
  }

  /// Returns the identifiers that the output contains.
  private func identifiers(of objects: [ManagedObject]) -> [String] {
    showsIdentifiers ? objects.map { Wording.text(.object($0.objectID.key)) } : []
  }

  private func tell(
    _ outcome: Outcome, _ identifiers: [String], did what: String, isSaved: Bool?
  ) throws {
    let output = invocation.console.output
    let isUnchanged = outcome.objects.isEmpty && outcome.unchangedCount > 0
    if outcome.emptiedCount > 0 {
      try invocation.console.messages.writeLine(
        "note: \(Wording.count(outcome.emptiedCount, "object")) had a value for which the expression has none."
      )
    }
    switch invocation.format {
    case .text:
      let number = Wording.count(outcome.objects.count, "object")
      var summary = isSaved == false ? "\(number) would be \(what)" : "\(number) \(what)"
      if outcome.unchangedCount > 0 { summary += ", \(outcome.unchangedCount) unchanged" }
      summary += isUnchanged && isSaved == true ? ". Nothing was saved." : "."
      guard showsIdentifiers else { return try output.writeLine(summary) }
      for identifier in identifiers { try output.writeLine(identifier) }
      try invocation.console.messages.writeLine(summary)
    case .json:
      try output.writeLine(
        JSON.object([
          what: .array(identifiers.map { .string($0) }),
          "unchanged": what == "changed" ? .number(outcome.unchangedCount) : nil,
          "saved": isSaved.map { .boolean($0 && !isUnchanged) },
        ]))
    }
  }
}
