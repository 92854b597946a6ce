import CommandInterface
import Documents
import DurableFiles
import JSONText
import StoreInterface

/// The command `quire attach`.
enum AttachCommand {
  static let action = Argument(
    "ACTION", "The action",
    oneOf: [
      Choice("list", "shows the attachments", options: [.version], kind: .text),
      Choice(
        "add", "adds files", options: [name, force, .message, .author], kind: .path),
      Choice(
        "get", "writes one to a file", options: [output, force, .version], kind: .attachment),
      Choice("remove", "removes some", options: [.message, .author], kind: .attachment),
    ])
  static let names = Argument(
    "NAME", "The files to add, or the names of attachments. - is the standard input.",
    isRequired: false, isRepeating: true)
  static let name = Option(
    "name", value: "NAME", "The name of the added attachment. The default is the name of the file.")
  static let output = Option(
    "output", value: "FILE", role: .output,
    "The file for the attachment. The default is its name in the current folder; - is the standard output."
  )
  static let force = Option(
    Option.forceName, "Replaces an attachment of the same name, or an existing file.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "attach", "lists, adds, writes and removes the attachments of a document",
      discussion: """
        An attachment is a file in a document. 'add' and 'remove' make one new version of the document; \
        earlier versions keep their attachments. 'list' and 'get' also read packed documents, and with \
        --version an earlier version.
        """,
      arguments: [action, .document, names],
      options: [name, output, force, .message, .author, .version, .format],
      changing: [.document],
      examples: [
        Example("quire attach list Trips.quire", "Lists the names and the sizes."),
        Example("quire attach add Trips.quire map.png notes.txt", "Adds two files."),
        Example(
          "quire attach get Trips.quire lisbon.jpg --output old.jpg --version 3",
          "Writes an attachment of version 3 to a file."),
        Example("quire attach remove Trips.quire porto.jpg", "Removes an attachment."),
      ]
    ) { invocation in
      let word = invocation[action]
      try checkWords(of: word, invocation)
      switch word {
      case "list": try list(reader, invocation)
      case "add": try add(reader, invocation)
      case "get": try get(reader, invocation)
      case "remove": try remove(reader, invocation)
      default: preconditionFailure("'quire attach' does not accept '\(word)'.")
      }
      return .done
    }
  }

  /// Throws an error for names that are missing or too many.
  private static func checkWords(
    of action: String, _ invocation: Invocation
  ) throws(CommandError) {
    let words = invocation.values(of: names)
    switch (action, words.count) {
    case ("list", 1...): throw .wrongUsage("Unexpected argument '\(words[0])'.")
    case ("add", 0), ("get", 0), ("remove", 0):
      throw .wrongUsage("Missing argument NAME: \(names.help)")
    case ("get", 2...): throw .wrongUsage("'get' writes one attachment, not '\(words[1])' too.")
    case ("add", 2...) where invocation.has(name):
      throw .wrongUsage("--name is the name of one file, but \(words.count) files are given.")
    default: break
    }
  }

  // MARK: - Reading

  private static func list(_ reader: StoreReader, _ invocation: Invocation) throws {
    let document = try reader.document(invocation[.document], toRead: invocation)
    defer { try? document.close() }
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      var table = Table()
      for one in document.attachments {
        table.add(one.name, Wording.count(one.byteCount, "byte"))
      }
      try output.write(table.text())
    case .json:
      try output.writeLine(
        .array(
          document.attachments.map {
            .object([
              "name": .string($0.name), "byteCount": .number($0.byteCount),
              "digest": .string($0.digest),
            ])
          }))
    }
  }

  private static func get(_ reader: StoreReader, _ invocation: Invocation) throws {
    let path = invocation[.document]
    let name = invocation.values(of: names)[0]
    let document = try reader.document(path, toRead: invocation)
    defer { try? document.close() }
    try check([name], in: document, path)
    let attachment = try document.openAttachment(named: name)
    let console = invocation.console
    if invocation.path(ofOutput: output) == "-" {
      guard !console.output.isTerminal else {
        throw CommandError.wrongUsage(
          "An attachment is not written to a terminal.", hint: "Give a file with --output.")
      }
      return try attachment.forEachPiece { try console.output.write(bytes: $0) }
    }
    let file =
      try invocation.output(output, on: reader.disk)
      ?? invocation.output(at: fileName(of: name), on: reader.disk)
    try file.checkFree()
    try file.writeFile { writer in
      try attachment.forEachPiece { piece in try writer.write(piece) }
    }
    try console.messages.writeLine(
      "\(Wording.count(attachment.byteCount, "byte")) are in '\(oneLine(file.path))'.")
  }

  /// Returns the name of the file for an attachment in the current folder. An attachment's name may be a path, which a
  /// file of its own must not follow.
  private static func fileName(of name: String) throws(CommandError) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? ""
    guard !last.isEmpty, last != ".", last != "..", !last.hasPrefix("-") else {
      throw .wrongUsage(
        "'\(oneLine(name))' is not a name for a file.", hint: "Give a file with --output.")
    }
    return last
  }

  // MARK: - Changing

  private static func add(_ reader: StoreReader, _ invocation: Invocation) throws {
    let path = invocation[.document]
    let files = invocation.values(of: names)
    let added = try files.map { file in
      let known = try invocation.value(of: name) ?? (file == "-" ? nil : fileName(of: file))
      guard let known else {
        throw CommandError.wrongUsage(
          "The standard input needs a name.", hint: "Give it with --name.")
      }
      return (file: file, name: known)
    }
    if let twice = Dictionary(grouping: added, by: \.name).first(where: { $0.value.count > 1 }) {
      throw CommandError.wrongUsage(
        "Several files would have the name '\(oneLine(twice.key))'.",
        hint: "Add them one by one, with --name.")
    }
    let origin = try invocation.saveOrigin()
    let document = try reader.document(path, access: .exclusive)
    defer { try? document.close() }
    let existing = Set(document.attachments.map(\.name))
    if !invocation.has(force), let known = added.first(where: { existing.contains($0.name) }) {
      throw CommandError(
        .inputOutput, "'\(oneLine(path))' has an attachment '\(oneLine(known.name))' already.",
        hint: "Give --force to replace it, or another name with --name.")
    }
    invocation.console.outcome.willChange("Nothing was saved.")
    for (file, name) in added {
      try document.addAttachment(named: name) { write in
        try forEachPiece(of: file, reader.disk, invocation.console.input, write)
      }
    }
    try document.save(author: origin.author, message: origin.message)
    try invocation.console.outcome.didChange("The change is saved.")
    try tell(added.map(\.name), did: "added", document, invocation)
  }

  private static func remove(_ reader: StoreReader, _ invocation: Invocation) throws {
    let path = invocation[.document]
    let names = invocation.values(of: names)
    let origin = try invocation.saveOrigin()
    let document = try reader.document(path, access: .exclusive)
    defer { try? document.close() }
    try check(names, in: document, path)
    invocation.console.outcome.willChange("Nothing was saved.")
    for name in Set(names) { try document.removeAttachment(named: name) }
    try document.save(author: origin.author, message: origin.message)
    try invocation.console.outcome.didChange("The change is saved.")
    try tell(names, did: "removed", document, invocation)
  }

  /// Throws an error unless the document has attachments of all names.
  private static func check(
    _ names: [String], in document: Document, _ path: String
  ) throws(CommandError) {
    let known = document.attachments.map(\.name)
    for name in names where !known.contains(name) {
      throw CommandError(
        .no, "'\(oneLine(path))' has no attachment '\(oneLine(name))'.",
        hint: suggestion(for: name, among: known)
          ?? "Run 'quire attach list \(oneLine(path))' to see all.")
    }
  }

  /// Calls `body` with the bytes of a file or of the standard input, piece by piece.
  private static func forEachPiece(
    of file: String, _ disk: any Disk, _ input: Console.Input, _ body: ([UInt8]) throws -> Void
  ) throws {
    if file == "-" {
      while case let piece = try input.read(), !piece.isEmpty { try body(piece) }
      return
    }
    do {
      try disk.open(file, for: .read).forEachPiece(body)
    } catch let error as DiskError {
      throw CommandError(.inputOutput, error.message)
    }
  }

  private static func tell(
    _ names: [String], did what: String, _ document: Document, _ invocation: Invocation
  ) throws {
    switch invocation.format {
    case .text:
      try invocation.console.messages.writeLine(
        "\(Wording.count(names.count, "attachment")) \(what).")
    case .json:
      try invocation.console.output.writeLine(
        .object([
          what: .array(names.map { .string($0) }),
          "version": .number("\(document.manifest.number)"),
        ]))
    }
  }
}
