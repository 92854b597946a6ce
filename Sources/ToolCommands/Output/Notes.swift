import CommandInterface
import ObjectModel

// Notes: sentences that the user should know although the command succeeds.

extension Invocation {
  /// Prints each sentence as a note.
  func write(notes: [String]) throws {
    for note in notes { try console.messages.writeLine("note: \(oneLine(note))") }
  }

  /// Prints the warnings about a model, such as a default value that breaks a rule of its own attribute.
  func writeWarnings(about model: Model) throws {
    let shown = model.warnings.prefix(Self.warningLimit).map(\.description)
    let left = model.warnings.count - shown.count
    try write(notes: shown + (left > 0 ? ["\(left) more warnings about the model."] : []))
  }

  private static let warningLimit = 20
}
