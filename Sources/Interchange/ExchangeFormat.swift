/// A form in which objects go from one program to another as text.
public enum ExchangeFormat: String, Sendable, CaseIterable {
  /// A line of JSON an object.
  case jsonl
  /// Comma-separated values (RFC 4180), a file an entity.
  case csv

  /// The form that a file's name tells; `nil` when it tells none.
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

/// The names of what is no property. Names of properties are identifiers, so none of these is one.
enum FieldName {
  static let entity = "@entity"
  static let identifier = "@id"
}
