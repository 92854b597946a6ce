import Archives
import CommandInterface
import Documents
import DurableFiles
import JSONText
import QuireTools

/// The command `quire pack`.
enum PackCommand {
  static let document = Argument("DOC", "The folder of a document.", role: .input)
  static let file = Argument(
    "FILE", "The path of the new file. The default is the name of DOC with .zip at the end.",
    isRequired: false, role: .file)
  static let force = Option(Option.forceName, "Replaces an existing file.")

  /// Returns the command. It reads and writes files on `disk`.
  static func command(on disk: any Disk) -> Command {
    Command(
      "pack", "packs the folder of a document into one file",
      discussion: """
        The file is an ordinary zip archive. Other programs can list and unpack it, and Quire reads the \
        stores inside without unpacking them. Equal folders give equal bytes.

        Hidden files are omitted. Links are refused, and so are names that some systems can't store or can't \
        distinguish. The command creates FILE completely or not at all.
        """,
      arguments: [document, file], options: [force, .format],
      examples: [
        Example("quire pack Trip.quire", "Writes Trip.quire.zip."),
        Example(
          "quire pack Trip.quire Trip.zip --force",
          "Writes Trip.zip, and replaces an existing file."),
      ]
    ) { invocation in
      let folder = invocation[document]
      let made =
        try invocation.output(file, on: disk)
        ?? invocation.output(at: defaultPath(for: folder), on: disk)
      let path = made.path
      try made.checkFree()
      let kind = try? disk.status(of: folder).kind
      if kind == .file {
        guard try !Archive.isPackedDocument(at: folder, on: disk) else {
          throw CommandError.wrongUsage("'\(oneLine(folder))' is a packed document already.")
        }
        throw CommandError.wrongUsage(
          "'\(oneLine(folder))' is a file, and 'quire pack' takes the folder of a document.",
          hint: CommandError.otherFileHint(folder)
            ?? "'quire save-as' makes a document of a store.")
      }
      if kind == .directory,
        try !disk.exists(folder.trimmingSlashes + "/manifest.json")
      {
        throw CommandError(
          .unreadable, "'\(oneLine(folder))' is not a document: it has no file 'manifest.json'.",
          hint: "'quire pack' takes the folder of a document. 'quire new' makes a document.")
      }
      let line = ProgressLine(invocation.console.messages, "packing")
      defer { line.end() }
      let report: ArchiveReport
      do {
        report = try made.making {
          try DocumentPacking(folder, on: disk).holdingStill { packing in
            func pack(into path: String) throws -> ArchiveReport {
              try packing.run(into: path, overwriting: made.overwrites) { line.show($0.share) }
            }
            return try made.isStandard ? made.make(pack(into:)) : pack(into: path)
          }
        }
      } catch let error as DocumentError where error.code == .locked {
        throw CommandError(.inputOutput, oneLine(error.message), hint: "Run the command again.")
      } catch let error as ArchiveError {
        // The archive does not exist yet, so the error is about the contents of the folder.
        throw CommandError(.inputOutput, error.message)
      }
      line.end()
      try write(report, path, invocation)
      return .done
    }
  }

  /// Returns the path of the archive next to a folder: `Trip.quire.zip` for `Trip.quire`.
  private static func defaultPath(for folder: String) throws -> String {
    let path = folder.trimmingSlashes
    guard let name = path.split(separator: "/").last, name != ".", name != ".." else {
      throw CommandError.wrongUsage(
        "'\(folder)' has no name for the file.",
        hint: "Give the file: 'quire pack \(folder) FILE'.")
    }
    return path + ".zip"
  }

  /// Prints the description of the new archive.
  static func write(_ report: ArchiveReport, _ path: String, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      try output.writeLine(
        "\(oneLine(path)): \(Wording.count(report.fileCount, "file")), "
          + "\(Wording.count(report.byteCount, "byte")), \(report.archiveByteCount) packed")
    case .json:
      try output.writeLine(
        JSON.object([
          "path": .string(path), "fileCount": .number(report.fileCount),
          "byteCount": .number(report.byteCount),
          "archiveByteCount": .number(report.archiveByteCount),
        ]))
    }
  }
}
