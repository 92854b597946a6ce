import CommandInterface
import Comparison
import Documents
import DurableFiles
import JSONText
import ObjectGraph

/// The command `quire merge`.
enum MergeCommand {
  static let base = Argument(
    "BASE",
    "The document or store that A and B derive from, or a version of one: DOC@3. With --patch or a head, the "
      + "document or store that receives the changes.",
    role: .input)
  static let ours = Argument(
    "A",
    "The copy that receives the changes of B. Without B, the head of the document whose changes are merged.",
    isRequired: false, role: .input)
  static let theirs = Argument(
    "B", "The copy with the other changes.", isRequired: false, role: .input)
  static let patch = Option(
    "patch", value: "FILE", role: .stream,
    "Merges the changes of a patch that 'quire diff --format patch' has written; - is standard input."
  )
  static let output = Option(
    "output", value: "C", role: .output,
    "The merged copy. Its name must end as the name of A, or in .zip for a packed document.")
  static let inPlace = Option("in-place", "Changes A, in place of a new copy.")
  static let keepsOurs = Option(
    "ours", "Resolves every conflict by the values of the copy that receives the changes.")
  static let keepsTheirs = Option(
    "theirs", "Resolves every conflict by the values of the other copy.")
  static let renumber = Option(
    "renumber",
    "Gives an object of B a new identifier if another object of A has its identifier, in place of an error."
  )
  static let interactive = Option("interactive", "Asks about each conflict, on a terminal.")
  static let force = Option(Option.forceName, "Replaces an existing file or folder C.")

  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "merge", "merges the changes of two copies of a document or a store, or of a head",
      discussion: """
        'quire merge DOC HEAD' merges a head into the current one, or into the one that DOC@HEAD names, and saves a \
        version that names the merged version. The base is the newest version from which both derive, so the same head \
        can be merged again and again.

        With three copies, the result is A with the changes that lead from BASE to B. Each of the three is a document, a packed \
        document, a store or a version of one, with the same model. The result has the kind and the versions of \
        A, and one version more. Its name in C decides whether a document is packed. An empty file as BASE is \
        a store without objects.

        Objects match as in 'quire diff'. An object that only B has inserted keeps its identifier. Copies of a \
        document or a store number their objects apart, so two objects rarely have one identifier: if a copy could \
        not be noticed, in stores of databases, and in stores that were made independently. Then the command writes \
        nothing, unless --renumber gives the objects of B new identifiers. Values, links and places are merged for each property, by the rules of a save; attachments are merged \
        as whole files. The title of a document stays as in A. A change is in conflict with another change \
        of the same attribute or to-one relationship to another value, of the order of the same list, or of the \
        same attachment. A deletion is in conflict with a change of the object, and with a new reference to it.

        The command prints the conflicts, and writes nothing unless all are resolved. --ours and --theirs resolve \
        all of them. --interactive asks about each: o takes the value of A, t that of B, b that of \
        BASE, and q stops. An object that is kept is kept with the objects that own it. The result is validated as by \
        any save. Objects with the same values of a uniqueness constraint are an error; --match unique merges \
        them.

        With --patch there is one document or store, and the patch contains the other changes with the values \
        of the base. A patched value must be the old or the new value of the patch; any other value is a \
        conflict. Patches have no attachments. Objects match by identifier.

        JSON is an object: 'merged' tells whether the result is written, 'inserted', 'changed' and 'deleted' \
        are the numbers of objects, and each of the 'conflicts' has 'kind' (value, deletion, order or \
        attachment), 'entity', 'id', 'property', 'base', 'ours' and 'theirs'. An identifier is that of A, or of B \
        for an object that only B has. After --renumber, each of the objects in 'renumbered' has 'entity', the 'id' in \
        B, and the 'newID' in the result.

        The exit code is 0 if the result is written, 1 after a conflict or if the result is not valid, and 2 or \
        more after another error.
        """,
      arguments: [base, ours, theirs],
      options: [
        output, inPlace, patch, keepsOurs, keepsTheirs, interactive, renumber, DiffCommand.match,
        DiffCommand.key,
        DiffCommand.store, DiffCommand.model, .dryRun, .message, .author, force, .writesForeign,
        .format,
      ],
      changing: [base, ours, theirs],
      examples: [
        Example(
          "quire merge Trip.quire draft", "Merges the head 'draft' into the current head."),
        Example(
          "quire merge Base.quire Ours.quire Theirs.quire --output Merged.quire",
          "Writes a document with the changes of both."),
        Example(
          "quire merge Trips.quire@3 Trips.quire Copy.quire --in-place --theirs",
          "Adds the changes of a copy of version 3. If both have changed a value, the copy wins."),
        Example(
          "quire merge Base.store A.store B.store --dry-run",
          "Prints the conflicts and the number of changes, and writes nothing."),
        Example(
          "quire merge --patch changes.jsonl Trips.quire --in-place",
          "Makes the changes of a patch in a document."),
      ]
    ) { invocation in
      let made = try checkTarget(invocation, reader)
      if let path = invocation.value(of: patch) {
        return try apply(path, made, reader, models, invocation)
      }
      guard let own = invocation.value(of: ours) else {
        throw CommandError.wrongUsage(
          "Missing argument \(ours.name): the head to merge, or the first of two copies.",
          hint: try GitConflict(invocation[base]).map { _ in GitConflict.hint(invocation[base]) }
            ?? "'quire merge DOC HEAD' merges a head of the document, and 'quire merge BASE A B' two copies."
        )
      }
      let choices = try DiffCommand.choices(invocation)
      guard let other = invocation.value(of: theirs) else {
        return try merge(head: own, made, choices, reader, models, invocation)
      }
      let sources = try MergeSources.open(
        base: DiffSides.source(invocation[base], reader, models, invocation, mayBeEmpty: true),
        ours: DiffSides.source(own, reader, models, invocation),
        theirs: DiffSides.source(other, reader, models, invocation))
      defer { sources.close() }
      let renumbers = invocation.has(renumber)
      return try MergeRun(sources, reader, models, invocation) { part in
        try MergeTranslation(part, choices, renumbers: renumbers).layers()
      }.run(made)
    }
  }

  /// Merges a head into another head of the same document.
  private static func merge(
    head: String, _ made: Output?, _ choices: MatchChoices, _ reader: StoreReader,
    _ models: ModelReader, _ invocation: Invocation
  ) throws -> ExitCode {
    let word = invocation[base]
    if try reader.disk.exists(head) {
      throw CommandError.wrongUsage(
        "'\(oneLine(head))' is a file and not a head of '\(oneLine(word))', and a merge of copies needs three files.",
        hint:
          "'quire merge BASE A B --output NEW' merges the changes of the copies A and B since BASE."
      )
    }
    let heads: HeadSides
    do {
      let document = try reader.document(word, access: .readOnly)
      defer { try? document.close() }
      heads = try HeadSides(of: head, into: document, named: word, at: reader.headPlace(word))
    }
    let sources = try heads.sources { name, place in
      try DiffSides.source(name, at: place, reader, models, invocation)
    }
    defer { sources.close() }
    if heads.taken.isEmpty {
      try invocation.console.messages.writeLine(
        "'\(oneLine(word))' contains the newest version of '\(oneLine(head))' already.")
    }
    let renumbers = invocation.has(renumber)
    return try MergeRun(sources, taken: heads.taken, reader, models, invocation) { part in
      try MergeTranslation(part, choices, renumbers: renumbers).layers()
    }.run(made)
  }

  private static func apply(
    _ path: String, _ made: Output?, _ reader: StoreReader, _ models: ModelReader,
    _ invocation: Invocation
  ) throws -> ExitCode {
    if let other = invocation.value(of: ours) {
      throw CommandError.wrongUsage(
        "Unexpected argument '\(oneLine(other))'.", hint: "--patch takes one document or store.")
    }
    for option in [DiffCommand.match, DiffCommand.key] where invocation.has(option) {
      throw CommandError.wrongUsage(
        "The objects of a patch match by identifier.", hint: "Leave out --\(option.name).")
    }
    let patch = try readPatch(path, reader, invocation)
    let source = try DiffSides.source(invocation[base], reader, models, invocation)
    defer { source.close() }
    let sources = try MergeSources(base: source, ours: source, theirs: source)
    try patch.check(sources.parts(into: source.stores))
    let renumbers = invocation.has(renumber)
    return try MergeRun(sources, reader, models, invocation) { part in
      try patch.layers(part, renumbers: renumbers)
    }.run(made)
  }

  /// Reads a patch from a file, or from the standard input for `-`.
  private static func readPatch(
    _ path: String, _ reader: StoreReader, _ invocation: Invocation
  ) throws -> Patch {
    guard path == "-" else { return try Patch(contentsOf: path, on: reader.disk) }
    let input = invocation.console.input
    var bytes: [UInt8] = []
    while case let piece = try input.read(), !piece.isEmpty { bytes += piece }
    return try Patch(bytes, name: "standard input")
  }

  /// Returns the output; `nil` for a merge in place or a dry run.
  static func checkTarget(_ invocation: Invocation, _ reader: StoreReader) throws -> Output? {
    let answers = [keepsOurs, keepsTheirs, interactive].filter { invocation.has($0) }
    guard answers.count < 2 else {
      throw CommandError.wrongUsage(
        "Give one of \(answers.map { "--\($0.name)" }.joined(separator: " and ")).")
    }
    if invocation.has(interactive), !invocation.console.input.isTerminal {
      throw CommandError.wrongUsage(
        "--interactive needs a terminal for the answers.", hint: "Give --ours or --theirs.")
    }
    let made = try invocation.output(output, on: reader.disk)
    switch (made != nil, invocation.has(inPlace), invocation.has(.dryRun)) {
    case (true, true, _):
      throw CommandError.wrongUsage("Give either --output or --in-place.")
    case (false, false, false) where invocation.value(of: theirs) != nil || invocation.has(patch):
      throw CommandError.wrongUsage(
        "The merge needs a place for its result.",
        hint: "Give a new path with --output, or --in-place to change A.")
    default: try made?.checkFree()
    }
    return made
  }
}
