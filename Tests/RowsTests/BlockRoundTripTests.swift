import Foundation
import ObjectModel
import Rows
import SeededRandom
import Synchronization
import Testing

@Suite("Round trips of blocks")
struct BlockRoundTripTests {
  @Test(
    "Blocks return the values of every kind, extreme values and nulls",
    arguments: [1, 2, 7, 64, 65, 500, 4096])
  func everyKind(_ count: Int) throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let (draft, rows) = Sample.insertions(count, using: &generator)

    let blocks = draft.freeze()

    let read = try blocks.flatMap { try Block([UInt8](bytes: $0)).allValues(Sample.layout) }
    #expect(read.map(\.key) == rows.map(\.key), "seed \(seed)")
    for (found, given) in zip(read, rows) {
      for (index, pair) in zip(found.values, given.values).enumerated() {
        #expect(
          isSame(pair.0, pair.1), "seed \(seed), column \(Sample.layout.columns[index].name)")
      }
    }
  }

  @Test("A row has room for its texts and bytes up to the limit of a block")
  func room() {
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [
        LayoutColumn(number: 1, name: "a", kind: .binary),
        LayoutColumn(number: 2, name: "b", kind: .string),
        LayoutColumn(number: 3, name: "c", kind: .uuid),
      ])
    for role in [Draft.Role.insertions, .changes] {
      let draft = Draft(layout, role: role)
      for key in 1...2 as ClosedRange<UInt64> { draft.append(key: key) }
      let most = Draft.maximumRowByteCount
      #expect(draft.hasRoom(for: most, column: 0, row: 0))
      #expect(!draft.hasRoom(for: most + 1, column: 0, row: 0))
      let bytes = [UInt8](repeating: 7, count: 100_000)
      draft.setBytes(bytes.span.bytes, column: 0, row: 0)
      // The present value of the column itself is replaced.
      #expect(draft.hasRoom(for: most, column: 0, row: 0))
      #expect(draft.hasRoom(for: most - 100_000, column: 1, row: 0))
      #expect(!draft.hasRoom(for: most - 99_999, column: 1, row: 0))
      #expect(draft.hasRoom(for: most, column: 1, row: 1))
    }
  }

  @Test(
    "Ascending integers that jump by nearly 2^63 come back equal",
    arguments: [2, 3, 4, 5, 300], [Int64(0), 1, 1 << 40])
  func jumps(_ count: Int, _ slope: Int64) throws {
    let layout = Layout(
      entity: "One", entityNumber: 1, columns: [LayoutColumn(number: 1, name: "it", kind: .int64)])
    let (lowest, highest) = (-(Int64(1) << 62) + 1, Int64(1) << 62 - 1)
    for lowCount in Set([1, 2, count / 2, count - 1]) where lowCount < count {
      let values: [Value] = (0..<count).map { row in
        .integer(
          row < lowCount
            ? lowest + Int64(row) * slope : highest - Int64(count - 1 - row) * slope)
      }
      let draft = Draft(layout, role: .insertions)
      for (row, value) in values.enumerated() {
        draft.append(key: UInt64(row + 1))
        draft.set(value, column: 0, row: row)
      }

      let block = try #require(draft.freeze().first)

      let read = try Block([UInt8](bytes: block)).allValues(layout).map { $0.values[0] }
      #expect(read == values, "\(lowCount) low numbers")
    }
  }

  @Test(
    "Constant, ascending and scattered integers come back equal", arguments: ColumnKind.allCases)
  func oneKind(_ kind: ColumnKind) throws {
    let layout = Layout(
      entity: "One", entityNumber: 1, columns: [LayoutColumn(number: 1, name: "it", kind: kind)])
    let seed = freshSeed()
    for style in 0..<5 {
      var generator = SeededGenerator(seed: seed)
      let draft = Draft(layout, role: .insertions)
      var given: [Value] = []
      let constant = Sample.value(of: kind, isOptional: false, using: &generator)
      let jump = Int.random(in: 1..<300, using: &generator)
      for row in 0..<300 {
        draft.append(key: UInt64(row + 1))
        let value: Value =
          switch style {
          case 0: constant
          case 1: .null
          case 2 where [.int32, .int64].contains(kind): .integer(Int64(row) * 1000 + Int64(row % 7))
          case 4 where kind == .int64: .integer(row < jump ? -(1 << 62) + 1 : 1 << 62 - 1)
          default: Sample.value(of: kind, isOptional: style == 3, using: &generator)
          }
        draft.set(value, column: 0, row: row)
        given.append(value)
      }

      let block = try #require(draft.freeze().first)

      let read = try block.allValues(layout).map { $0.values[0] }
      #expect(zip(read, given).allSatisfy { isSame($0, $1) }, "style \(style), seed \(seed)")
    }
  }

  @Test("A column can contain decimals of the most digits and of any exponent")
  func longDecimals() throws {
    let layout = Layout(
      entity: "One", entityNumber: 1, columns: [LayoutColumn(number: 1, name: "it", kind: .decimal)]
    )
    for digits in [18, 19, 20, 37, 38] {
      for power in [0, 1, 5, 18, 19] {
        let texts = [String(repeating: "9", count: digits) + "e\(power)", "1", "0.5", "-2e3"]
        let numbers = try texts.map { try #require(Decimal(string: $0)) }
        for count in 1...numbers.count {
          let draft = Draft(layout, role: .insertions)
          for (row, number) in numbers.prefix(count).enumerated() {
            draft.append(key: UInt64(row + 1))
            draft.set(.decimal(number), column: 0, row: row)
          }

          let block = try #require(draft.freeze().first)

          let read = try block.allValues(layout).map { $0.values[0] }
          #expect(read == numbers.prefix(count).map { .decimal($0) }, "\(texts)")
        }
      }
    }
  }

  @Test("Decimals are encoded as integers, even if some rows have no value")
  func scaledDecimals() throws {
    let layout = Layout(
      entity: "Price", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "price", kind: .decimal)])
    let values: [Value] = (0..<1000).map {
      $0 % 3 == 0 ? .null : .decimal(Decimal($0 * 7 % 1000) / 100)
    }
    let draft = Draft(layout, role: .insertions)
    for (row, value) in values.enumerated() {
      draft.append(key: UInt64(row + 1))
      draft.set(value, column: 0, row: row)
    }

    let block = draft.freeze()[0]

    // Two bytes and one bit for each row.
    #expect(block.chunkByteCount(of: 1) < 2600)
    #expect(try block.allValues(layout).flatMap(\.values) == values)
  }

  @Test("Rows that arrive in any order are sorted by key")
  func disorder() throws {
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "it", kind: .int64)])
    let draft = Draft(layout, role: .insertions)
    for key: UInt64 in [9, 3, 7, 1] {
      let row = draft.append(key: key, basis: Int64(key) * 10)
      draft.setInteger(Int64(key), column: 0, row: row)
    }
    draft.remove(row: 2)

    let block = try #require(draft.freeze(version: 5).first)

    let read = try block.allValues(layout)
    #expect(read.map(\.key) == [1, 3, 9])
    #expect(read.map { $0.values } == [[.integer(1)], [.integer(3)], [.integer(9)]])
    #expect(try block.column(LayoutColumn.Number.version)?.integer(at: 2) == 5)
    #expect(try block.column(LayoutColumn.Number.basis)?.integer(at: 2) == 90)
    #expect(try block.row(of: 3) == 1)
    #expect(try block.row(of: 7) == nil)
    #expect(try block.row(of: 10) == nil)
  }

  @Test("A draft with large values becomes several blocks")
  func largeValues() throws {
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "it", kind: .binary)])
    let draft = Draft(layout, role: .insertions)
    for row in 0..<40 {
      draft.append(key: UInt64(row + 1))
      draft.set(.binary(Data(repeating: UInt8(row), count: 50_000)), column: 0, row: row)
    }

    let blocks = draft.freeze()

    #expect(blocks.count >= 8)
    #expect(blocks.allSatisfy { $0.byteCount < 400_000 })
    let read = try blocks.flatMap { try $0.allValues(layout) }
    #expect(read.map(\.key) == (1...40).map { UInt64($0) })
    #expect(read[17].values[0] == .binary(Data(repeating: 17, count: 50_000)))
  }

  @Test("A value set many times leaves no garbage in the block")
  func noGarbage() throws {
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "it", kind: .string)])
    let draft = Draft(layout, role: .insertions)
    draft.append(key: 1)
    for length in 0..<3000 {
      draft.setString(String(repeating: "x", count: length), column: 0, row: 0)
    }
    draft.setString("end", column: 0, row: 0)

    let block = try #require(draft.freeze().first)

    #expect(block.byteCount < 200)
    #expect(draft.memoryByteCount < 40_000)
    #expect(try block.column(1)?.string(at: 0) == "end")
  }

  @Test("Other rows keep their values when a draft drops garbage")
  func compaction() throws {
    let layout = Layout(
      entity: "Three", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "it", kind: .string)])
    let draft = Draft(layout, role: .insertions)
    for row in 0..<3 {
      draft.append(key: UInt64(row + 1))
      draft.setString("row \(row)", column: 0, row: row)
    }
    for length in 0..<3000 {
      draft.setString(String(repeating: "x", count: length), column: 0, row: 1)
    }

    let column = try #require(try draft.freeze()[0].column(1))

    #expect(draft.memoryByteCount < 40_000)
    let long = String(repeating: "x", count: 2999)
    #expect((0..<3).map { column.string(at: $0) } == ["row 0", long, "row 2"])
  }

  @Test("A value that is not set is the default")
  func defaults() throws {
    let layout = Layout(
      entity: "One", entityNumber: 1,
      columns: [
        LayoutColumn(number: 1, name: "name", kind: .string, defaultValue: .string("unnamed")),
        LayoutColumn(number: 2, name: "count", kind: .int32, defaultValue: .integer(-4)),
      ])
    let draft = Draft(layout, role: .insertions)
    for row in 0..<40 { draft.append(key: UInt64(row + 1)) }
    draft.setString("Ada", column: 0, row: 17)
    draft.setNull(column: 1, row: 3)

    let read = try draft.freeze().flatMap { try $0.allValues(layout) }

    #expect(read[0].values == [.string("unnamed"), .integer(-4)])
    #expect(read[17].values == [.string("Ada"), .integer(-4)])
    #expect(read[3].values == [.string("unnamed"), .null])
    #expect(draft.string(column: 0, row: 39) == "unnamed")
  }
}

