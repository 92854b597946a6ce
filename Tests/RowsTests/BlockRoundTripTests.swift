import Foundation
import ObjectModel
import Rows
import SeededRandom
import Testing

@Suite("Blocks give back what drafts were given")
struct BlockRoundTripTests {
  @Test("Every kind, extreme values and nulls", arguments: [1, 2, 7, 64, 65, 500, 4096])
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

  @Test("Constant, ascending and scattered integers", arguments: ColumnKind.allCases)
  func oneKind(_ kind: ColumnKind) throws {
    let layout = Layout(
      entity: "One", entityNumber: 1, columns: [LayoutColumn(number: 1, name: "it", kind: kind)])
    let seed = freshSeed()
    for style in 0..<4 {
      var generator = SeededGenerator(seed: seed)
      let draft = Draft(layout, role: .insertions)
      var given: [Value] = []
      let constant = Sample.value(of: kind, isOptional: false, using: &generator)
      for row in 0..<300 {
        draft.append(key: UInt64(row + 1))
        let value: Value =
          switch style {
          case 0: constant
          case 1: .null
          case 2 where [.int32, .int64].contains(kind): .integer(Int64(row) * 1000 + Int64(row % 7))
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

  @Test("Defaults stand in for what was not set")
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
  /// The bytes of a block.
  init(bytes block: Block) throws {
    let slice = try block.bytes()
    self = slice.memory.bytes.withUnsafeBytes { Array($0[slice.range]) }
  }
}
