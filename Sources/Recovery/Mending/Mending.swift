import ObjectModel
import Rows
import StoreInterface

/// Makes the recovered contents consistent: removes references to lost objects, and leaves out objects that
/// can't exist without a lost object.
struct Mending {
  private let contents: RecoveredContents
  private let keepsInvalid: Bool
  private var graph: GraphRows
  /// The values to set, before objects and links are removed.
  private var cuts: [Cut] = []
  private var dropped: Set<ObjectKey> = []
  private(set) var cutCounts: [String: Int] = [:]
  private(set) var droppedCounts: [String: Int] = [:]

  private struct Cut {
    var key: ObjectKey
    var column: Int
    var value: Value
  }

  init(_ contents: RecoveredContents, keepsInvalid: Bool) {
    self.contents = contents
    self.keepsInvalid = keepsInvalid
    graph = GraphRows(contents.view)
  }

  private var model: Model { contents.model }
  private var schema: Schema { contents.schema }

  /// Returns the changes that make the recovered contents consistent.
  mutating func run() throws -> Layer {
    for layout in schema.layouts {
      graph.keys[layout.entityNumber] = try contents.view.keys(ofEntity: layout.entityNumber)
    }
    try dropIncomplete()
    if contents.isMixed { try dropShared() }
    // Each object that is left out may make further objects invalid, so repeat.
    var rounds = 0
    repeat {
      try dropDependent()
      rounds += 1
    } while try dropForCounts() && rounds < 64
    try cutReferences()
    try cutLinks()
    return layer()
  }

  private func layer() -> Layer {
    let builder = LayerBuilder(schema)
    for cut in cuts where !dropped.contains(cut.key) {
      builder.set(cut.value, column: cut.column, of: cut.key)
    }
    for key in dropped { builder.remove(key) }
    return builder.freeze()
  }

  // MARK: - Leaving out objects

  private func isThere(_ key: ObjectKey) -> Bool { graph.contains(key) && !dropped.contains(key) }

  private mutating func drop(_ key: ObjectKey) {
    guard !keepsInvalid, dropped.insert(key).inserted, let layout = schema[key.entity] else {
      return
    }
    droppedCounts[layout.entity, default: 0] += 1
  }

  /// Leaves out the objects that have lost a required value, unless the model has a default value.
  private mutating func dropIncomplete() throws {
    for key in contents.incomplete.sorted() where graph.contains(key) {
      guard let layout = schema[key.entity], let row = try contents.view.row(of: key) else {
        continue
      }
      for property in model.properties(of: layout.entity) {
        guard let column = layout.index(of: property.name),
          try row.value(layout.columns[column]).isNull
        else { continue }
        switch property {
        case .attribute(let attribute) where !attribute.isOptional && !attribute.isTransient:
          let value = layout.columns[column].defaultValue
          if value.isNull {
            drop(key)
          } else {
            cuts.append(Cut(key: key, column: column, value: value))
          }
        case .relationship(let relationship)
        where !relationship.isOptional && !relationship.isToMany:
          drop(key)
        default: continue
        }
      }
    }
  }

  /// Leaves out objects with the unique values of another object. Both can't have existed at once; the object
  /// of the later version is kept.
  private mutating func dropShared() throws {
    for entity in model.entities {
      for names in entity.uniquenessConstraints where !names.isEmpty {
        var first: [[Value]: (key: ObjectKey, version: Int64)] = [:]
        for member in model.family(of: entity.name) {
          guard let layout = schema[member.name] else { continue }
          let columns = names.compactMap { layout.index(of: $0) }
          guard columns.count == names.count else { continue }
          try graph.forEach(layout, columns) { key, values, version in
            guard !values.contains(where: \.isNull) else { return }
            guard let other = first[values] else {
              first[values] = (key, version)
              return
            }
            drop(other.version < version ? other.key : key)
            if other.version < version { first[values] = (key, version) }
          }
        }
      }
    }
  }

