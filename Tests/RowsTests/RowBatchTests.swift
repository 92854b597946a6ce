import Foundation
import ObjectModel
import Rows
import SeededRandom
import Synchronization
import Testing

@Suite("Batches of a view")
struct RowBatchTests {
  private static let layout = LayerTests.layout
  private static let schema = LayerTests.schema

  private static func key(_ number: UInt64) -> ObjectKey {
    ObjectKey(entity: layout.entityNumber, number: number)
  }

  /// Returns a view with random changes of random shares of the objects, above objects with random values.
  private static func view(_ share: Int, using generator: inout SeededGenerator) -> View {
    var tables: [any RowTable] = []
    var present: Set<UInt64> = []
    for version in 1...5 {
      let builder = LayerBuilder(schema)
      for number in UInt64(1)...300 {
        guard version == 1 || Int.random(in: 0..<100, using: &generator) < share else { continue }
        let isThere = present.contains(number)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where isThere:
          builder.remove(key(number), basis: 1)
          present.remove(number)
          continue
        case 1 where !isThere && version == 1: continue
        default: break
        }
        if !isThere {
          builder.insert(key(number))
          present.insert(number)
        }
        for column in layout.columns.indices
        where Int.random(in: 0..<3, using: &generator) == 0 {
          let kind = layout.columns[column].kind
          builder.set(
            Sample.value(of: kind, isOptional: true, using: &generator), column: column,
            of: key(number), basis: 1)
        }
      }
      tables.append(builder.freeze(version: Int64(version)))
    }
    return View(tables)
  }

  @Test("Many keys are found as each key by itself", arguments: [false, true])
  func manyKeys(_ hasChanges: Bool) throws {
    let count = try #require(Self.layout.index(of: "count"))
    let lower = LayerBuilder(Self.schema)
    for number in stride(from: UInt64(1), to: 9000, by: 2) {
      lower.insert(Self.key(number))
      lower.set(.integer(Int64(number % 97)), column: count, of: Self.key(number))
    }
    var tables: [any RowTable] = [lower.freeze(version: 1)]
    if hasChanges {
      let upper = LayerBuilder(Self.schema)
      upper.set(.integer(-1), column: count, of: Self.key(3), basis: 1)
      upper.remove(Self.key(5), basis: 1)
      tables.append(upper.freeze(version: 2))
    }
    let view = View(tables)
    var generator = SeededGenerator(seed: 7)
    let keys = Array(UInt64(1)...9000).shuffled(using: &generator)

    let found = try view.rows(of: keys, Self.layout)

    let there = try keys.indices.filter { try view.row(of: Self.key(keys[$0])) != nil }
    #expect(found.rows.map(\.key) == there)
    let column = Self.layout.columns[count]
    for one in found.rows {
      let value = try found.blocks[one.block].value(column, row: one.row)
      #expect(try value == view.value(of: Self.key(keys[one.key]), column: column))
    }
  }

  @Test(
    "A scan finds the rows that a look-up finds, for any share of changed rows",
    arguments: [1, 4, 20, 60, 100])
  func scans(_ share: Int) throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let view = Self.view(share, using: &generator)

    var scanned: [UInt64] = []
    for batch in try view.batches(of: Self.layout) {
      for block in [batch.block, batch.block.withoutLoadedColumns()] {
        let keys = try block.keys
        for row in 0..<block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          let number = UInt64(keys.integer(at: row))
          if block === batch.block { scanned.append(number) }
          let found = try #require(try view.row(of: Self.key(number)), "\(number), seed \(seed)")
          for column in Self.layout.columns {
            let value = try block.column(column)?.value(at: row) ?? .null
            let wanted = try found.value(column)
            #expect(isSame(value, wanted), "\(number) \(column.name), seed \(seed)")
            #expect(
              try isSame(block.value(column, row: row) ?? .null, wanted), "\(number), seed \(seed)")
          }
          let version = try RowLocation(block: block, row: row).version
          #expect(try version == found.version, "\(number), seed \(seed)")
        }
      }
    }
    #expect(try scanned.sorted() == view.keys(ofEntity: Self.layout.entityNumber), "seed \(seed)")
    let found = try (UInt64(1)...300).filter { try view.contains(Self.key($0)) }
    #expect(scanned.sorted() == found, "seed \(seed)")
  }

  @Test("Counting changed rows reads no column, and reading a column reads only that column")
  func laziness() throws {
    let (put, changed) = (CountedBytes(), CountedBytes())
    let insertions = LayerBuilder(Self.schema)
    let changes = LayerBuilder(Self.schema)
    let (nameIndex, doneIndex) = (
      Self.layout.index(of: "name")!, Self.layout.index(of: "done")!
    )
    let (name, done) = (Self.layout.columns[nameIndex], Self.layout.columns[doneIndex])
    for number in UInt64(1)...1000 {
      insertions.insert(Self.key(number))
      insertions.set(.string("thing \(number)"), column: nameIndex, of: Self.key(number))
      changes.set(.boolean(number % 2 == 0), column: doneIndex, of: Self.key(number), basis: 1)
    }
    let tables: [any RowTable] = [
      try put.layer(insertions.freeze(), Self.layout),
      try changed.layer(changes.freeze(), Self.layout),
    ]
    let view = View(tables)
    let before = (put.readCount, changed.readCount)

    let batches = try view.batches(of: Self.layout)

    #expect(batches.reduce(0) { $0 + $1.rowCount } == 1000)
    #expect(batches.count == 1)
    #expect((put.readCount, changed.readCount) == before)
    #expect(try batches[0].block.column(name)?.value(at: 0) == .string("thing 1"))
    #expect((put.readCount, changed.readCount) == (before.0 + 1, before.1))
    #expect(try batches[0].block.column(done)?.value(at: 1) == .boolean(true))
    #expect(changed.readCount == before.1 + 1)
  }

  @Test("A few changed rows are gathered, and the block of unchanged rows is used in place")
  func fewChanges() throws {
    let insertions = LayerBuilder(Self.schema)
    for number in UInt64(1)...1000 { insertions.insert(Self.key(number)) }
    let changes = LayerBuilder(Self.schema)
    changes.set(.boolean(true), column: Self.layout.index(of: "done")!, of: Self.key(7), basis: 1)
    let below = insertions.freeze()

    let batches = try View([below, changes.freeze()]).batches(of: Self.layout)

    #expect(batches.map(\.rowCount).sorted() == [1, 999])
    let whole = try #require(batches.first { $0.rowCount == 999 })
    #expect(whole.block === below.entities[0].put.blocks[0])
    #expect(whole.hidden?.contains(6) == true)
  }
}

/// The bytes of blocks, with a count of the reads.
private final class CountedBytes: Sendable {
  private let count = Mutex(0)

  var readCount: Int { count.withLock { $0 } }

  /// Returns a layer of blocks that read their bytes from this object.
  func layer(_ layer: Layer, _ layout: Layout) throws -> Layer {
    func counted(_ run: BlockRun) throws -> BlockRun {
      BlockRun(
        try run.blocks.map { block in
          try Block(Source(self, BlockMemory([UInt8](block.bytes()))), byteCount: block.byteCount)
        })
    }
    return Layer(
      try layer.entities.map {
        Layer.EntityChanges(
          entityNumber: $0.entityNumber, put: try counted($0.put), changed: try counted($0.changed),
          removed: try counted($0.removed))
      })
  }

  private final class Source: BlockSource {
    private let owner: CountedBytes
    private let memory: BlockMemory

    init(_ owner: CountedBytes, _ memory: BlockMemory) {
      self.owner = owner
      self.memory = memory
    }

    func bytes(_ range: Range<Int>) throws -> BlockSlice {
      owner.count.withLock { $0 += 1 }
      return try memory.bytes(range)
    }
  }
}
