import CommandInterface
import StoreInterface

/// The kind of result that the extension of a file's name asks for.
///
/// If a name has no extension, or an unknown one, the command chooses.
enum OutputEnding: Sendable, Hashable {
  case store(StoreType)
  /// Text that `quire export` writes.
  case text
  case document
  case archive

  /// Returns the kind of result that the extension of a path asks for.
  init?(_ path: String) {
    let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      let known = OutputEnding.known.first(where: { $0.key == name[name.index(after: dot)...] })
    else { return nil }
    self = known.value
  }

  private static let known: KeyValuePairs<String, OutputEnding> = [
    "xml": .store(.xml), "store": .store(.binary), "sqlite": .store(sqlite),
    "sqlite3": .store(sqlite), "db": .store(sqlite), "jsonl": .text, "json": .text, "csv": .text,
    "quire": .document, "zip": .archive,
  ]

  /// The type of the stores of the plug-in SQLiteStore.
  static let sqlite = StoreType(rawValue: "SQLite")

  /// Returns the type of store that a path asks for; `nil` if the command chooses.
  ///
  /// - Throws: ``CommandError`` for a path that asks for no store. The error names the command to use.
  static func storeType(of path: String, from source: String) throws(CommandError) -> StoreType? {
    switch OutputEnding(path) {
    case nil: return nil
    case .store(let type)?: return type
    case let other?: throw other.refusal(path, source, "a store")
    }
  }

  /// Throws an error for a path that asks for a result other than a document.
  static func checkDocument(_ path: String, from source: String) throws(CommandError) {
    try checkIsFile(path, source, "a document's folder")
    guard let ending = OutputEnding(path), ending != .document else { return }
    throw ending.refusal(path, source, "a document's folder")
  }

  /// Throws an error for a path that asks for a result other than text.
  static func checkText(_ path: String, from source: String) throws(CommandError) {
    try checkIsFile(path, source, "text")
    guard let ending = OutputEnding(path), ending != .text else { return }
    throw ending.refusal(path, source, "text")
  }

  /// Throws an error for a path that asks for a result other than a page of HTML.
  static func checkPage(_ path: String, from source: String) throws(CommandError) {
    try checkIsFile(path, source, "a page of HTML")
    if let ending = OutputEnding(path) { throw ending.refusal(path, source, "a page of HTML") }
  }

  /// Throws an error for the address of a store, such as the URL of a database.
  private static func checkIsFile(
    _ path: String, _ source: String, _ wanted: String
  ) throws(CommandError) {
    guard path.contains("://") else { return }
    throw .wrongUsage(
      "'\(oneLine(path))' is the address of a store, and the command writes \(wanted).",
      hint:
        "Give the path of a file, or make a store there: 'quire convert \(oneLine(source)) \(oneLine(path))'."
    )
  }

  private func refusal(_ path: String, _ source: String, _ made: String) -> CommandError {
    let (path, source) = (oneLine(path), oneLine(source))
    let (kind, command) =
      switch self {
      case .store: ("a store", "quire convert \(source) \(path)")
      case .text: ("text", "quire export \(source) --output \(path)")
      case .document: ("a document", "quire save-as \(source) \(path)' or 'quire new \(path)")
      case .archive: ("a packed document", "quire pack \(source) \(path)")
      }
    return .wrongUsage(
      "The name '\(path)' is for \(kind), but this command creates \(made).",
      hint: "Run '\(command)', or give the result another name.")
  }
}