  /// Leaves out the objects whose required reference refers to no object, then the objects that require these.
  private mutating func dropDependent() throws {
    guard !keepsInvalid else { return }
    var waiting: [ObjectKey] = []
    var dependents: [ObjectKey: [ObjectKey]] = [:]
    for layout in schema.layouts {
      for case .relationship(let relationship) in model.properties(of: layout.entity)
      where !relationship.isToMany && !relationship.isOptional {
        guard let column = layout.index(of: relationship.name) else { continue }
        try graph.forEach(layout, [column]) { key, values, _ in
          guard !dropped.contains(key), case .object(let other) = values[0] else { return }
          if isThere(other) {
            dependents[other, default: []].append(key)
          } else {
            waiting.append(key)
          }
        }
      }
    }
    while let next = waiting.popLast() {
      guard !dropped.contains(next) else { continue }
      drop(next)
      waiting += dependents[next] ?? []
    }
  }

  /// Leaves out the objects that refer to fewer objects than required. Returns whether there were any.
  private mutating func dropForCounts() throws -> Bool {
    guard !keepsInvalid else { return false }
    var isChanged = false
    for layout in schema.layouts {
      for case .relationship(let relationship) in model.properties(of: layout.entity)
      where relationship.isToMany && !relationship.isTransient && !relationship.isOptional
        && relationship.count.minimum > 0
      {
        let counts = try counts(of: relationship, layout)
        let least = relationship.count.minimum
        for number in graph.keys[layout.entityNumber] ?? [] {
          let key = ObjectKey(entity: layout.entityNumber, number: number)
          guard !dropped.contains(key), counts.before[key] ?? 0 >= least,
            counts.now[key] ?? 0 < least
          else { continue }
          drop(key)
          isChanged = true
        }
      }
    }
    return isChanged
  }

  /// Counts the objects to which a relationship leads, with and without lost objects.
  private mutating func counts(
    of relationship: Relationship, _ layout: Layout
  ) throws -> (before: [ObjectKey: Int], now: [ObjectKey: Int]) {
    var before: [ObjectKey: Int] = [:]
    var now: [ObjectKey: Int] = [:]
    if let inverse = model.inverse(of: relationship), !inverse.isToMany {
      for member in model.family(of: relationship.destination) {
        guard let other = schema[member.name], let column = other.index(of: inverse.name) else {
          continue
        }
        try graph.forEach(other, [column]) { key, values, _ in
          guard case .object(let owner) = values[0] else { return }
          now[owner, default: 0] += dropped.contains(key) ? 0 : 1
        }
      }
      // Lost objects have no rows to count. An owner with too few members may have had enough if objects are
      // lost.
      for number in graph.keys[layout.entityNumber] ?? [] {
        before[ObjectKey(entity: layout.entityNumber, number: number)] = contents.isMixed ? .max : 0
      }
    } else if let side = schema.links(of: layout.entity, relationship.name) {
      for side in side.table.isSymmetric ? [side, side.turned] : [side] {
        let columns = side.table.layout
        guard let owner = columns.index(ofNumber: side.owner.number),
          let other = columns.index(ofNumber: side.destination.number)
        else { continue }
        try graph.forEach(columns, [owner, other]) { _, values, _ in
          guard case .object(let owner) = values[0], case .object(let other) = values[1] else {
            return
          }
          before[owner, default: 0] = .max
          if isThere(other) { now[owner, default: 0] += 1 }
        }
      }
    }
    return (before, now)
  }

  // MARK: - Removing references and links

