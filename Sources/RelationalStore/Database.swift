package import ObjectModel
package import Rows
package import SQLTranslation
package import StoreInterface

/// A database in a transaction, with the tables of a store: the part of a store in which databases differ.
///
/// A store of another kind of database brings this protocol, a `SQLDialect`, and the class that opens connections. The
/// functions are coarse, one call for all rows of a selection, so that the loop over the cells of a database is compiled
/// together with the reading of its cells.
package protocol Database {
  /// The place of the database, for messages.
  var path: String { get }

  // MARK: - Rows

  /// Returns rows of an entity in the order of their keys, with their versions as the last column.
  ///
  /// - Parameter basis: The version that the rows are based on; 0 if they are based on none.
  func rows(
    _ keys: RowSelection, of entity: TableMap.EntityMap, in map: TableMap, basis: Int64
  ) throws -> [Block]

  /// Returns links in the order of their keys, with their versions as the last column.
  ///
  /// - Parameters:
  ///   - keys: The keys of the links, which ascend; `nil` for all links.
  ///   - basis: The version that the links are based on; 0 if they are based on none.
  func links(
    _ keys: [UInt64]?, of link: TableMap.LinkMap, in map: TableMap, basis: Int64
  ) throws -> [Block]

  /// Returns the lowest and the highest key of an entity's rows; `nil` if there are no rows.
  ///
  /// - Throws: `StoreError` also for a key that no object can have, because later reads of ranges of keys would skip it.
  func keyBounds(of entity: TableMap.EntityMap) throws -> ClosedRange<UInt64>?

  /// Returns the lowest stored link between the two ends of each given link, if its key is above the given link's key.
  func linksHidden(by links: [LinkEnds], in link: TableMap.LinkMap) throws -> [UInt64]

  // MARK: - History

  /// Returns the numbers of the commits in a range, newest first; `nil` if the history does not lead from the end of the
  /// range to its beginning.
  func history(of range: ClosedRange<Int64>) throws -> [Int64]?

  /// Returns the rows and metadata before each of some commits.
  func rowsBefore(_ commits: [Int64], _ schema: Schema) throws -> [Int64: RowsBefore]

  // MARK: - Requests

  /// Returns the objects that a statement finds: its cells are the number of an entity and a key. `nil` if the
  /// database can't answer.
  func keys(_ query: SQLQuery, in map: TableMap) throws -> [ObjectKey]?

  /// Returns the values of the rows that a statement finds; `nil` if the database can't answer.
  func values(_ query: SQLTableQuery, in map: TableMap) throws -> [[Value]]?
}

extension TableMap {
  /// Returns an object that a statement found.
  ///
  /// - Parameter entity: The number of its entity in the tables.
  package func object(entity: Int64?, _ number: Int64?) throws(NotTranslatable) -> ObjectKey {
    guard let entity, let layout = layoutNumbers[entity] else { throw NotTranslatable() }
    return try TableMap.object(of: layout, number)
  }

  /// Returns an object that a statement found.
  ///
  /// - Parameter entity: The number of the layout of its entity.
  package static func object(
    of entity: UInt16, _ number: Int64?
  ) throws(NotTranslatable) -> ObjectKey {
    guard let number = number.flatMap({ UInt64(exactly: $0) }), number <= ObjectKey.highestNumber
    else { throw NotTranslatable() }
    return ObjectKey(entity: entity, number: number)
  }
}

extension SQLOutput {
  /// The number of cells of the value.
  package var cellCount: Int { self == .objectAndEntity ? 2 : 1 }
}

extension SQLTableQuery {
  /// The index of the first cell of each value.
  package var places: [Int] {
    var place = 0
    return values.map { value in
      defer { place += value.cellCount }
      return place
    }
  }
}
