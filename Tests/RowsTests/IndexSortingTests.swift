import Foundation
import ObjectModel
import SeededRandom
import Testing

@testable import Rows

/// The order of the entries of an index, beside a plain sort of the same values.
@Suite("Sorting the entries of an index")
struct IndexSortingTests {
  /// Rows of every kind of value, with texts that repeat in one column.
  private struct Rows {
    let layout: Layout
    var values: [(key: UInt64, values: [Value])] = []

    init(_ count: Int, isAscending: Bool, using generator: inout SeededGenerator) {
      let names = LayoutColumn(number: 900, name: "name", kind: .string)
      let ages = LayoutColumn(number: 901, name: "age", kind: .int32)
      layout = Layout(
        entity: "Everything", entityNumber: 7, columns: Sample.layout.columns + [names, ages])
      for number in 0..<count {
        var row = Sample.layout.columns.map {
          Sample.value(of: $0.kind, isOptional: $0.isOptional, using: &generator)
        }
        let name = Int.random(in: 0..<60, using: &generator)
        row.append(name == 0 ? .null : .string("Name \(name)"))
        row.append(name == 1 ? .null : .integer(Int64.random(in: 18..<90, using: &generator)))
        values.append((UInt64(number + 1), row))
      }
      if !isAscending { values.shuffle(using: &generator) }
    }

    /// Returns the rows as blocks of several sizes. If the keys do not ascend, each block's keys do.
    func blocks(using generator: inout SeededGenerator) -> [Block] {
      var writer = BlockWriter()
      var blocks: [Block] = []
      var rest = values[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...700, using: &generator)).sorted {
          $0.key < $1.key
        }
        rest = rest.dropFirst(part.count)
        let draft = Draft(layout, role: .insertions)
        for row in part {
          let place = draft.append(key: row.key)
          for (column, value) in row.values.enumerated() {
            draft.set(value, column: column, row: place)
          }
        }
        blocks += Draft.freeze([draft], &writer)
      }
      return blocks
    }

    /// Returns the keys in the order of some columns.
    func sorted(by columns: [Int]) -> [UInt64] {
      values.sorted { left, right in
        for column in columns {
          let (one, other) = (left.values[column], right.values[column])
          if Rows.precedes(one, other) { return true }
          if Rows.precedes(other, one) { return false }
        }
        return left.key < right.key
      }.map(\.key)
    }

    private static func precedes(_ left: Value, _ right: Value) -> Bool {
      switch (left, right) {
      case (.null, .null): false
      case (.null, _): true
      case (_, .null): false
      case (.boolean(let left), .boolean(let right)): !left && right
      case (.integer(let left), .integer(let right)): left < right
      case (.float(let left), .float(let right)): left < right
      case (.double(let left), .double(let right)): left < right
      case (.date(let left), .date(let right)): left < right
      case (.decimal(let left), .decimal(let right)): left < right
      case (.object(let left), .object(let right)): left < right
      case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
        left.utf8.lexicographicallyPrecedes(right.utf8)
      case (.uuid(let left), .uuid(let right)):
        left.uuidString.lexicographicallyPrecedes(right.uuidString)
      default: false
      }
    }
  }

  @Test(
    "Entries are in the order of their values, and then of their objects", arguments: [true, false])
  func order(isAscending: Bool) throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let rows = Rows(3000, isAscending: isAscending, using: &generator)
    let blocks = rows.blocks(using: &generator)
    let columns = rows.layout.columns
    let sortable = columns.indices.filter { columns[$0].kind != .binary }
    let several = (0..<40).map { _ in
      Array(sortable.shuffled(using: &generator).prefix(Int.random(in: 2...3, using: &generator)))
    }
    let names = columns.count - 2
    for positions in sortable.map({ [$0] }) + several + [[names, names + 1], [names + 1, names]] {
      let index = IndexLayout(
        number: 40, entityNumber: 7, columns: positions.map { columns[$0] })
      var sorting = try IndexSorting(index, blocks)
      let found = try sorting.blocks().flatMap { block in
        let objects = try #require(try block.column(LayoutColumn.Number.object))
        return (0..<block.rowCount).map { UInt64(bitPattern: objects.integer(at: $0)) }
      }
      #expect(
        found == rows.sorted(by: positions),
        "seed \(seed), columns \(positions.map { columns[$0].name })")
    }
  }

  @Test("Entries contain the values of their rows")
  func values() throws {
    let seed = freshSeed()
    var generator = SeededGenerator(seed: seed)
    let rows = Rows(2000, isAscending: true, using: &generator)
    let blocks = rows.blocks(using: &generator)
    let columns = rows.layout.columns
    for position in columns.indices where columns[position].kind != .binary {
      let index = IndexLayout(number: 40, entityNumber: 7, columns: [columns[position]])
      var sorting = try IndexSorting(index, blocks)
      for block in try sorting.blocks() {
        let objects = try #require(try block.column(LayoutColumn.Number.object))
        for row in 0..<block.rowCount {
          let expected = rows.values[Int(objects.integer(at: row)) - 1].values[position]
          let found = try #require(try block.value(columns[position], row: row))
          #expect(found.isIdentical(to: expected), "seed \(seed), \(columns[position].name)")
        }
      }
    }
  }

  @Test(
    "A number is above every value of bytes",
    arguments: [
      Column(repeating: .integer(3), kind: .int32, rowCount: 2),
      Column(repeating: .double(0.5), kind: .double, rowCount: 2),
      Column(repeating: .decimal(3), kind: .decimal, rowCount: 2),
    ])
  func numbersAndBytes(_ column: Column) {
    let values: [Value] = [
      .string("3"), .uri("3"), .binary(Data([3])), .uuid(UUID()),
      column.kind == .decimal ? .null : .decimal(3),
    ]
    for value in values {
      #expect(column.comparison(at: 1, with: value, isPrefix: false) == .greater, "\(value)")
    }
  }

  @Test("Long texts fill a block with fewer entries")
  func longTexts() throws {
    let layout = Layout(
      entity: "Note", entityNumber: 7,
      columns: [LayoutColumn(number: 1, name: "text", kind: .string)])
    let draft = Draft(layout, role: .insertions)
    let lengths = (0..<2000).map { $0 == 700 ? 1_000_000 : 1000 }
    for (number, length) in lengths.enumerated() {
      let row = draft.append(key: UInt64(number + 1))
      let text = "\(number)" + String(repeating: "x", count: length)
      draft.set(.string(text), column: 0, row: row)
    }
    var writer = BlockWriter()
    let index = IndexLayout(number: 40, entityNumber: 7, columns: layout.columns)
    var sorting = try IndexSorting(index, Draft.freeze([draft], &writer))
    let blocks = try sorting.blocks()
    #expect(blocks.reduce(0) { $0 + $1.rowCount } == lengths.count)
    for block in blocks {
      #expect(block.byteCount < BlockFormat.targetByteCount * 2 || block.rowCount == 1)
    }
  }
}
