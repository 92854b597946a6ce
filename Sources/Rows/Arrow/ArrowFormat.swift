/// The names and types of columns as Arrow arrays (spec §3.7).
enum ArrowFormat {
  /// The format of an array of structures.
  static let structure = "+s"

  /// The names of the children for the block's own columns. No property's name begins with `#`.
  static let keyName = "#key"
  static let versionName = "#version"
  static let basisName = "#basis"

  /// Returns the name of the child with one bit for each row, 1 where a change gives the value of `column`.
  static func givenName(of column: String) -> String { column + "#given" }

  /// The metadata key that says whether rows are whole, changed or removed. The next two functions convert its
  /// values.
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
  /// The formats that a child of this kind may have. The writer uses the first format, or the second where byte
  /// strings exceed 32-bit offsets.
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

  /// The extension name that distinguishes kinds with the same format; `nil` for a kind that needs no name.
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
