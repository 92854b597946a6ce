import Archives
import CommandInterface
import DurableFiles

/// The command `quire unpack`.
enum UnpackCommand {
  static let file = Argument("FILE", "The packed document.", role: .input)
  static let document = Argument(
    "DOC", "The path of the new folder. The default is the name of FILE without .zip.",
    isRequired: false,
    role: .output)

  /// Returns the command. It reads and writes files on `disk`.
  static func command(on disk: any Disk) -> Command {
    Command(
      "unpack", "unpacks a packed document into a folder",
      discussion: """
        The command reads files of 'quire pack', and zip archives of other programs that contain the folder \
        of a document. Before it writes anything, it refuses names that lead out of the folder or that some \
        systems can't distinguish, links, encrypted entries, entries that share bytes, and impossible sizes.

        DOC must not exist, or must be an empty folder. The command checks every byte, and creates DOC \
        completely or not at all.
        """,
      arguments: [file, document], options: [.format],
      examples: [
        Example("quire unpack Trip.quire.zip", "Creates the folder Trip.quire."),
        Example("quire unpack Trip.quire.zip Copy.quire", "Creates a folder with another name."),
      ]
    ) { invocation in
      let path = invocation[file]
      if (try? disk.status(of: path).kind) == .directory {
        throw CommandError.wrongUsage(
          "'\(oneLine(path))' is a folder already, and not a packed document.",
          hint: "'quire save-as' copies the folder of a document.")
      }
      let made =
        try invocation.output(document, on: disk)
        ?? invocation.output(at: Self.folder(for: path), on: disk)
      let folder = made.path
      let line = ProgressLine(invocation.console.messages, "unpacking")
      defer { line.end() }
      let report: ArchiveReport
      do {
        let archive = try Archive(path, on: disk)
        guard archive.isPackedDocument else {
          throw CommandError(
            .unreadable,
            "'\(oneLine(path))' is not a packed document: the archive has neither 'manifest.json' nor "
              + "'mimetype' at its top.", hint: "Unpack it with another program for zip archives.")
        }
        report = try made.making {
          try archive.unpack(to: folder, on: disk) { line.show($0.share) }
        }
      } catch let error as ArchiveError where error.code == .exists {
        throw CommandError(
          .inputOutput, error.message, hint: "Give another folder after the file.")
      }
      line.end()
      try PackCommand.write(report, folder, invocation)
      return .done
    }
  }

  /// Returns the path of the folder next to an archive: `Trip.quire` for `Trip.quire.zip`.
  private static func folder(for path: String) -> String {
    path.lowercased().hasSuffix(".zip") && path.utf8.count > 4
      ? String(path.unicodeScalars.dropLast(4)) : path + ".quire"
  }
}
