import Foundation
import ObjectModel
import Rows
import Testing

@Suite("Values outside of their blocks")
struct OutsideValueTests {
  private static let schema: Schema = {
    var photo = Entity("Photo")
    photo.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("picture", .binary)),
    ]
    return try! Schema(Model(entities: [photo]))
  }()
  private static let layout = schema["Photo"]!
  private static let (name, picture) = (layout.columns[0], layout.columns[1])

  private static func key(_ number: Int) -> ObjectKey {
    ObjectKey(entity: layout.entityNumber, number: UInt64(number))
  }

  private static func bytes(_ number: Int, _ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
  }

  /// Returns objects from 1 on. One third has a large picture, and one third a small one.
  private static func pictures(_ count: Int, large: Int = 5000) -> (Layer, [Value]) {
    let builder = LayerBuilder(schema)
    let values: [Value] = (1...count).map { number in
      let value: Value =
        [.null, .binary(bytes(number, large)), .binary(bytes(number, number % 90))][number % 3]
      builder.insert(key(number))
      builder.set(.string("number \(number)"), column: 0, of: key(number))
      builder.set(value, column: 1, of: key(number))
      return value
    }
    return (builder.freeze(), values)
  }

  private static func values(_ table: any RowTable, _ count: Int) throws -> [Value?] {
    try (1...count).map { try View([table]).value(of: key($0), column: picture) }
  }

  @Test("Single values and columns read the same, and a read of one value reads no other")
  func reading() throws {
    let (layer, values) = Self.pictures(100)
    let place = Elsewhere()

    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))

    let block = try #require(moved.entities[0].put.blocks.first)
    #expect(moved.entities[0].put.blocks.count == 1)
    #expect(block.byteCount < 10_000)
    #expect(try block.outsideReferences().count == 34)
    #expect(place.readCount == 0)
    let column = try #require(try block.column(Self.picture.number))
    #expect((0..<100).map { column.value(at: $0) } == values)
    #expect(place.readCount == 34)
    #expect(try Self.values(moved, 100) == values)
    #expect(place.readCount == 68)
    let presence = try #require(try block.presence(of: Self.picture))
    #expect((0..<100).map { presence.isNull($0) } == values.map(\.isNull))
    #expect(place.readCount == 68)
    // A block without large values stays the same block.
    let again = try moved.movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    #expect(again.entities[0].put.blocks[0] === block)
  }

  @Test("A merge moves references, and reads no value")
  func merging() throws {
    let (layer, values) = Self.pictures(100)
    let place = Elsewhere()
    let writer = ElsewhereWriter(place, least: 1000)
    let lower = try layer.movingLargeValues(to: writer)
    let builder = LayerBuilder(Self.schema)
    // The changes are a new name, an added, a removed and a replaced picture, and a removed object.
    builder.set(.string("new"), column: 0, of: Self.key(1))
    builder.set(.binary(Self.bytes(900, 7000)), column: 1, of: Self.key(3))
    builder.set(.null, column: 1, of: Self.key(4))
    builder.set(.binary(Self.bytes(901, 8000)), column: 1, of: Self.key(7))
    builder.remove(Self.key(10))
    let upper = try builder.freeze().movingLargeValues(to: writer)

    let merged = try lower.merged(with: upper, schema: Self.schema, keepingVersions: true)

    #expect(place.readCount == 0)
    var wanted: [Value?] = values
    wanted[2] = .binary(Self.bytes(900, 7000))
    wanted[3] = .null
    wanted[6] = .binary(Self.bytes(901, 8000))
    wanted[9] = nil
    #expect(try Self.values(merged, 100) == wanted)
    let references = try merged.entities[0].put.blocks.flatMap { try $0.outsideReferences() }
    #expect(references.count == 33)
    // A stack shows the same values, and so do the gathered rows of a scan.
    let view = View([lower, upper])
    #expect(try (1...100).map { try view.value(of: Self.key($0), column: Self.picture) } == wanted)
    let before = place.readCount
    let batches = try view.batches(of: Self.layout)
    #expect(place.readCount == before)
    var scanned: [UInt64: Value] = [:]
    for batch in batches {
      let keys = try batch.block.keys
      let column = try #require(try batch.block.column(Self.picture))
      for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
        scanned[UInt64(keys.integer(at: row))] = column.value(at: row)
      }
    }
    #expect(scanned.count == 99)
    #expect(scanned.allSatisfy { wanted[Int($0) - 1] == $1 })
  }

  @Test("Rows of several commits keep their versions when their values are moved")
  func versions() throws {
    let lower = LayerBuilder(Self.schema)
    for number in 1...10 {
      lower.insert(Self.key(number))
      lower.set(.binary(Self.bytes(number, 2000)), column: 1, of: Self.key(number))
    }
    let upper = LayerBuilder(Self.schema)
    upper.set(.string("new"), column: 0, of: Self.key(4), basis: 3)
    let merged = try lower.freeze(version: 3).merged(
      with: upper.freeze(version: 5), schema: Self.schema, keepingVersions: true)

    let moved = try merged.movingLargeValues(to: ElsewhereWriter(Elsewhere(), least: 1000))

    let versions = try (1...10).map { try View([moved]).row(of: Self.key($0))?.version }
    #expect(versions == (1...10).map { $0 == 4 ? 5 : 3 })
    #expect(try moved.entities[0].put.blocks[0].outsideReferences().count == 10)
  }

  @Test("A removal that is undone refers to the values in their old place")
  func undoing() throws {
    let place = Elsewhere()
    let (layer, values) = Self.pictures(10)
    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    let removal = LayerBuilder(Self.schema)
    removal.remove(Self.key(4))

    let undo = try removal.freeze().inverted(above: View([moved]), schema: Self.schema)

    #expect(place.readCount == 0)
    #expect(try undo.entities[0].put.blocks[0].outsideReferences().count == 1)
    #expect(try View([undo]).value(of: Self.key(4), column: Self.picture) == values[3])
    // A block in memory stays readable after a commit has stamped it with a version.
    let stamped = try undo.entities[0].put.blocks[0].stamped(5)
    #expect(try stamped.value(Self.picture, row: 0) == values[3])
    #expect(stamped.version == 5)
  }

  @Test("A merge puts values of two places inside, and a move puts them where the writer states")
  func places() throws {
    let (one, other) = (Elsewhere(), Elsewhere())
    let (layer, values) = Self.pictures(20)
    let lower = try layer.movingLargeValues(to: ElsewhereWriter(one, least: 1000))
    let builder = LayerBuilder(Self.schema)
    builder.set(.binary(Self.bytes(7, 6000)), column: 1, of: Self.key(2))
    let upper = try builder.freeze().movingLargeValues(to: ElsewhereWriter(other, least: 1000))
    var wanted: [Value?] = values
    wanted[1] = .binary(Self.bytes(7, 6000))

    let merged = try lower.merged(with: upper, schema: Self.schema)
    let third = Elsewhere()
    let moved = try lower.movingLargeValues(to: ElsewhereWriter(third, least: 1000))

    #expect(try merged.entities[0].put.blocks.allSatisfy { try $0.outsideReferences().isEmpty })
    #expect(try Self.values(merged, 20) == wanted)
    let before = one.readCount
    #expect(try Self.values(moved, 20) == values)
    #expect(one.readCount == before && third.readCount > 0)
  }

  @Test("No column of a block refers to more bytes than can be read at once")
  func splitting() throws {
    let place = Elsewhere()
    let writer = ElsewhereWriter(place, least: 1000)
    writer.pretendedByteCount = 20 << 20
    var merged = Layer()
    for first in stride(from: 1, to: 60, by: 3) {
      let builder = LayerBuilder(Self.schema)
      for number in first..<first + 3 {
        builder.insert(Self.key(number))
        builder.set(
          .binary(Self.bytes(number, number % 3 == 0 ? 2000 : 9)), column: 1, of: Self.key(number))
      }
      let moved = try builder.freeze().movingLargeValues(to: writer)
      merged = try merged.merged(with: moved, schema: Self.schema)
    }
    let builder = LayerBuilder(Self.schema)
    for number in 1...60 { builder.set(.string("new"), column: 0, of: Self.key(number)) }
    merged = try merged.merged(with: builder.freeze(), schema: Self.schema)

    let counts = try merged.entities[0].put.blocks.map { try $0.outsideReferences().count }
    #expect(counts.reduce(0, +) == 20)
    #expect(counts.max() == 3 && counts.count == 7)
    #expect(place.readCount == 0)
  }

  @Test(
    "A column that refers to more bytes than can be read at once is refused",
    arguments: [(32 << 20, true), (32 << 20 | 1, false)])
  func tooManyBytes(_ byteCount: Int, _ isAllowed: Bool) throws {
    let place = Elsewhere()
    let writer = ElsewhereWriter(place, least: 1000)
    writer.pretendedByteCount = byteCount
    let moved = try Self.pictures(4).0.movingLargeValues(to: writer)
    let block = try BlockWithElsewhere(
      [UInt8](bytes: moved.entities[0].put.blocks[0]), place
    ).block()

    if isAllowed {
      #expect(try block.outsideReferences().count == 2)
    } else {
      let error = #expect(throws: BlockError.self) { try block.outsideReferences() }
      #expect(error?.code == .badColumn)
    }
  }

  @Test("A block and the changes above it may refer to more bytes than one block")
  func manyBytesInChanges() throws {
    let place = Elsewhere()
    let writer = ElsewhereWriter(place, least: 1000)
    writer.pretendedByteCount = 40 << 20
    let lower = LayerBuilder(Self.schema)
    for number in 1...2 { lower.insert(Self.key(number)) }
    lower.set(.binary(Self.bytes(1, 2000)), column: 1, of: Self.key(1))
    let upper = LayerBuilder(Self.schema)
    upper.set(.binary(Self.bytes(2, 2000)), column: 1, of: Self.key(2))
    let view = try View([lower, upper].map { try $0.freeze().movingLargeValues(to: writer) })

    let block = try #require(try view.batches(of: Self.layout).first).block

    let presence = try #require(try block.presence(of: Self.picture))
    #expect((0..<2).map { presence.isNull($0) } == [false, false])
    #expect(try block.outsideReferences().reduce(0) { $0 + $1.byteCount } == 80 << 20)
    #expect(place.readCount == 0)
  }

  @Test("A column is known to be empty after changes have set all its outside values to null")
  func emptied() throws {
    let place = Elsewhere()
    let lower = LayerBuilder(Self.schema)
    let upper = LayerBuilder(Self.schema)
    for number in 1...3 {
      lower.insert(Self.key(number))
      lower.set(.binary(Self.bytes(number, 2000)), column: 1, of: Self.key(number))
      upper.set(.null, column: 1, of: Self.key(number))
    }
    let moved = try lower.freeze().movingLargeValues(to: ElsewhereWriter(place, least: 1000))

    let batches = try View([moved, upper.freeze()]).batches(of: Self.layout)

    let block = try #require(batches.first).block
    let presence = try #require(try block.presence(of: Self.picture))
    #expect((0..<3).map { presence.isNull($0) } == [true, true, true])
    #expect(place.readCount == 0)
  }

  @Test("A block with outside values but without references to them can't be moved")
  func noReferences() throws {
    let writer = ElsewhereWriter(Elsewhere(), least: 1000)
    let moved = try Self.pictures(9).0.movingLargeValues(to: writer)
    var bytes = try [UInt8](bytes: moved.entities[0].put.blocks[0])
    BlockForgery.removeBody(of: Self.picture.number, in: &bytes)
    let block = try Block(bytes)

    let error = #expect(throws: BlockError.self) { try block.bytes { $0 + 4096 } }

    #expect(error?.code == .badColumn)
  }

  @Test(
    "A block whose values are moved keeps its length and its other values", arguments: [3, 900])
  func moving(count: Int) throws {
    let place = Elsewhere()
    let (layer, values) = Self.pictures(count, large: 1000)
    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    let further = Elsewhere()

    for block in moved.entities[0].put.blocks {
      for reference in try block.outsideReferences() {
        further[reference.offset + 4096] = place[reference.offset]
      }
      let bytes = try block.bytes { $0 + 4096 }
      #expect(bytes.byteCount == block.byteCount)
      let other = try BlockWithElsewhere([UInt8](BlockSlice(bytes)), further).block()
      try other.verify()
      let first = Int(block.minimumKey) - 1
      let column = try #require(try other.column(Self.picture.number))
      #expect(
        (0..<other.rowCount).map { column.value(at: $0) }
          == Array(values[first..<first + other.rowCount]))
    }
  }

  @Test("A missing or changed value is an error of its row only")
  func missing() throws {
    let place = Elsewhere()
    let (layer, values) = Self.pictures(9)
    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    let block = moved.entities[0].put.blocks[0]
    place[try block.outsideReferences()[1].offset]![17] ^= 1

    #expect(throws: Elsewhere.NotThere.self) { try block.column(Self.picture.number) }
    #expect(throws: Elsewhere.NotThere.self) { try block.verify() }
    #expect(throws: Elsewhere.NotThere.self) { try block.value(Self.picture, row: 3) }
    #expect(try block.value(Self.picture, row: 0) == values[0])
    #expect(try block.value(Self.name, row: 3) == .string("number 4"))
    // A block that was created without a place for outside values throws a different error.
    let error = #expect(throws: BlockError.self) {
      try Block([UInt8](bytes: block)).value(Self.picture, row: 0)
    }
    #expect(error?.code == .noOutsideValues)
  }

  @Test("A salvage drops lost values and columns, and reads no other outside value")
  func salvage() throws {
    let place = Elsewhere()
    let (layer, values) = Self.pictures(100)
    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    let block = moved.entities[0].put.blocks[0]
    let references = try block.outsideReferences()

    let salvaged = try block.withoutValues([references[1], references[30]])
    let nameless = try block.withoutValues([references[1]], columns: [Self.name.number])

    #expect(place.readCount == 0)
    #expect(salvaged.keys == [4, 91])
    #expect(nameless.keys == (1...100).map { UInt64($0) })
    var wanted = values
    wanted[3] = .null
    let column = nameless.blocks[0]
    for row in 0..<100 {
      #expect(try column.value(Self.picture, row: row) == wanted[row])
      #expect(try column.value(Self.name, row: row) == .null)
    }
    wanted[90] = .null
    for row in 0..<100 {
      #expect(try salvaged.blocks[0].value(Self.picture, row: row) == wanted[row])
      #expect(
        try salvaged.blocks[0].value(Self.name, row: row) == .string("number \(row + 1)"))
    }
  }

  @Test("A salvage of changes leaves lost columns to the rows beneath, and keeps the bases")
  func salvageOfChanges() throws {
    let place = Elsewhere()
    let builder = LayerBuilder(Self.schema)
    for number in 1...3 {
      builder.set(.string("n"), column: 0, of: Self.key(number), basis: 3)
      builder.set(.binary(Self.bytes(number, 2000)), column: 1, of: Self.key(number), basis: 3)
    }
    let moved = try builder.freeze().movingLargeValues(to: ElsewhereWriter(place, least: 1000))
    let block = moved.entities[0].changed.blocks[0]

    let salvaged = try block.withoutValues(
      [block.outsideReferences()[1]], columns: [Self.name.number])

    let only = try #require(salvaged.blocks.first)
    #expect(salvaged.blocks.count == 1 && only.flags == block.flags && only.rowCount == 3)
    for row in 0..<3 {
      #expect(try only.value(Self.name, row: row) == nil)
      #expect(
        try only.value(Self.picture, row: row)
          == (row == 1 ? .null : .binary(Self.bytes(row + 1, 2000))))
      #expect(try RowLocation(block: only, row: row).basis == 3)
    }
  }

  @Test("A salvage keeps a row whose outside values are longer than a block")
  func salvageOfLongRow() throws {
    var album = Entity("Album")
    album.declaredProperties = (1...4).map { .attribute(Attribute("picture\($0)", .binary)) }
    let schema = try Schema(Model(entities: [album]))
    let key = ObjectKey(entity: schema["Album"]!.entityNumber, number: 1)
    let builder = LayerBuilder(schema)
    builder.insert(key)
    for column in 0..<4 {
      builder.set(.binary(Self.bytes(column, 2000)), column: column, of: key)
    }
    let writer = ElsewhereWriter(Elsewhere(), least: 1000)
    writer.pretendedByteCount = 1 << 30
    let moved = try builder.freeze().movingLargeValues(to: writer)
    let block = moved.entities[0].put.blocks[0]
    let references = try block.outsideReferences()

    let salvaged = try block.withoutValues([references[2]])

    #expect(salvaged.keys == [1])
    #expect(salvaged.blocks.map(\.rowCount) == [1])
    #expect(
      try salvaged.blocks[0].outsideReferences()
        == [references[0], references[1], references[3]])
  }

  @Test("The Arrow batch of a block contains the outside values")
  func arrow() throws {
    let place = Elsewhere()
    let (layer, values) = Self.pictures(30)
    let moved = try layer.movingLargeValues(to: ElsewhereWriter(place, least: 1000))

    let batch = try ArrowBatch(moved.entities[0].put.blocks[0], layout: Self.layout)
    let blocks = try batch.blocks(Self.layout)

    let read = try blocks.flatMap { try $0.allValues(Self.layout) }
    #expect(read.map { $0.values[1] } == values)
  }

  @Test("References in changes are read by pages and from the loaded column")
  func changes() throws {
    let place = Elsewhere()
    let builder = LayerBuilder(Self.schema)
    var wanted: [Int: Value] = [:]
    for number in 1...1500 {
      builder.set(.string("n"), column: 0, of: Self.key(number), basis: 3)
      let value: Value? =
        [nil, .null, .binary(Self.bytes(number, 1000)), .binary(Self.bytes(number, 60))][number % 4]
      if let value {
        builder.set(value, column: 1, of: Self.key(number), basis: 3)
        wanted[number] = value
      }
    }
    let moved = try builder.freeze().movingLargeValues(to: ElsewhereWriter(place, least: 1000))

    let blocks = moved.entities[0].changed.blocks
    #expect(blocks.contains { $0.chunkByteCount(of: Self.picture.number) > 32_768 })
    for block in blocks {
      let keys = try block.keys
      // The first values are read by pages, the later ones from the loaded column.
      for row in 0..<block.rowCount {
        let number = Int(keys.integer(at: row))
        #expect(try block.value(Self.picture, row: row) == wanted[number], "\(number)")
        #expect(try RowLocation(block: block, row: row).basis == 3)
      }
      let column = try #require(try block.column(Self.picture.number))
      for row in 0..<block.rowCount {
        let number = Int(keys.integer(at: row))
        #expect(column.isGiven(row) == (wanted[number] != nil))
        if let value = wanted[number] { #expect(column.value(at: row) == value) }
      }
    }
  }
}