  /// Removes references that refer to no object, or to an object that does not lead back.
  private mutating func cutReferences() throws {
    for layout in schema.layouts {
      for case .relationship(let relationship) in model.properties(of: layout.entity)
      where !relationship.isToMany {
        guard let column = layout.index(of: relationship.name) else { continue }
        let order = layout.index(of: relationship.name + "#order")
        let inverse = model.inverse(of: relationship)
        var back: [ObjectKey: ObjectKey] = [:]
        if contents.isMixed, let inverse, !inverse.isToMany {
          for member in model.family(of: relationship.destination) {
            guard let other = schema[member.name], let column = other.index(of: inverse.name)
            else { continue }
            try graph.forEach(other, [column]) { key, values, _ in
              if case .object(let target) = values[0] { back[key] = target }
            }
          }
        }
        let isOneToOne = inverse.map { !$0.isToMany } ?? false
        var places: [ObjectKey: [(place: Int64?, key: ObjectKey)]] = [:]
        var counts: [ObjectKey: Int] = [:]
        let most = inverse.map { $0.isToMany ? $0.count.maximum : 0 } ?? 0
        try graph.forEach(layout, [column] + (order.map { [$0] } ?? [])) { key, values, _ in
          guard !dropped.contains(key) else { return }
          guard case .object(let other) = values[0] else {
            // The reference is lost, but its place in the order is not.
            if let order, !values[1].isNull {
              cuts.append(Cut(key: key, column: order, value: .null))
            }
            return
          }
          var isSound =
            isThere(other) && (!contents.isMixed || !isOneToOne || back[other] == key)
          if isSound, most > 0, contents.isMixed {
            counts[other, default: 0] += 1
            isSound = counts[other]! <= most
          }
          guard isSound else {
            cuts.append(Cut(key: key, column: column, value: .null))
            if let order { cuts.append(Cut(key: key, column: order, value: .null)) }
            cutCounts["\(layout.entity).\(relationship.name)", default: 0] += 1
            return
          }
          if order != nil, contents.isMixed {
            var place: Int64?
            if case .integer(let number) = values[1] { place = number }
            places[other, default: []].append((place, key))
          }
        }
        if let order { settle(places, order) }
      }
    }
  }

  /// Renumbers the places in an ordered relationship if two objects have the same place, or one has none.
  private mutating func settle(
    _ places: [ObjectKey: [(place: Int64?, key: ObjectKey)]], _ column: Int
  ) {
    for members in places.values {
      let known = members.compactMap(\.place)
      guard known.count < members.count || Set(known).count < known.count else { continue }
      let sorted = members.sorted { ($0.place ?? .max, $0.key) < ($1.place ?? .max, $1.key) }
      for (place, member) in sorted.enumerated() {
        cuts.append(Cut(key: member.key, column: column, value: .integer(Int64(place))))
      }
    }
  }

  /// Removes links that lack an end, or that exist twice.
  private mutating func cutLinks() throws {
    for table in schema.linkTables {
      let layout = table.layout
      guard let source = layout.index(ofNumber: LinkTable.Column.source),
        let target = layout.index(ofNumber: LinkTable.Column.target)
      else { continue }
      var seen: Set<[ObjectKey]> = []
      let orders = layout.columns.indices.filter { $0 != source && $0 != target }
      try graph.forEach(layout, [source, target] + orders) { key, values, _ in
        // A link that has lost its place in an ordered relationship is not a member of it.
        if contents.incomplete.contains(key), values.dropFirst(2).contains(where: \.isNull) {
          dropped.insert(key)
          cutCounts[layout.entity, default: 0] += 1
          return
        }
        if case .object(let one) = values[0], case .object(let other) = values[1],
          isThere(one), isThere(other)
        {
          let ends = table.isSymmetric ? [min(one, other), max(one, other)] : [one, other]
          if seen.insert(ends).inserted { return }
          dropped.insert(key)
          return
        }
        dropped.insert(key)
        cutCounts[layout.entity, default: 0] += 1
      }
    }
  }
}

/// The recovered rows, read column by column.
struct GraphRows {
  private let view: View
  /// The object numbers, by entity.
  var keys: [UInt16: [UInt64]] = [:]

  init(_ view: View) { self.view = view }

  func contains(_ key: ObjectKey) -> Bool {
    guard let keys = keys[key.entity] else { return false }
    let place = keys.firstPosition { $0 >= key.number }
    return place < keys.count && keys[place] == key.number
  }

  /// Calls `body` with each row's key, the values of some columns and the version.
  func forEach(
    _ layout: Layout, _ columns: [Int],
    _ body: (ObjectKey, [Value], Int64) throws -> Void
  ) throws {
    for batch in try view.batches(of: layout) {
      let block = batch.block
      let keys = try block.keys
      let versions = try block.column(LayoutColumn.Number.version)
      let read = try columns.map { try block.column(layout.columns[$0]) }
      for row in 0..<block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        try body(
          ObjectKey(
            entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row))),
          read.map { $0?.value(at: row) ?? .null },
          versions?.integer(at: row) ?? block.version)
      }
    }
  }
}
