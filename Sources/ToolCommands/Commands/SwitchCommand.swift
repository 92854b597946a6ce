import CommandInterface
import Comparison
import Documents
import JSONText

/// The command `quire switch`.
enum SwitchCommand {
  static let head = Argument("HEAD", "The head that becomes current.", kind: .head)

  /// Returns the command. It opens documents through `reader`.
  static func command(_ reader: StoreReader) -> Command {
    Command(
      "switch", "makes a head of a document the current one",
      discussion: """
        Commands and programs that name no head use the current one. Nothing else changes: 'quire branch' lists the \
        heads, and DOC@HEAD reads and changes any of them. A program that has the document open stays on its \
        head.
        """,
      arguments: [.document, head], options: [.format], changing: [.document],
      examples: [
        Example("quire switch Trip.quire draft", "Goes on with the head 'draft'."),
        Example("quire switch Trip.quire main", "Goes back to the first head."),
      ]
    ) { invocation in
      let place = try reader.headPlace(invocation[.document])
      if let head = place.head {
        throw CommandError.wrongUsage(
          "'\(oneLine(invocation[.document]))' names the head '\(head)' already.",
          hint: "Give the document without @, and the head after it.")
      }
      let name = invocation[head]
      let document = try reader.mainHead(place.path, access: .exclusive)
      defer { try? document.close() }
      try document.heads.makeCurrent(name)
      try invocation.console.outcome.didChange("The current head is '\(name)'.")
      let output = invocation.console.output
      switch invocation.format {
      case .text: try output.writeLine("\(oneLine(place.path)): the current head is '\(name)'.")
      case .json: try output.writeLine(JSON.object(["current": .string(name)]))
      }
      return .done
    }
  }
}