extension Array where Element == UInt8 {
  /// Reads the bytes of a block.
  init(bytes block: Block) throws {
    let slice = try block.bytes()
    self = slice.memory.bytes.withUnsafeBytes { Array($0[slice.range]) }
  }
}

@Suite("Reads of single values")
struct PointReadTests {
  /// A source that counts the bytes that it returns.
  private final class CountingSource: BlockSource {
    private let memory: BlockMemory
    let byteCount = Mutex(0)

    init(_ bytes: [UInt8]) { memory = BlockMemory(bytes) }

    func bytes(_ range: Range<Int>) throws -> BlockSlice {
      byteCount.withLock { $0 += range.count }
      return try memory.bytes(range)
    }
  }

  /// A source that answers one request with too many or too few bytes.
  private final class InexactSource: BlockSource {
    private let memory: BlockMemory
    private let request: Int
    private let excess: Int
    let requestCount = Mutex(0)

    init(_ bytes: [UInt8], request: Int, excess: Int) {
      memory = BlockMemory(bytes + [0])
      self.request = request
      self.excess = excess
    }

    func bytes(_ range: Range<Int>) throws -> BlockSlice {
      let number = requestCount.withLock { count in
        defer { count += 1 }
        return count
      }
      let end = range.upperBound + (number == request ? excess : 0)
      return BlockSlice(memory: memory, range: range.lowerBound..<end)
    }
  }

