/// How columns are named and typed as Arrow arrays (spec §3.7).
enum ArrowFormat {
  /// An array of structures.
  static let structure = "+s"

  /// The children that stand for the block's own columns. No property has a name with a `#` at its
  /// front.
  static let keyName = "#key"
  static let versionName = "#version"
  static let basisName = "#basis"

  /// The child that says which rows' values a change gives.
  static func givenName(of column: String) -> String { column + "#given" }

  /// The schema's metadata that says what the rows are, and what it says.
  static let rowsKey = "quire.rows"

  static func rowsName(of flags: BlockFlags) -> String {
    flags.contains(.changes) ? "changed" : flags.contains(.removals) ? "removed" : "put"
  }

  static func flags(named name: String) -> BlockFlags? {
    switch name {
    case "put": []
    case "changed": .changes
    case "removed": .removals
    default: nil
    }
  }

  static let extensionKey = "ARROW:extension:name"
}

extension ColumnKind {
  /// The formats a child of this kind may have. What we write is the first, or the second where
  /// byte strings are longer than 32-bit offsets reach.
  var arrowFormats: [String] {
    switch self {
    case .boolean: ["b"]
    case .int16: ["s"]
    case .int32: ["i"]
    case .int64: ["l"]
    case .float: ["f"]
    case .double, .date: ["g"]
    case .decimal, .string, .uri: ["u", "U"]
    case .binary: ["z", "Z"]
    case .uuid: ["w:16"]
    case .reference: ["L"]
    }
  }

  /// The name that tells kinds apart which share a format; `nil` for those that need none.
  var arrowExtension: String? {
    switch self {
    case .date: "quire.date"
    case .decimal: "quire.decimal"
    case .uri: "quire.uri"
    case .uuid: "arrow.uuid"
    case .reference: "quire.reference"
    default: nil
    }
  }
}
