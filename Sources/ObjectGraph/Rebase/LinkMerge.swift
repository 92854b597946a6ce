import ObjectModel
import Rows

/// Merges links, so that two objects are linked only once even if several saves have linked them.
struct LinkMerge {
  private let rows: RebasedRows

  init(_ rows: RebasedRows) { self.rows = rows }

  /// Removes each link of the changes that another save has made too. The link of that save receives the places of the
  /// removed link.
  func dropDoubles() throws {
    for table in rows.graph.schema.linkTables {
      guard let changes = rows.layer[table.layout.entityNumber], !changes.put.isEmpty else {
        continue
      }
      try dropDoubles(changes, table)
    }
    try rows.seal()
  }

  private func dropDoubles(_ changes: Layer.EntityChanges, _ table: LinkTable) throws {
    let (sourceEnd, targetEnd) = (table.layout.columns[0], table.layout.columns[1])
    var bySource: [ObjectKey: [(key: ObjectKey, target: ObjectKey)]] = [:]
    for one in try changes.entries() {
      guard case .put(let location) = one.entry,
        case .object(let source)? = try location.block.value(sourceEnd, row: location.row),
        case .object(let target)? = try location.block.value(targetEnd, row: location.row),
        try rows.base.row(of: source) != nil, try rows.base.row(of: target) != nil
      else { continue }
      let key = ObjectKey(entity: changes.entityNumber, number: one.key)
      bySource[source, default: []].append((key, target))
    }
    var dropped: Set<ObjectKey> = []
    let side = LinkTable.Side(table: table, isForward: true)
    for (source, links) in bySource.sorted(by: { $0.key < $1.key }) {
      let all = Dictionary(
        grouping: try FoundLink.links(of: source, side, in: rows.source()), by: \.other)
      for (key, target) in links {
        guard let other = all[target]?.first(where: { $0.key != key && !dropped.contains($0.key) })
        else { continue }
        dropped.insert(key)
        try givePlaces(of: key, to: other.key, table)
        try rows.remove(key)
      }
    }
  }

  /// Copies the places of a duplicate link to the link that stays.
  private func givePlaces(
    of double: ObjectKey, to link: ObjectKey, _ table: LinkTable
  ) throws {
    let columns = table.layout.columns
    guard let mine = try rows.row(double), let theirs = try rows.row(link),
      try mine.value(columns[0]) == theirs.value(columns[0])
    else { return }
    for (index, column) in columns.enumerated().dropFirst(2) {
      guard case .integer(let place) = try mine.value(column),
        try theirs.value(column) != .integer(place)
      else { continue }
      try rows.set(.integer(place), column: index, of: link)
    }
  }
}
