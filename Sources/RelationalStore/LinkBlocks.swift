package import ObjectModel
package import Rows
package import SQLTranslation
package import StoreInterface

/// Links of one table, collected into blocks in the order in which a database returns them.
package final class LinkBlocks {
  private let link: TableMap.LinkMap
  private let map: TableMap
  private let path: String
  private let layout: Layout
  /// The places of the ends and the positions among the columns of the layout; `nil` for a position that links of the
  /// table do not have.
  private let source: Int
  private let target: Int
  private let targetOrder: Int?
  private let sourceOrder: Int?
  private let isSymmetric: Bool
  private let versionColumn: Int
  private var drafts: [Draft] = []
  private var seen: Set<[UInt64]> = []
  private var last: Int64 = 0

  /// - Parameter basis: The version that the links are based on; 0 if they are based on none.
  package init(_ link: TableMap.LinkMap, _ map: TableMap, path: String, basis: Int64) {
    (self.link, self.map, self.path) = (link, map, path)
    layout = link.links.layout.versioned(above: basis)
    guard let source = link.links.layout.index(ofNumber: LinkTable.Column.source),
      let target = link.links.layout.index(ofNumber: LinkTable.Column.target)
    else { preconditionFailure("A link has two ends.") }
    (self.source, self.target) = (source, target)
    isSymmetric = link.links.isSymmetric
    versionColumn = layout.columns.count - 1
    targetOrder = link.links.layout.index(ofNumber: LinkTable.Column.targetOrder)
    sourceOrder = link.links.layout.index(ofNumber: LinkTable.Column.sourceOrder)
  }

  /// Returns the blocks of the links that were added.
  package func frozen() -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze(drafts, &writer)
  }

  /// Checks the key of the next link.
  ///
  /// - Parameters:
  ///   - key: The key; `nil` if the cell contains no integer.
  ///   - words: A description of the cell, for messages.
  package func check(key: Int64?, _ words: @autoclosure () -> String) throws -> Int64 {
    guard let key, key >= 1, key <= Int64(ObjectKey.highestNumber) else {
      throw fault("row \(words()) has a number that no link can have")
    }
    // A damaged tree may contain rows out of order, or twice.
    guard key > last else { throw fault("row \(key) comes after row \(last)") }
    last = key
    return key
  }

  /// Returns the object at the source of a link.
  ///
  /// - Parameters:
  ///   - number: The key of the object; `nil` if the cell contains no integer.
  ///   - entity: The number of its entity in the tables; `nil` if it is that of the relationship.
  ///   - words: A description of the cell, for messages.
  package func source(
    _ number: Int64?, entity: Int64?, ofLink key: Int64, _ words: @autoclosure () -> String
  ) throws -> ObjectKey {
    try end(number, entity, link.sources, key, words)
  }

  /// Returns the object at the target of a link, as ``source(_:entity:ofLink:_:)`` does for the source.
  package func target(
    _ number: Int64?, entity: Int64?, ofLink key: Int64, _ words: @autoclosure () -> String
  ) throws -> ObjectKey {
    try end(number, entity, link.targets, key, words)
  }

  private func end(
    _ number: Int64?, _ entity: Int64?, _ destination: TableMap.Destination, _ key: Int64,
    _ words: () -> String
  ) throws -> ObjectKey {
    guard let number, number >= 1, number <= Int64(ObjectKey.highestNumber) else {
      throw fault("row \(key) contains \(words()) instead of a key")
    }
    guard let entity else { return ObjectKey(entity: destination.entity, number: UInt64(number)) }
    guard let known = map.layoutNumbers[entity] else {
      throw fault(
        "row \(key) refers to an object of entity \(entity), which the model does not have")
    }
    return ObjectKey(entity: known, number: UInt64(number))
  }

  /// Adds a link, unless it is symmetric and a row before it has the same ends.
  package func add(
    _ key: Int64, _ source: ObjectKey, _ target: ObjectKey, targetOrder: Int64?,
    sourceOrder: Int64?, version: Int64
  ) {
    if isSymmetric {
      // A symmetric link may have a row in each direction. It has the lower key of the two.
      let pair = [min(source.rawValue, target.rawValue), max(source.rawValue, target.rawValue)]
      guard seen.insert(pair).inserted else { return }
    }
    if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
    let draft = drafts[drafts.count - 1]
    let row = draft.append(key: UInt64(key))
    draft.setReference(source, column: self.source, row: row)
    draft.setReference(target, column: self.target, row: row)
    if let column = self.targetOrder, let targetOrder {
      draft.setInteger(targetOrder, column: column, row: row)
    }
    if let column = self.sourceOrder, let sourceOrder {
      draft.setInteger(sourceOrder, column: column, row: row)
    }
    draft.setInteger(version, column: versionColumn, row: row)
  }

  /// Returns the error for a link in a table.
  package func fault(_ what: String) -> StoreError {
    StoreError(.damaged, "\(link.table): \(what).", path: path)
  }
}
