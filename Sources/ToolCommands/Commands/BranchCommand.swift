import CommandInterface
import Comparison
import Documents
import Foundation
import JSONText
import ObjectModel

/// The command `quire branch`.
enum BranchCommand {
  static let head = Argument(
    "HEAD", "The name of the new head, or with --delete of the head to remove.", isRequired: false,
    kind: .head)
  static let version = Option(
    "at", value: "VERSION", kind: .version,
    "The version that the head begins at: a number that 'quire history' lists, or 'draft~2'. The default is the "
      + "newest version of the current head.")
  static let delete = Option(
    "delete", "Removes the head, with the versions that no other head has.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "branch", "lists, makes and removes the heads of a document",
      discussion: """
        A head is a line of versions with a name. A save on one head does not show on another, so a head is the \
        place to try a change, or to collect somebody's changes until they are taken over with 'quire merge DOC \
        HEAD'. Every document has the head 'main'.

        DOC@HEAD stands for a head wherever a command takes a document, also to change it. Without @, commands \
        use the current head, which 'quire switch' chooses and '*' marks in the list.

        A head copies the files of the stores. A store on a server belongs to one head, so its document has no second \
        one. --delete refuses the current head, and a head with versions that are not merged into the current \
        one, unless --force is given.

        JSON is a list of objects with 'name', 'isCurrent', 'version' and 'saved'.
        """,
      arguments: [.document, head], options: [version, delete, force, .dryRun, .format],
      changing: [.document],
      examples: [
        Example("quire branch Trip.quire", "Lists the heads."),
        Example("quire branch Trip.quire idea", "Makes a head at the newest version."),
        Example("quire branch Trip.quire idea --at 12", "Makes a head at version 12."),
        Example(
          "quire branch Trip.quire draft --delete --force",
          "Removes a head, also if its versions are not merged."),
      ]
    ) { invocation in
      guard let name = invocation.value(of: head) else {
        for option in [version, delete, force, .dryRun] where invocation.has(option) {
          throw CommandError.wrongUsage(
            "--\(option.name) needs the name of a head.",
            hint: "Give the name after the document.")
        }
        let document = try reader.mainHead(invocation[.document], access: .readOnly)
        defer { try? document.close() }
        try list(document, invocation)
        return .done
      }
      if invocation.has(delete), invocation.has(version) {
        throw CommandError.wrongUsage("Give either --at or --delete.")
      }
      if invocation.has(force), !invocation.has(delete) {
        throw CommandError.wrongUsage("--force is for --delete.", hint: "Leave out --force.")
      }
      if invocation.has(delete) {
        try remove(name, reader, invocation)
      } else {
        try make(name, reader, invocation)
      }
      return .done
    }
  }

  static let force = Option(Option.forceName, "Removes a head whose versions are not merged.")

  private static func list(
    _ document: Document, _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    let heads = try document.heads.graph().heads
    let current = try? document.heads.current
    if !heads.contains(where: { $0.name == current }) {
      try invocation.console.messages.writeLine(
        "warning: The current head is none of these. 'quire switch' makes one of them current.")
    }
    let lines = heads.map { ($0.name, $0.versions.last?.number ?? 0, $0.versions.last?.saved) }
    if invocation.format == .json {
      return try output.writeLine(
        JSON.array(
          lines.map { name, number, saved in
            .object([
              "name": .string(name), "isCurrent": .boolean(name == current),
              "version": .number("\(number)"),
              "saved": saved.map { ValueText.exchange.json(.date($0)) },
            ])
          }))
    }
    var table = Table()
    for (name, number, saved) in lines {
      table.add(
        "\(name == current ? "*" : " ") \(name)", "\(number)",
        saved.map { Wording.text(.date($0)) } ?? "")
    }
    try output.write(table.text())
  }

  private static func make(
    _ name: String, _ reader: StoreReader, _ invocation: Invocation
  ) throws {
    let word = invocation[.document]
    let isTrial = invocation.has(.dryRun)
    let place = try reader.headPlace(word)
    var start = place.version
    if let words = invocation.value(of: version) {
      guard start == nil else {
        throw CommandError.wrongUsage(
          "'\(oneLine(word))' and --at both name a version.", hint: "Leave out one of them.")
      }
      start = try StoreReader.versionReference(words)
    }
    // The version may be one of any head, and a head is made from the head that has it.
    let found = try start.flatMap {
      $0.head == nil ? try $0.find(inDocumentAt: place.path, in: reader.places) : nil
    }
    let source = found.map { VersionReference(.head($0.head)) } ?? start
    let document = try reader.document(
      place.path, access: isTrial ? .readOnly : .exclusive, version: source)
    defer { try? document.close() }
    let number = found?.number ?? document.manifest.number
    if isTrial {
      try document.heads.check(name)
    } else {
      try document.heads.make(name, at: number)
      try invocation.console.outcome.didChange("The head is made.")
    }
    try write(
      name, "\(isTrial ? "would begin" : "begins") at version \(number) of '\(document.head)'.",
      ["version": .number("\(number)"), "from": .string(document.head)], invocation)
  }

  private static func remove(
    _ name: String, _ reader: StoreReader, _ invocation: Invocation
  ) throws {
    let isTrial = invocation.has(.dryRun)
    let document = try reader.document(
      invocation[.document], access: isTrial ? .readOnly : .exclusive)
    defer { try? document.close() }
    if !invocation.has(force), name != HeadName.main, name != document.head {
      let found = try document.heads.mergeBase(with: name)
      guard found.isMerged else {
        throw CommandError.wrongUsage(
          "The newest version of '\(oneLine(name))', \(found.theirs), is not merged into '\(document.head)', and would be lost.",
          hint:
            "Merge it first: quire merge \(CommandError.quoted(invocation[.document])) \(name). Or give --force."
        )
      }
    }
    if isTrial {
      try document.heads.checkRemoval(of: name)
    } else {
      try document.heads.remove(name)
      try invocation.console.outcome.didChange("The head is removed.")
    }
    try write(name, isTrial ? "would be removed." : "is removed.", [:], invocation)
  }

  /// Prints what happened to a head.
  private static func write(
    _ name: String, _ words: String, _ members: KeyValuePairs<String, JSON?>,
    _ invocation: Invocation
  ) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text: try output.writeLine("The head '\(oneLine(name))' \(words)")
    case .json:
      try output.writeLine(
        JSON.object(["name": .string(name)]).adding(members))
    }
  }
}
