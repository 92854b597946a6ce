import Foundation
import ObjectModel
import Rows
import SeededRandom
import Testing

/// Objects as plain dictionaries, to compare layers with.
private typealias Objects = [UInt64: [Value]]

/// A layer under construction, with the expected objects.
private struct Twin {
  let layout: Layout
  let schema: Schema
  var objects: Objects

  func randomLayer(
    _ operations: Int, version: Int64?, using generator: inout SeededGenerator
  ) -> (layer: Layer, after: Objects) {
    let builder = LayerBuilder(schema)
    var objects = objects
    for _ in 0..<operations {
      let number = UInt64.random(in: 1...60, using: &generator)
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      let column = Int.random(in: 0..<layout.columns.count, using: &generator)
      if objects[number] == nil {
        builder.insert(key)
        objects[number] = layout.columns.map(\.defaultValue)
      } else if Int.random(in: 0..<4, using: &generator) == 0 {
        builder.remove(key, basis: 1)
        objects[number] = nil
      } else {
        let value = Sample.value(
          of: layout.columns[column].kind, isOptional: true, using: &generator)
        builder.set(value, column: column, of: key, basis: 1)
        objects[number]![column] = value
      }
    }
    return (builder.freeze(version: version), objects)
  }

  func check(_ view: View, is objects: Objects, _ comment: Comment) throws {
    #expect(try view.keys(ofEntity: layout.entityNumber) == objects.keys.sorted(), comment)
    for number: UInt64 in 1...60 {
      let row = try view.row(of: ObjectKey(entity: layout.entityNumber, number: number))
      let values = try row.map { row in try layout.columns.map { try row.value($0) } }
      let same = zip(values ?? [], objects[number] ?? []).allSatisfy { isSame($0, $1) }
      #expect((values == nil) == (objects[number] == nil) && same, "object \(number), \(comment)")
    }
    // Many rows of a column are read at once, in their order and in any other.
    let index = layout.index(of: "next")!
    for numbers in [Array(1...60), [60, 1, 59, 59, 2, 30, 31, 0]] as [[UInt64]] {
      let found = try view.references(
        in: layout.columns[index], ofRows: numbers, ofEntity: layout.entityNumber)
      let wanted = numbers.map { number -> ObjectKey? in
        if case .object(let key)? = objects[number]?[index] { key } else { nil }
      }
      #expect(found == wanted, "rows \(numbers), \(comment)")
    }
  }
}

@Suite("Layers")
struct LayerTests {
  static let model = try! Model(entities: [
    Entity(
      "Thing",
      properties: [
        .attribute(Attribute("name", .string, defaultValue: .string("new"))),
        .attribute(Attribute("count", .int32)),
        .attribute(Attribute("share", .double)),
        .attribute(Attribute("price", .decimal)),
        .attribute(Attribute("done", .boolean, defaultValue: .boolean(false))),
        .attribute(Attribute("note", .binary)),
        .relationship(Relationship("next", to: "Thing", inverse: "previous")),
        .relationship(Relationship("previous", to: "Thing", inverse: "next", count: .toMany)),
      ])
  ])
  static let schema = try! Schema(model)
  static var layout: Layout { schema["Thing"]! }

  @Test(
    "A stack of random layers shows the expected objects, merged and after undo",
    arguments: 0..<12)
  func random(_ part: Int) throws {
    let seed = freshSeed() &+ UInt64(part)
    var generator = SeededGenerator(seed: seed)
    let comment: Comment = "seed \(seed)"
    var twin = Twin(layout: Self.layout, schema: Self.schema, objects: [:])
    var layers: [Layer] = []
    var states: [Objects] = [[:]]
    for version in 1...6 {
      let (layer, after) = twin.randomLayer(
        Int.random(in: 1...80, using: &generator), version: Int64(version), using: &generator)
      layers.append(layer)
      twin.objects = after
      states.append(after)
    }

    try twin.check(View(layers), is: states[6], comment)

    // A merge of neighbouring layers does not change the visible objects.
    let low = try layers[0].merged(with: layers[1], schema: Self.schema)
    let middle = try layers[2].merged(with: layers[3], schema: Self.schema)
    let both = try middle.merged(with: layers[4], schema: Self.schema)
    try twin.check(View([low, both, layers[5]]), is: states[6], comment)
    let all = try layers.dropFirst().reduce(layers[0]) {
      try $0.merged(with: $1, schema: Self.schema)
    }
    try twin.check(View([all]), is: states[6], comment)
    #expect(all[Self.layout.entityNumber]?.changed.isEmpty ?? true, comment)

    // The inverse of each layer undoes the layer, from the last to the first.
    var view = View(layers)
    for index in layers.indices.reversed() {
      let inverse = try layers[index].inverted(
        above: View(Array(layers[..<index])), schema: Self.schema)
      view = view.pushing(inverse)
      try twin.check(view, is: states[index], "\(comment), back to \(index)")
    }
  }

