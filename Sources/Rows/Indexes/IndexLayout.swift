/// The sort order of one entity's rows, or of one table's links, by some of their columns (spec §4.5.6).
///
/// A run of an index consists of rows. Its columns are the sorted columns, under their own numbers, and the
/// object's key. The key of each row is its place in the order.
public struct IndexLayout: Sendable, Hashable {
  /// The number that blocks of the index have in place of an entity's number.
  public let number: UInt16
  /// The number of the entity, or of the link table, whose rows are sorted.
  public let entityNumber: UInt16
  /// The sorted columns, the most significant first.
  public let columns: [LayoutColumn]

  /// Creates an index over the given columns of an entity's rows.
  public init(number: UInt16, entityNumber: UInt16, columns: [LayoutColumn]) {
    self.number = number
    self.entityNumber = entityNumber
    self.columns = columns
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
}

extension Schema {
  /// Returns the indexes of the rows with the given entity number.
  public func indexes(ofEntity number: UInt16) -> [IndexLayout] {
    indexes.filter { $0.entityNumber == number }
  }

  /// Returns the index whose first columns are the given columns; `nil` when there is none.
  public func index(ofEntity number: UInt16, by columns: [LayoutColumn]) -> IndexLayout? {
    indexes.first {
      $0.entityNumber == number
        && $0.columns.prefix(columns.count).map(\.number) == columns.map(\.number)
    }
  }
}
