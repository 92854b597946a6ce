import CommandInterface
import Comparison
import JSONText
import ObjectModel
import StoreInterface

/// The command `quire diff`.
enum DiffCommand {
  static let old = Argument(
    "A", "A document, a store or a packed document, or a version of one: DOC@3.", role: .input)
  static let new = Argument(
    "B", "The other document or store, or another version, such as DOC@3.", role: .input)
  static let entities = Option(
    "entity", value: "ENTITIES",
    "The entities to compare, separated by commas, each with its subentities. The default is all "
      + "entities.")
  static let match = Option(
    "match", value: "RULE", choices: MatchChoices.Mode.allCases.map(\.rawValue),
    "The rule by which objects match: equal identifiers, or equal values of a uniqueness constraint."
  )
  static let key = Option(
    "key", value: "KEYS",
    "The properties to match objects by, separated by commas: ENTITY=PROPERTY, or ENTITY=PROPERTY+PROPERTY. "
      + "Without an entity, the key is for all entities that have the properties.")
  static let stat = Option("stat", "Shows only the numbers of changes of each entity.")
  static let quiet = Option("quiet", "Prints nothing. The exit code is the answer.")
  static let store = Option(
    "in", value: "NAME",
    "The store of a document with several stores. The default is all stores, each with the store of "
      + "the same name.")
  static let model = Option(
    "model", value: "MODEL", role: .input,
    "The model of a store that does not contain its model.")
  static let form = Option(
    "format", value: "FORMAT", choices: DiffOutput.Form.allCases.map(\.rawValue),
    "The format of the changes; the default is text.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "diff", "compares the objects and the models of two documents or stores",
      discussion: """
        Both may be of any kind, such as a document and a Core Data database. DOC@3 is version 3 of a \
        document or a store, unless a file has this name; 'quire history' lists the versions. The time \
        to compare two versions of one file depends on the changes between them.

        Objects of versions and copies of one store match by their identifiers. Objects of other stores \
        match by the first uniqueness constraint of their entity, and by identifier if it has none; a \
        message names these entities. --key and --match choose another rule. Objects that match by a key \
        are shown with the key, and references to them are compared by the key. A key that two objects of \
        one store have is an error. An object without a value for its key is compared by its identifier.

        Each line is one object: + for an object that only B has, - for an object that only A has, ~ for \
        an object that differs. Values are compared exactly: dates and floating-point numbers to the last \
        bit, and texts by their code points. Long values are cut on a terminal only. Derived \
        and transient properties are not compared. Two whole documents are also compared by their \
        attachments, in lines such as '+ attachment "map.png"'. A property \
        that one side lacks is not compared; the difference of the models names it. Renamed entities and \
        properties have their new names.

        JSON is an object: 'old' and 'new' are the compared paths, 'model' is the difference of the models \
        as 'quire model --diff' prints it, 'changes' are the objects, and 'inserted', 'changed' and \
        'deleted' are their numbers; two documents also have 'attachments'. Each of the changes has 'change', 'entity', 'id', and 'properties' with \
        'old' and 'new' of each property. A to-many relationship has 'added', 'removed', 'reordered', and \
        'order' with all members of B. An object that matches by a key also has 'key', and 'oldId' if its \
        identifier differs; references to it are objects with 'entity', 'id' and 'key'. In a document with \
        several stores, 'store' is the name of the store. jsonl writes a change on each line, with the \
        changes of the model first.

        patch writes a patch for 'quire merge --patch': a line of JSON for each changed row and link, with the \
        old and the new values. It contains no attachments, and a message names the attachments that differ. Both sides must have the same model.

        The exit code is 0 if both sides are equal, 1 if they differ, and 2 or more after an error.
        """,
      arguments: [old, new],
      options: [
        entities, match, key, stat, quiet, store, model, .damaged, form,
      ],
      examples: [
        Example("quire diff Trips.quire@3 Trips.quire", "Shows the changes since version 3."),
        Example(
          "quire diff Trips.quire Copy.quire --stat", "Shows how many objects of two copies differ."
        ),
        Example(
          "quire diff Trips.store App.sqlite --key 'Trip=name,Stop=trip+name'",
          "Compares a store and a database, whose trips match by their names."),
        Example(
          "quire diff Old.quire New.quire --format jsonl --entity Trip",
          "Writes the changes of all trips for another program."),
        Example(
          "quire diff Trips.quire Copy.quire --format patch > changes.jsonl",
          "Writes a patch that makes the same changes in another copy."),
      ]
    ) { invocation in
      if invocation.value(of: form) == DiffOutput.Form.patch.rawValue {
        return try writePatch(reader, models, invocation)
      }
      let sides = try DiffSides.open(reader, models, invocation)
      defer { sides.close() }
      let wanted = try wantedEntities(sides, invocation)
      let output = DiffOutput(invocation, sides)
      do {
        try output.begin(sides.modelChanges(in: wanted))
        for pair in sides.pairs { try compare(pair, wanted, invocation, output) }
        // A comparison of named entities is about objects alone.
        if wanted == nil, let attachments = sides.attachments {
          try output.write(attachments)
        }
        try output.end()
      } catch is DiffOutput.Finished {
        return .no
      }
      return output.isDifferent ? .no : .done
    }
  }

  private static func writePatch(
    _ reader: StoreReader, _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    for option in [entities, stat, quiet] where invocation.has(option) {
      throw CommandError.wrongUsage(
        "A patch contains all changes of objects.", hint: "Leave out --\(option.name).")
    }
    let before = try DiffSides.source(invocation[old], reader, models, invocation)
    let after = try DiffSides.source(invocation[new], reader, models, invocation)
    let sources = try MergeSources(base: before, ours: before, theirs: after)
    defer { sources.close() }
    let stores = before.stores.map { ($0.name, TrialStore($0.store) as any Store) }
    let output = invocation.console.output
    let hasChanges = try PatchWriter { json in
      try output.writeLine(output.isTerminal ? TerminalText.shownJSON(json.line) : json.line)
    }.write(sources.parts(into: stores), choices(invocation))
    if let old = before.document, let new = after.document {
      let names = AttachmentChange.all(from: old, to: new).map { oneLine($0.name) }
      if !names.isEmpty {
        try invocation.console.messages.writeLine(
          "note: The patch leaves out these attachments, which differ: \(names.joined(separator: ", "))."
        )
      }
    }
    return hasChanges ? .no : .done
  }

  private static func compare(
    _ pair: PairedStores.Pair, _ wanted: Set<String>?, _ invocation: Invocation,
    _ output: DiffOutput
  ) throws {
    let comparison = try StoreComparison(
      from: pair.old, to: pair.new, try choices(invocation), layer: pair.layer)
    if !invocation.has(quiet) {
      for note in try notes(comparison, wanted) {
        try invocation.console.messages.writeLine("note: \(note)")
      }
    }
    output.beginStore(pair.name)
    try comparison.forEachChange(of: wanted) { try output.write($0) }
  }

  static func choices(_ invocation: Invocation) throws(CommandError) -> MatchChoices {
    var choices = MatchChoices()
    choices.mode = invocation.value(of: match).flatMap(MatchChoices.Mode.init)
    if let text = invocation.value(of: key) { choices.keys = try MatchChoices.keys(text) }
    return choices
  }

  /// Returns the names of the entities to compare in both models, with their subentities; `nil` for all.
  private static func wantedEntities(
    _ sides: PairedStores, _ invocation: Invocation
  ) throws -> Set<String>? {
    guard let text = invocation.value(of: entities) else { return nil }
    let models = [sides.models.old, sides.models.new]
    let continuation = ModelContinuation(from: models[0], to: models[1])
    var wanted: Set<String> = []
    for name in FetchColumns.parts(of: text) {
      let known = models.filter { $0[name] != nil }
      if known.isEmpty {
        try FetchCommand.checkEntity(name, models[1], in: invocation[new])
      }
      for model in known { wanted.formUnion(model.family(of: name).map(\.name)) }
    }
    // An entity and the entity that it continues are one.
    for name in wanted {
      if let other = continuation.entity(before: name) { wanted.insert(other.name) }
      if let other = continuation.entity(after: name) { wanted.insert(other.name) }
    }
    return wanted
  }

  /// Returns sentences about entities whose objects are compared in a way that the user may not expect.
  private static func notes(
    _ comparison: StoreComparison, _ wanted: Set<String>?
  ) throws -> [String] {
    var notes: [String] = []
    let unmatched = try comparison.unmatchedEntities(of: wanted)
    if !unmatched.isEmpty {
      let names = unmatched.map { "'\($0)'" }.joined(separator: ", ")
      let subject =
        unmatched.count == 1 ? "the entity has" : "these entities have"
      notes.append(
        "The objects of \(names) are compared by identifier, because \(subject) no uniqueness constraint. "
          + "--key names properties to match by.")
    }
    for found in try comparison.unkeyedObjects(of: wanted) {
      notes.append(
        "\(Wording.count(found.count, "object")) of '\(found.entity)' without a value for "
          + "\(found.names.map { "'\($0)'" }.joined(separator: " or ")) "
          + "\(found.count == 1 ? "is" : "are") compared by identifier.")
    }
    return notes
  }
}