  @Test("A merge keeps all full blocks of every layer whose keys no other layer has")
  func addedBlocks() throws {
    let number = Self.layout.entityNumber
    func key(_ object: UInt64) -> ObjectKey { ObjectKey(entity: number, number: object) }
    func layer(_ version: Int64, _ edit: (inout LayerBuilder) -> Void) -> Layer {
      var builder = LayerBuilder(Self.schema)
      edit(&builder)
      return builder.freeze(version: version)
    }
    // Two full blocks and a small one; two rows and a block above; two full blocks, the first one with a removed row.
    let layers = [
      layer(1) { for object: UInt64 in 1...10_000 { $0.insert(key(object)) } },
      layer(2) {
        for object: UInt64 in [10_001, 10_002] + Array(20_001...24_096) { $0.insert(key(object)) }
      },
      layer(3) { for object: UInt64 in 30_001...38_192 { $0.insert(key(object)) } },
      layer(4) { $0.remove(key(30_005), basis: 3) },
      layer(5) { $0.insert(key(15_000)) },
    ]

    let merged = try Layer.merged(
      layers, schema: Self.schema, keepingVersions: true, atBottom: true)

    let before = layers.map { $0[number]?.put.blocks ?? [] }
    let after = merged[number]?.put.blocks ?? []
    func isReused(_ block: Block) -> Bool { after.contains { $0 === block } }
    #expect(before[0].map(isReused) == [true, true, false])
    #expect(before[2].map(isReused) == [false, true])
    #expect(try View([merged]).keys(ofEntity: number) == View(layers).keys(ofEntity: number))
    for object: UInt64 in [1, 10_000, 10_001, 15_000, 20_001, 24_096, 30_001, 30_005, 38_192] {
      #expect(
        try View([merged]).row(of: key(object))?.version
          == View(layers).row(of: key(object))?.version, "object \(object)")
    }
    // Without versions all rows are written anew.
    let plain = try Layer.merged(layers, schema: Self.schema, atBottom: true)
    #expect(plain[number]?.put.blocks.contains { $0 === before[0][0] } == false)
  }

  @Test("A merge of rows that state no basis keeps the removal of a row that lies beneath")
  func rowsWithoutBases() throws {
    let key = ObjectKey(entity: Self.layout.entityNumber, number: 7)
    func layer(_ edit: (inout LayerBuilder) -> Void) -> Layer {
      var builder = LayerBuilder(Self.schema)
      edit(&builder)
      return builder.freeze(version: 1)
    }
    let beneath = layer { $0.insert(key) }
    // A plug-in puts a whole row in place of the one beneath, and then removes it.
    let parts = [layer { $0.insert(key) }, layer { $0.remove(key, basis: 1) }]

    let merged = try Layer.merged(
      parts, schema: Self.schema, keepingVersions: true, statesBases: false)
    let stated = try Layer.merged(parts, schema: Self.schema, keepingVersions: true)

    #expect(try View([beneath, merged]).row(of: key) == nil)
    // A new row that states its basis leaves no trace.
    #expect(stated.isEmpty)
  }

  @Test("A merge keeps full blocks without rows that an upper layer changes")
  func untouchedBlocks() throws {
    let number = Self.layout.entityNumber
    func key(_ object: UInt64) -> ObjectKey { ObjectKey(entity: number, number: object) }
    let name = Self.layout.index(of: "name")!
    var builder = LayerBuilder(Self.schema)
    for object: UInt64 in 1...12_388 { builder.insert(key(object)) }
    let lower = builder.freeze(version: 1)
    builder = LayerBuilder(Self.schema)
    builder.set(.string("Ada"), column: name, of: key(10_000), basis: 1)
    builder.remove(key(9_000), basis: 1)
    builder.insert(key(20_000))
    let upper = builder.freeze(version: 2)
    builder = LayerBuilder(Self.schema)
    builder.remove(key(1), basis: 1)
    let last = builder.freeze(version: 3)
    func merged(_ lower: Layer, _ upper: Layer) throws -> Layer {
      try lower.merged(with: upper, schema: Self.schema, keepingVersions: true, atBottom: true)
    }

    let both = try merged(lower, upper)
    let all = try merged(both, last)

    let before = try #require(lower[number]?.put.blocks)
    let after = try #require(both[number]?.put.blocks)
    #expect(before.count == 4 && after.count == 4)
    #expect(after[0] === before[0] && after[1] === before[1] && after[2] !== before[2])
    #expect(all[number]?.put.blocks.contains { $0 === before[0] } == false)
    for (layer, stack) in [(both, [lower, upper]), (all, [lower, upper, last])] {
      #expect(try View([layer]).keys(ofEntity: number) == View(stack).keys(ofEntity: number))
      for object: UInt64 in [1, 2, 4096, 4097, 9_000, 9_999, 10_000, 12_388, 20_000] {
        let (row, other) = try (
          View([layer]).row(of: key(object)), View(stack).row(of: key(object))
        )
        #expect(try row?.version == other?.version, "object \(object)")
        let column = Self.layout.columns[name]
        #expect(try row?.value(column) == other?.value(column), "object \(object)")
      }
    }
  }

  @Test("A change contains the changed values only, and its basis")
  func changes() throws {
    let key = ObjectKey(entity: Self.layout.entityNumber, number: 5)
    let name = Self.layout.index(of: "name")!
    let builder = LayerBuilder(Self.schema)
    builder.set(.string("Ada"), column: name, of: key, basis: 41)

    let layer = builder.freeze()

    guard case .changed(let location) = try layer.entry(of: key) else {
      Issue.record("The layer does not say that the object changed.")
      return
    }
    #expect(try location.basis == 41)
    #expect(try location.givenValue(Self.layout.columns[name]) == .string("Ada"))
    #expect(location.block.columnNumbers.count == 3)
    #expect(location.block.byteCount < 250)
    if case .absent = try layer.entry(of: ObjectKey(entity: 9, number: 5)) {
    } else {
      Issue.record("An object that the layer does not touch is not absent.")
    }
  }

  @Test("An insertion that is removed leaves no trace, and a restored object keeps its basis")
  func cancelling() throws {
    let key = ObjectKey(entity: Self.layout.entityNumber, number: 5)
    let builder = LayerBuilder(Self.schema)
    builder.insert(key)
    builder.remove(key)
    #expect(builder.freeze().isEmpty)

    builder.remove(key, basis: 3)
    builder.insert(key)

    guard case .put(let location) = try builder.freeze().entry(of: key) else {
      Issue.record("An object that comes back is not put in.")
      return
    }
    #expect(try location.basis == 3)
  }

  @Test("A comparison of two layers finds each value mine, theirs, the same or in conflict")
  func threeWay() throws {
    let layout = Self.layout
    let key = ObjectKey(entity: layout.entityNumber, number: 1)
    let gone = ObjectKey(entity: layout.entityNumber, number: 2)
    let base = LayerBuilder(Self.schema)
    base.insert(key)
    base.insert(gone)
    let (mine, theirs) = (LayerBuilder(Self.schema), LayerBuilder(Self.schema))
    func set(_ builder: LayerBuilder, _ name: String, _ value: Value) {
      builder.set(value, column: layout.index(of: name)!, of: key, basis: 1)
    }
    set(mine, "name", .string("Ada"))
    set(theirs, "name", .string("Grace"))
    set(mine, "count", .integer(1))
    set(theirs, "share", .double(0.5))
    set(mine, "done", .boolean(true))
    set(theirs, "done", .boolean(true))
    mine.remove(gone, basis: 1)
    theirs.set(.integer(2), column: layout.index(of: "count")!, of: gone, basis: 1)

    let comparisons = try mine.freeze().compared(
      with: theirs.freeze(), above: View([base.freeze(version: 1)]), schema: Self.schema)

    #expect(comparisons.map(\.key) == [key, gone])
    #expect(comparisons.map(\.isConflict) == [true, true])
    let verdicts = Dictionary(
      uniqueKeysWithValues: comparisons[0].values.map { ($0.column.name, $0.verdict) })
    #expect(verdicts == ["name": .conflict, "count": .mine, "share": .theirs, "done": .same])
    let name = try #require(comparisons[0].values.first { $0.column.name == "name" })
    #expect(name.base == .string("new") && name.mine == .string("Ada"))
    #expect(name.theirs == .string("Grace"))
  }
}
