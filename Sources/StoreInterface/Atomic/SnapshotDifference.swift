import ObjectModel
package import Rows

/// Computes the difference between two states of one store.
package enum SnapshotDifference {
  /// Returns the changes that turn one state into another. Each change is based on the version of its row in the
  /// first state.
  ///
  /// A file that is read whole does not contain numbers for its links: each reading numbers them again. So the two ends
  /// of a link identify it, and the changes name it by its number in `store`. They leave out a link of the first state
  /// that `store` does not have.
  ///
  /// - Parameters:
  ///   - store: The state that the changes will be applied to, if it was not read together with the first state.
  ///   - firstLink: Returns the first of some numbers that no link of a table has had, for new links. It gets the
  ///     table's number and the count.
  /// - Throws: The errors of a damaged block, and of `firstLink`.
  package static func changes(
    from old: View, to new: View, schema: Schema, appliedTo store: View? = nil,
    firstLink: (UInt16, Int) throws -> UInt64
  ) throws -> Layer {
    let builder = LayerBuilder(schema)
    for layout in schema.layouts {
      let number = layout.entityNumber
      let orders = try OrderDifference(layout, from: old, to: new)
      let (before, after) = (try old.keys(ofEntity: number), try new.keys(ofEntity: number))
      var index = 0
      for key in after {
        while index < before.count, before[index] < key {
          try remove(ObjectKey(entity: number, number: before[index]), old, builder)
          index += 1
        }
        let isThere = index < before.count && before[index] == key
        if isThere { index += 1 }
        let key = ObjectKey(entity: number, number: key)
        guard let row = try new.row(of: key) else { continue }
        if isThere, let earlier = try old.row(of: key) {
          try change(key, earlier, row, layout, orders, builder, basis: try earlier.version)
        } else {
          try builder.insert(key, copying: row, layout)
        }
      }
      for key in before[index...] {
        try remove(ObjectKey(entity: number, number: key), old, builder)
      }
    }
    for table in schema.linkTables {
      try addLinks(table, from: old, to: new, appliedTo: store, builder, firstLink)
    }
    return builder.freeze()
  }

  /// Adds the changes of links. A link is identified by its two ends.
  private static func addLinks(
    _ table: LinkTable, from old: View, to new: View, appliedTo store: View?,
    _ builder: LayerBuilder, _ firstLink: (UInt16, Int) throws -> UInt64
  ) throws {
    let layout = table.layout
    func ends(_ row: ViewRow) throws -> [Value] {
      try layout.columns.prefix(2).map { try row.value($0) }
    }
    // In a symmetric relationship, a file may swap the ends of a link.
    func pair(_ row: ViewRow) throws -> [Value] {
      let ends = try ends(row)
      guard table.isSymmetric, case .object(let source) = ends[0],
        case .object(let target) = ends[1], target < source
      else { return ends }
      return ends.reversed()
    }
    func links(
      _ view: View, _ repeated: (ObjectKey, ViewRow) throws -> Void = { _, _ in }
    ) throws -> [[Value]: (key: ObjectKey, row: ViewRow)] {
      var links: [[Value]: (ObjectKey, ViewRow)] = [:]
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        let ends = try pair(row)
        if links[ends] == nil { links[ends] = (key, row) } else { try repeated(key, row) }
      }
      return links
    }
    // Two concurrently inserted links between the same objects become one link in the file.
    let before = try links(old) { builder.remove($0, basis: try $1.version) }
    let after = try links(new)
    let stored = try store.map { try links($0) } ?? before
    let orders = try OrderDifference(layout, areLinks: true, from: old, to: new)
    var added: [ViewRow] = []
    for (pair, link) in after.sorted(by: { $0.value.key < $1.value.key }) {
      guard let known = stored[pair] else {
        if before[pair] == nil { added.append(link.row) }
        continue
      }
      try change(
        known.key, known.row, link.row, layout, orders, builder,
        basis: try (before[pair] ?? known).row.version, isTurned: ends(known.row) != ends(link.row))
    }
    if !added.isEmpty {
      let first = try firstLink(layout.entityNumber, added.count)
      for (index, row) in added.enumerated() {
        let key = ObjectKey(entity: layout.entityNumber, number: first + UInt64(index))
        try builder.insert(key, copying: row, layout)
      }
    }
    for (pair, link) in before where after[pair] == nil {
      guard let known = stored[pair] else { continue }
      builder.remove(known.key, basis: try link.row.version)
    }
  }

  private static func remove(_ key: ObjectKey, _ old: View, _ builder: LayerBuilder) throws {
    builder.remove(key, basis: try old.row(of: key)?.version ?? 0)
  }

  private static func change(
    _ key: ObjectKey, _ earlier: ViewRow, _ row: ViewRow, _ layout: Layout,
    _ orders: OrderDifference, _ builder: LayerBuilder, basis: @autoclosure () throws -> Int64,
    isTurned: Bool = false
  ) throws {
    for (position, column) in layout.columns.enumerated() {
      if try !isTurned && orders.isSame(column, row) { continue }
      let value = try row.value(isTurned ? layout.turned(column) : column)
      guard try !value.isIdentical(to: earlier.value(column)) else { continue }
      // Most rows are equal, so their versions need not be read.
      builder.set(value, column: position, of: key, basis: try basis())
    }
  }
}

