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

/// The names of fields that are not properties. Names of properties are identifiers, so they never begin with `@`.
enum FieldName {
  static let entity = "@entity"
  static let identifier = "@id"
  /// The name of a column that is left out.
  static let none = "@none"

  /// Returns whether a name is one of these.
  static func isOwn(_ name: String) -> Bool { name == entity || name == identifier }
}
