import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

// Links that others have put and taken out meanwhile. Two objects are linked once, whoever has linked them, and
// who takes out what is gone has changed nothing.
extension Workspace {
  /// Takes back the links of some layers that lead to what is gone. Everything must be sealed.
  func clearLostLinks(
    _ layers: [Layer], ownDeletions: Bool, in state: StoreState
  ) throws {
    let view = state.source.view
    for table in state.graph.schema.linkTables {
      for (key, _) in try putLinks(of: layers, table) {
        guard let row = try view.row(of: key) else { continue }
        let isLost = try table.ends.contains { end in
          guard case .object(let key) = try row.value(end) else { return false }
          return try self.isLost(key, ownDeletions: ownDeletions, in: state)
        }
        if isLost {
          state.links.remove(key, basis: try row.version)
          state.hasOpenChanges = true
        }
      }
    }
  }

  /// Forgets the changes of links that others have made too. Everything must be sealed.
  func forgetSettledLinks(in state: StoreState) throws {
    let beneath = View(state.tables)
    let view = state.source.view
    var settled: Set<ObjectKey> = []
    for table in state.graph.schema.linkTables {
      for layer in state.pending {
        guard let changes = layer[table.layout.entityNumber] else { continue }
        for one in try changes.entries() {
          if case .put = one.entry { continue }
          let key = ObjectKey(entity: table.layout.entityNumber, number: one.key)
          if try beneath.row(of: key) == nil, try view.row(of: key) == nil { settled.insert(key) }
        }
      }
    }
    if !settled.isEmpty { try state.forgetPending(settled) }
    try forgetDoubleLinks(state.pending, in: state)
    try sealAll()
  }

  /// Forgets those links of some layers that others have put too: theirs have the places of the forgotten from
  /// then on. Everything must be sealed.
  func forgetDoubleLinks(_ layers: [Layer], in state: StoreState) throws {
    var doubles: Set<ObjectKey> = []
    for table in state.graph.schema.linkTables {
      let puts = try putLinks(of: layers, table)
      if puts.isEmpty { continue }
      let view = state.source.view
      var bySource: [ObjectKey: [(key: ObjectKey, target: ObjectKey)]] = [:]
      for (key, location) in puts {
        guard try view.row(of: key) != nil,
          case .object(let source)? = try location.block.value(table.ends[0], row: location.row),
          case .object(let target)? = try location.block.value(table.ends[1], row: location.row)
        else { continue }
        bySource[source, default: []].append((key, target))
      }
      let side = LinkTable.Side(table: table, isForward: true)
      for (source, links) in bySource {
        let all = Dictionary(grouping: try self.links(of: source, side, state), by: \.other)
        for (key, target) in links {
          guard
            let other = all[target]?.first(where: { $0.key != key && !doubles.contains($0.key) })
          else { continue }
          doubles.insert(key)
          try giveOrder(of: key, to: other.key, table, in: state)
        }
      }
    }
    if !doubles.isEmpty {
      orderEnds = [:]
      try state.forgetPending(doubles)
    }
  }

  /// Gives a link the places of another one between the same objects.
  private func giveOrder(
    of double: ObjectKey, to link: ObjectKey, _ table: LinkTable, in state: StoreState
  ) throws {
    let view = state.source.view
    guard let mine = try view.row(of: double), let theirs = try view.row(of: link),
      try mine.value(table.ends[0]) == theirs.value(table.ends[0])
    else { return }
    for column in table.layout.columns.dropFirst(2) {
      guard case .integer(let place) = try mine.value(column),
        try theirs.value(column) != .integer(place)
      else { continue }
      state.links.setOrder(place, column: column, of: link, basis: try theirs.version)
      state.hasOpenChanges = true
    }
  }

  /// The links of a table that some layers put.
  private func putLinks(
    of layers: [Layer], _ table: LinkTable
  ) throws -> [(key: ObjectKey, location: RowLocation)] {
    try layers.flatMap { layer in
      try layer[table.layout.entityNumber]?.entries().compactMap { one in
        guard case .put(let location) = one.entry else { return nil }
        return (ObjectKey(entity: table.layout.entityNumber, number: one.key), location)
      } ?? []
    }
  }
}

extension LinkTable {
  /// The columns of the objects that a link connects: where it leads from, and where to.
  fileprivate var ends: ArraySlice<LayoutColumn> { layout.columns.prefix(2) }
}
