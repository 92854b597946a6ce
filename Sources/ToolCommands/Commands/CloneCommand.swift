import CommandInterface
import DocumentExchange
import Documents
import Foundation
import StoreInterface

/// The command `quire clone`.
enum CloneCommand {
  static let folder = Argument(
    "SOURCE", "The folder of a remote, into which a document was pushed, or a document.",
    role: .input)
  static let document = Argument(
    "DOC", "The path of the new document, a folder. By convention its name is NAME.quire.",
    role: .output)

  /// Returns the command. It makes documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "clone", "makes a document from a remote",
      discussion: """
        The new document has the objects, the identifiers and the versions of the document that was pushed, and \
        SOURCE as its remote 'origin'. New objects of the two documents never get the same identifier.

        'quire sync' exchanges versions from then on. JSON is that of 'quire pull'.
        """,
      arguments: [folder, document], options: [RemoteCommand.sign, RemoteCommand.signers, .format],
      changing: [],
      examples: [
        Example("quire clone Share Copy.quire", "Makes a document from the packs in 'Share'."),
        Example(
          "quire clone Trip.quire Copy.quire",
          "Makes a copy that exchanges with the document itself."),
      ]
    ) { invocation in
      let place = try invocation.output(document, on: reader.disk)!
      try place.checkFree()
      let report = try place.making {
        try Exchange.clone(
          RemoteCommand.absolute(invocation[folder]), to: place.path, in: reader.places,
          signing: RemoteCommand.signing(invocation))
      }
      let made = try reader.document(place.path, access: .readOnly)
      defer { try? made.close() }
      if invocation.format == .text {
        try invocation.console.output.writeLine(
          "\(oneLine(place.path)): made at version \(made.manifest.number).")
        try ExchangeOutput.warn(of: report.skipped, invocation)
      } else {
        try ExchangeOutput.write(report, place.path, invocation)
      }
      return report.conflicts.isEmpty && report.newerModel.isEmpty ? .done : .no
    }
  }
}
