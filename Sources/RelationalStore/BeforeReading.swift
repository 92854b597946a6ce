import ObjectModel
import Rows
import SQLTranslation
package import StoreInterface

/// Reads the rows that a commit is about to replace or remove: whole, with their versions.
///
/// The basis of each row is the commit, so that several such layers can be merged into one.
package struct BeforeReading<Source: Database> {
  private let database: Source
  private let contents: StoreContents
  /// The number of the commit that will write the changes.
  private let number: Int64

  package init(_ database: Source, _ contents: StoreContents, commit number: Int64) {
    (self.database, self.contents, self.number) = (database, contents, number)
  }

  /// Returns the rows and metadata that a commit replaces; `nil` if the commit changes the model, because it then keeps no
  /// history.
  package func rows(replacedBy request: CommitRequest) throws -> RowsBefore? {
    guard request.model == nil else { return nil }
    return RowsBefore(
      try layer(request.changes), list: request.metadata == nil ? nil : contents.list)
  }

  /// Returns the replaced rows, and removals of the rows that the changes insert.
  private func layer(_ changes: Layer) throws -> Layer {
    Layer(try changes.entities.map { try before($0) })
  }

  private func before(_ changes: Layer.EntityChanges) throws -> Layer.EntityChanges {
    var (old, new) = try changes.touchedKeys()
    if let link = contents.map.links[changes.entityNumber], link.links.isSymmetric {
      // Of links with the same two ends, readers see only the one with the lowest key. So new links hide stored ones.
      let hidden = try database.linksHidden(by: BeforeReading.ends(of: changes.put), in: link)
      old = Array(Set(old).union(hidden))
    }
    old.sort()
    return Layer.EntityChanges(
      entityNumber: changes.entityNumber,
      put: BlockRun(try rows(old, changes.entityNumber)),
      removed: BlockRun(
        contents.schema[changes.entityNumber].map {
          RowsBefore.removals(of: new, $0, basis: number)
        } ?? []))
  }

  private static func ends(of run: BlockRun) throws -> [LinkEnds] {
    try run.blocks.flatMap { block -> [LinkEnds] in
      let keys = try block.keys
      let source = try block.column(LinkTable.Column.source)
      let target = try block.column(LinkTable.Column.target)
      return (0..<block.rowCount).compactMap { row in
        guard let one = source?.reference(at: row), let other = target?.reference(at: row) else {
          return nil
        }
        return LinkEnds(
          key: keys.integer(at: row), source: Int64(one.number), target: Int64(other.number))
      }
    }
  }

  private func rows(_ keys: [UInt64], _ number: UInt16) throws -> [Block] {
    guard !keys.isEmpty else { return [] }
    if let entity = contents.map.entities[number] {
      return try database.rows(.keys(keys), of: entity, in: contents.map, basis: self.number)
    }
    guard let link = contents.map.links[number] else { return [] }
    return try database.links(keys, of: link, in: contents.map, basis: self.number)
  }
}
