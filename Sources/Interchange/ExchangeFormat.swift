/// A text format for objects that are exchanged between programs.
public enum ExchangeFormat: String, Sendable, CaseIterable {
  /// JSON Lines: one object in each line.
  case jsonl
  /// Comma-separated values (RFC 4180): one file for each entity.
  case csv

  /// Creates the format from the file-name extension in a path; `nil` for an unknown extension.
  public init?(path: String) {
    let name = path.lowercased()
    if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") {
      self = .jsonl
    } else if name.hasSuffix(".csv") {
      self = .csv
    } else {
      return nil
    }
  }
}

/// A format in which objects are exported.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// JSON Lines: one object in each line.
  case jsonl
  /// Comma-separated values (RFC 4180): one file for each entity.
  case csv
  /// Arrow's columns, which data frames and databases read in place: one file for each entity.
  case arrow
  /// Statements that make the tables of an SQLite database.
  case sql

  /// Creates the format from the file-name extension in a path; `nil` for an unknown extension.
  public init?(path: String) {
    if let own = [ExportFormat.arrow, .sql].first(where: {
      path.lowercased().hasSuffix(".\($0.rawValue)")
    }) {
      self = own
    } else if let text = ExchangeFormat(path: path) {
      self.init(text)
    } else {
      return nil
    }
  }

  init(_ text: ExchangeFormat) {
    self = text == .csv ? .csv : .jsonl
  }

  /// The format of the text; `nil` if the format is not text.
  package var text: ExchangeFormat? {
    switch self {
    case .jsonl: .jsonl
    case .csv: .csv
    case .arrow, .sql: nil
    }
  }

  /// Whether each entity has its own file.
  package var hasTables: Bool { self == .csv || self == .arrow }
}

/// The names of fields that are not properties. Names of properties are identifiers, so they never begin with `@`.
enum FieldName {
  static let entity = "@entity"
  static let identifier = "@id"
  /// The name of a column that is left out.
  static let none = "@none"

  /// Returns whether a name is one of these.
  static func isOwn(_ name: String) -> Bool { name == entity || name == identifier }
}