  private let layout = Layout(
    entity: "Note", entityNumber: 1,
    columns: [
      LayoutColumn(number: 1, name: "text", kind: .string),
      LayoutColumn(number: 2, name: "bytes", kind: .binary),
    ])

  private func block(role: Draft.Role = .insertions) throws -> [UInt8] {
    let draft = Draft(layout, role: role)
    for row in 0..<3000 {
      draft.append(key: UInt64(row * 2 + 1))
      if role == .changes, row % 5 == 0 { continue }
      draft.set(row % 7 == 0 ? .null : .string(text(row)), column: 0, row: row)
      draft.set(.binary(Data(text(row).utf8)), column: 1, row: row)
    }
    return try [UInt8](bytes: draft.freeze()[0])
  }

  private func text(_ row: Int) -> String {
    "note \(row) é " + String(repeating: "x", count: row % 60)
  }

  @Test(
    "A single value is read from its pages instead of the whole column", arguments: [false, true])
  func samples(areChanges: Bool) throws {
    let bytes = try block(role: areChanges ? .changes : .insertions)
    for row in [0, 1, 7, 500, 1024, 2222, 2999] {
      let source = CountingSource(bytes)
      let block = try Block(source, byteCount: bytes.count)
      let opened = source.byteCount.withLock { $0 }
      guard let place = try block.row(of: UInt64(row * 2 + 1)) else {
        Issue.record("Row \(row) is missing.")
        continue
      }
      let keys = source.byteCount.withLock { $0 } - opened
      let view = ViewRow(locations: [RowLocation(block: block, row: place)])
      let found = try layout.columns.map { try view.value($0) }
      let isGiven = !areChanges || row % 5 != 0
      #expect(found[0] == (isGiven && row % 7 != 0 ? .string(text(row)) : .null), "row \(row)")
      #expect(found[1] == (isGiven ? .binary(Data(text(row).utf8)) : .null), "row \(row)")
      let read = source.byteCount.withLock { $0 } - opened - keys
      #expect(read < bytes.count * 2 / 3, "row \(row): \(read) of \(bytes.count)")
    }
  }

