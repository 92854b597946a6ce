import CommandInterface
import StoreInterface

/// The author and the message of the versions that a command saves.
struct SaveOrigin: Sendable {
  var author: String
  var message: String?

  /// The author if neither the command line nor the environment names one.
  static let usualAuthor = "quire"
  /// The environment variables that name the author, the first one with a value: the variable of the tool, and those with
  /// the name under which the user has logged in.
  static let authorVariables = ["QUIRE_AUTHOR", "USER", "LOGNAME"]
}

extension Option {
  /// The option for the message of a saved version.
  static let message = Option(
    "message", short: "m", value: "MESSAGE",
    "A message about the changes, for people. 'quire history' shows it.")
  /// The option for the author of a saved version.
  static let author = Option(
    "author", value: "NAME",
    "The author of the changes. The default is the value of QUIRE_AUTHOR, or else the name of the login."
  )
}

extension Invocation {
  /// Returns the author and the message of the command line.
  ///
  /// - Throws: ``CommandError`` for an empty author or message.
  func saveOrigin() throws(CommandError) -> SaveOrigin {
    let known = SaveOrigin.authorVariables.lazy.compactMap { console.environment[$0] }
      .first { !$0.isEmpty }
    var origin = SaveOrigin(author: known ?? SaveOrigin.usualAuthor)
    if let author = try text(of: .author) { origin.author = author }
    origin.message = try text(of: .message)
    return origin
  }

  /// Returns the value of an option that must not be empty.
  private func text(of option: Option) throws(CommandError) -> String? {
    guard let text = value(of: option) else { return nil }
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw .wrongUsage("The value of --\(option.name) is empty.", hint: "Leave out the option.")
    }
    return text
  }
}

extension StoreReader {
  /// Returns whether saves of a store can have messages.
  func keepsMessages(_ store: any Store, at path: String) throws -> Bool {
    try isDocument(path) || [.binary, .compressed].contains(store.type)
  }

  /// Throws an error for a message that the store would not keep.
  func checkMessage(
    for store: any Store, at path: String, _ invocation: Invocation
  ) throws {
    guard invocation.has(.message), try !keepsMessages(store, at: path) else { return }
    throw CommandError.keepsNoMessages(path, store)
  }
}

extension CommandError {
  /// Returns the error for a message about a save of a store that keeps no messages.
  static func keepsNoMessages(_ path: String, _ store: any Store) -> CommandError {
    .wrongUsage(
      "'\(oneLine(path))' is a store of type \(store.type.rawValue), which keeps no messages.",
      hint: "Leave out --message, or use a document or a block file: 'quire convert' makes one.")
  }
}
