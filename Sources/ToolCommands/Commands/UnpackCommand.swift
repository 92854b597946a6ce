import Archives
import DurableFiles

/// The command `quire unpack`.
enum UnpackCommand {
  static let file = Argument("FILE", "The packed document.", role: .input)
  static let document = Argument(
    "DOC", "The folder that is made; unless said, FILE's name without .zip.", isRequired: false,
    role: .output)

  /// Returns the command. It reads and writes files on `disk`.
  static func command(on disk: any Disk) -> Command {
    Command(
      "unpack", "makes the folder of a packed document",
      discussion: """
        Takes what 'quire pack' wrote, and zip archives of other programs that hold what is in a document's \
        folder. Names that lead out of the folder or are one on some system, links, encrypted entries, \
        entries that share bytes and sizes that can't be are refused before anything is made.

        DOC must not be there, or be an empty folder. It is there when everything is in it and every byte \
        is the one that was packed, or not at all.
        """,
      arguments: [file, document], options: [.format],
      examples: [
        Example("quire unpack Trip.quire.zip", "Makes the folder Trip.quire."),
        Example("quire unpack Trip.quire.zip Copy.quire", "Makes a folder of another name."),
      ]
    ) { invocation in
      let path = invocation[file]
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
            "'\(oneLine(path))' is no packed document: there is neither 'manifest.json' nor 'mimetype' at the top of the "
              + "archive.", hint: "Unpack it with a program for zip archives.")
        }
        report = try made.making {
          try archive.unpack(to: folder, on: disk) { line.show($0.share) }
        }
      } catch let error as ArchiveError where error.code == .exists {
        throw CommandError(
          .inputOutput, error.message, hint: "Name another folder behind the file.")
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