  @Test("After many single values the column is read as a whole")
  func many() throws {
    let source = CountingSource(try block())
    let block = try Block(source, byteCount: self.block().count)
    for row in 0..<200 {
      let view = ViewRow(locations: [RowLocation(block: block, row: row)])
      #expect(try view.value(layout.columns[1]) == .binary(Data(text(row).utf8)))
    }
    #expect(source.byteCount.withLock { $0 } < (try self.block().count) * 3)
  }

  @Test("A source that returns too many or too few bytes is an error", arguments: [-1, 1])
  func lengths(_ excess: Int) throws {
    let bytes = try block()
    func read(_ source: InexactSource) throws {
      let block = try Block(source, byteCount: bytes.count)
      for column in layout.columns { _ = try block.value(column, row: 2999) }
      try block.verify()
      _ = try block.bytes()
    }
    let exact = InexactSource(bytes, request: -1, excess: 0)
    try read(exact)

    for request in 0..<exact.requestCount.withLock({ $0 }) {
      let error = #expect(throws: BlockError.self, "request \(request)") {
        try read(InexactSource(bytes, request: request, excess: excess))
      }
      #expect(error?.code == .truncated, "request \(request)")
    }
  }

  @Test("A damaged page is an error for its own values only")
  func damage() throws {
    var bytes = try block()
    // The last bytes are the heap of the binary column.
    bytes[bytes.count - 100] ^= 1
    func value(_ row: Int) throws -> Value {
      let block = try Block(BlockMemory(bytes))
      return try ViewRow(locations: [RowLocation(block: block, row: row)]).value(layout.columns[1])
    }
    #expect(try value(3) == .binary(Data(text(3).utf8)))
    #expect(throws: BlockError.self) { try value(2999) }
  }

  @Test("An offset behind the heap of a column is an error, even if all checksums are right")
  func offsets() throws {
    var bytes = try block()
    let column = layout.columns[1]
    BlockForgery.moveBase(of: column.number, by: 4096, in: &bytes)
    func value(_ row: Int) throws -> Value {
      let block = try Block(BlockMemory(bytes))
      return try ViewRow(locations: [RowLocation(block: block, row: row)]).value(column)
    }

    #expect(try value(3) != .binary(Data(text(3).utf8)))
    let error = #expect(throws: BlockError.self) { try value(2999) }
    #expect(error?.code == .badColumn)
    #expect(error?.description.contains("The offsets of entry 2999 are") == true)
  }
}
