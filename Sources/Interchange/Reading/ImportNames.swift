import ModelNotations

/// The names of a model for names in files that differ from them.
///
/// ```text
/// guides=Guide,Start Date=start,stops.city=place,legacy=
/// ```
///
/// A name on the left is a table, a column, or a column of one table after a point. A column without a name on the right is
/// left out.
package struct ImportNames: Sendable, Hashable {
  private var names: [String: String] = [:]

  /// A part of the list that is not a pair of names.
  package struct Fault: Error, Sendable {
    package let part: String
  }

  /// Creates names without any differences.
  package init() {}

  /// Creates names from a list of pairs with commas between.
  package init(_ text: String) throws(Fault) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sign = part.lastIndex(of: "="), sign != part.startIndex else {
        throw Fault(part: String(part))
      }
      names[String(part[..<sign])] = String(part[part.index(after: sign)...])
    }
  }

  /// The names on the left.
  package var given: Set<String> { Set(names.keys) }

  /// Returns the name on the left that applies to a table.
  func key(ofTable table: String) -> String? { names[table] == nil ? nil : table }

  /// Returns the entity that a table goes to; `nil` if the table keeps its name.
  func entity(ofTable table: String) -> String? { names[table] }

  /// Returns the name on the left that applies to a column; `nil` if the column keeps its name.
  func key(ofColumn column: String, in table: String) -> String? {
    ["\(table).\(column)", column].first { names[$0] != nil }
  }

  /// Whether the name is on the right.
  func gives(_ name: String) -> Bool { names.values.contains(name) }

  /// Returns the name on the right; empty for a column that is left out.
  subscript(key: String) -> String? { names[key] }
}
