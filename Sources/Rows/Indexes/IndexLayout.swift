/// The sort order of one entity's rows, or of one table's links, by some of their columns (spec §4.5.6).
///
/// A run of an index consists of rows. Its columns are the sorted columns, under their own numbers, and the
/// object's key. The key of each row is its place in the order.
///
/// An index of words sorts the words of one text. It has an entry for each different word of each object's text.
public struct IndexLayout: Sendable, Hashable {
  /// The number that blocks of the index have in place of an entity's number.
  public let number: UInt16
  /// The number of the entity, or of the link table, whose rows are sorted.
  public let entityNumber: UInt16
  /// The sorted columns, the most significant first.
  public let columns: [LayoutColumn]
  /// Whether the entries are the words of the only column, and not its values.
  public let isOfWords: Bool

  /// Creates an index over the given columns of an entity's rows.
  public init(
    number: UInt16, entityNumber: UInt16, columns: [LayoutColumn], isOfWords: Bool = false
  ) {
    self.number = number
    self.entityNumber = entityNumber
    self.columns = columns
    self.isOfWords = isOfWords
  }
}

extension IndexLayout {
  /// Returns the columns by which a store sorts an entity's rows. They come from references that define to-many
  /// relationships, from the model's fetch indexes, and from its uniqueness constraints.
  static func wanted(
    _ layout: Layout, _ references: [[String]], _ others: [[String]]
  ) -> [[LayoutColumn]] {
    var wanted: [[LayoutColumn]] = []
    for names in references + others {
      let columns = names.compactMap { name in layout.index(of: name).map { layout.columns[$0] } }
      guard columns.count == names.count, !columns.isEmpty,
        columns.allSatisfy({ $0.kind != .binary }),
        Set(columns.map(\.number)).count == columns.count, !wanted.contains(columns)
      else { continue }
      wanted.append(columns)
    }
    return wanted
  }

  /// Returns the columns of texts for which a store keeps an index of words. Each index has one column.
  static func wanted(_ layout: Layout, _ texts: [String]) -> [[LayoutColumn]] {
    var wanted: [[LayoutColumn]] = []
    for name in texts {
      guard let column = layout.index(of: name).map({ [layout.columns[$0]] }),
        column[0].kind == .string, !wanted.contains(column)
      else { continue }
      wanted.append(column)
    }
    return wanted
  }
}

extension Schema {
  /// Returns the indexes of the values of the rows with the given entity number.
  public func indexes(ofEntity number: UInt16) -> [IndexLayout] {
    indexes.filter { $0.entityNumber == number && !$0.isOfWords }
  }

  /// Returns the index of the words of a text; `nil` when there is none.
  package func wordIndex(ofEntity number: UInt16, column: UInt16) -> IndexLayout? {
    indexes.first {
      $0.entityNumber == number && $0.isOfWords && $0.columns[0].number == column
    }
  }

  /// Returns the index whose first columns are the given columns; `nil` when there is none.
  public func index(ofEntity number: UInt16, by columns: [LayoutColumn]) -> IndexLayout? {
    indexes.first {
      $0.entityNumber == number && !$0.isOfWords
        && $0.columns.prefix(columns.count).map(\.number) == columns.map(\.number)
    }
  }
}