extension Layout {
  /// Returns the link column that has the role of this column when source and target are swapped.
  fileprivate func turned(_ column: LayoutColumn) -> LayoutColumn {
    let number =
      switch column.number {
      case LinkTable.Column.source: LinkTable.Column.target
      case LinkTable.Column.target: LinkTable.Column.source
      case LinkTable.Column.targetOrder: LinkTable.Column.sourceOrder
      default: LinkTable.Column.targetOrder
      }
    return index(ofNumber: number).map { columns[$0] } ?? column
  }
}

/// The lists of objects that have changed their order.
///
/// A file that stores lists does not contain places. Each reading counts them again, so only the order of a list can
/// be compared.
private struct OrderDifference {
  /// For each order column: the column of the lists' owner, and the owners of lists that differ.
  private var changed: [String: (owner: LayoutColumn, objects: Set<Value>)] = [:]

  init(_ layout: Layout, areLinks: Bool = false, from old: View, to new: View) throws {
    for column in layout.columns where column.name.hasSuffix("#order") {
      // In a link, the place of the target belongs to the list of the source, and vice versa.
      let name = String(column.name.dropLast("#order".count))
      let other = name == "target" ? "source" : "target"
      guard let owner = layout.index(of: areLinks ? other : name) else { continue }
      let columns = layout.columns
      let item = areLinks ? layout.index(of: name).map { columns[$0] } : nil
      let before = try OrderDifference.lists(layout, column, columns[owner], item, old)
      let after = try OrderDifference.lists(layout, column, columns[owner], item, new)
      changed[column.name] = (
        columns[owner], Set(after.keys.filter { before[$0] != after[$0] })
      )
    }
  }

  /// Whether the row has the same place in its list as before, regardless of the number in the column.
  func isSame(_ column: LayoutColumn, _ row: ViewRow) throws -> Bool {
    guard let (owner, objects) = changed[column.name] else { return false }
    return try objects.isEmpty || !objects.contains(row.value(owner))
  }

  /// Returns the list of each owner, in order.
  private static func lists(
    _ layout: Layout, _ place: LayoutColumn, _ owner: LayoutColumn, _ member: LayoutColumn?,
    _ view: View
  ) throws -> [Value: [Value]] {
    var lists: [Value: [(place: Int64, member: Value)]] = [:]
    for number in try view.keys(ofEntity: layout.entityNumber) {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      guard let row = try view.row(of: key) else { continue }
      var position = Int64.max
      if case .integer(let number) = try row.value(place) { position = number }
      lists[try row.value(owner), default: []].append(
        (position, try member.map { try row.value($0) } ?? .object(key)))
    }
    return lists.mapValues { list in
      // Members with equal places stay in the order of their keys.
      list.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
        .map(\.element.member)
    }
  }
}
