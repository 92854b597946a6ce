import CommandInterface
import DocumentExchange
import Documents
import DurableFiles
import Foundation
import JSONText

/// The command `quire remote`.
enum RemoteCommand {
  static let action = Argument(
    "ACTION", "The action",
    oneOf: [
      Choice("list", "shows the remotes", options: []),
      Choice("add", "adds one", options: [sign, signers]),
      Choice("remove", "removes one; its folder stays as it is", options: []),
    ])
  static let name = Argument(
    "NAME", "The name of the remote. The first is usually 'origin'.", isRequired: false)
  static let folder = Argument(
    "FOLDER",
    "The folder, which may be empty: in a sync folder, on a stick or a share. Or another copy of the document.",
    isRequired: false, role: .input)

  static let sign = Option(
    "sign", value: "KEY", role: .input,
    "Signs what is sent with a key of SSH, and accepts nothing that is not signed by one of --signers."
  )
  static let signers = Option(
    "signers", value: "FILE", role: .input,
    "The trusted keys: a name and a public key on each line, as 'ssh-keygen -Y' reads them.")

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "remote", "lists, adds and removes the remotes of a document",
      discussion: """
        A remote is a folder through which copies of a document exchange versions. Anything may carry it: a sync \
        program, a USB stick, a network share, a git repository, rsync. It contains files that are never changed, \
        so it needs no server and no lock. A remote may also be another copy of the document itself.

        The remotes belong to this copy of the document. A copy that 'quire clone' makes has one of its own, and a copy \
        by any other way has none. JSON is a list of objects with 'name' and 'path'.
        """,
      arguments: [action, .document, name, folder], options: [sign, signers, .format],
      changing: [.document],
      examples: [
        Example("quire remote add Trip.quire stick Share", "Adds the folder 'Share'."),
        Example("quire remote list Trip.quire", "Lists the remotes."),
        Example("quire remote remove Trip.quire origin", "Forgets the remote."),
      ]
    ) { invocation in
      let words = (invocation.value(of: name), invocation.value(of: folder))
      switch (invocation[action], words.0, words.1) {
      case ("list", nil, nil):
        let document = try reader.document(invocation[.document], access: .readOnly)
        defer { try? document.close() }
        try write(document, invocation)
      case ("add", let name?, let folder?):
        guard try reader.disk.statusIfThere(folder)?.kind == .directory else {
          throw CommandError.wrongUsage(
            "'\(oneLine(folder))' is not a folder.",
            hint: "Make it first: mkdir \(CommandError.quoted(folder))")
        }
        let signing = try signing(invocation)
        try change(reader, invocation) {
          try $0.addRemote(named: name, at: absolute(folder), signing: signing)
        }
      case ("remove", let name?, nil):
        try change(reader, invocation) { try $0.removeRemote(named: name) }
      case ("add", nil, _): throw CommandError.wrongUsage("Missing argument NAME: \(name.help)")
      case ("add", _, nil): throw CommandError.wrongUsage("Missing argument FOLDER: \(folder.help)")
      case ("remove", nil, _): throw CommandError.wrongUsage("Missing argument NAME: \(name.help)")
      default:
        throw CommandError.wrongUsage(
          "Unexpected argument '\(oneLine(words.1 ?? words.0 ?? ""))'.")
      }
      return .done
    }
  }

  /// Returns the key and the trusted keys of the command line.
  static func signing(_ invocation: Invocation) throws -> Exchange.Signing? {
    switch (invocation.value(of: sign), invocation.value(of: signers)) {
    case (nil, nil): return nil
    case (let key?, let file?):
      return Exchange.Signing(key: absolute(key), signers: absolute(file))
    default:
      throw CommandError.wrongUsage("--sign and --signers belong together: give both.")
    }
  }

  /// Returns the path from the root, because a remote is used from any folder.
  static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  private static func change(
    _ reader: StoreReader, _ invocation: Invocation, _ body: (Document) throws -> Void
  ) throws {
    let document = try reader.document(invocation[.document], access: .shared)
    defer { try? document.close() }
    try body(document)
    try write(document, invocation)
  }

  private static func write(_ document: Document, _ invocation: Invocation) throws {
    let remotes = try document.remoteFolders
    let output = invocation.console.output
    if invocation.format == .json {
      return try output.writeLine(
        JSON.array(
          remotes.map { .object(["name": .string($0.name), "path": .string($0.path)]) }))
    }
    if remotes.isEmpty { return try output.writeLine("The document has no remote.") }
    var table = Table()
    for (name, path) in remotes { table.add(name, oneLine(path)) }
    try output.write(table.text())
  }
}
