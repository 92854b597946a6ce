import StoreInterface

/// The kind of result that the ending of a path's name asks for.
///
/// A name without an ending, or with one that means nothing here, leaves the choice to the command.
enum OutputEnding: Sendable, Hashable {
  /// A store of a type.
  case store(StoreType)
  /// Text that `quire export` writes.
  case text
  /// A document's folder.
  case document
  /// A packed document.
  case archive

  /// The meaning of the ending of a path.
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

  /// The type of the stores that the plug-in SQLiteStore brings.
  static let sqlite = StoreType(rawValue: "SQLite")

  /// The type of store that a path asks for; `nil` where the command chooses.
  ///
  /// - Throws: ``CommandError`` that names the command for a path that asks for no store.
  static func storeType(of path: String, from source: String) throws(CommandError) -> StoreType? {
    switch OutputEnding(path) {
    case nil: return nil
    case .store(let type)?: return type
    case let other?: throw other.refusal(path, source, "a store")
    }
  }

  /// Refuses a path that asks for something else than a document.
  static func checkDocument(_ path: String, from source: String) throws(CommandError) {
    guard let ending = OutputEnding(path), ending != .document else { return }
    throw ending.refusal(path, source, "a document's folder")
  }

  /// Refuses a path that asks for something else than text.
  static func checkText(_ path: String, from source: String) throws(CommandError) {
    guard let ending = OutputEnding(path), ending != .text else { return }
    throw ending.refusal(path, source, "text")
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
      "The name '\(path)' asks for \(kind), and this command makes \(made).",
      hint: "Run '\(command)', or give the result another name.")
  }
}
