import Foundation
import ObjectModel
import Rows
import SpecVectors
import Testing

/// The vectors of chapter 3, read from its page. `RECORD_VECTORS=1` prints them anew.
@Suite("The blocks of the specification")
struct BlockVectorTests {
  @Test(
    "The reader finds the values of each vector",
    arguments: try SpecVector.all("block", on: "3-rows-and-blocks.md"))
  func reading(_ vector: SpecVector) throws {
    let bytes = try #require(vector.bytes("bytes"))
    let block = try BlockWithElsewhere(bytes, Self.outside(vector)).block()
    try block.verify()

    #expect(vector["entity"] == "\(block.entityNumber)")
    #expect(vector["flags"] == "\(block.flags.rawValue)")
    #expect(vector["rows"] == "\(block.rowCount)")
    #expect(try Self.values(of: block) == vector[all: "value"])
  }

  @Test(
    "The writer writes the bytes of each vector",
    arguments: try SpecVector.all("block", on: "3-rows-and-blocks.md"))
  func writing(_ vector: SpecVector) throws {
    let sample = try #require(Self.samples.first { $0.title == vector.title })
    #expect(try [UInt8](bytes: sample.block) == vector.bytes("bytes"))
  }

  @Test(
    "The reader refuses each bad block with the code of its vector",
    arguments: try SpecVector.all("bad-block", on: "3-rows-and-blocks.md"))
  func refusing(_ vector: SpecVector) throws {
    let bytes = try #require(vector.bytes("bytes"))
    let error = #expect(throws: BlockError.self) { try Block(bytes).verify() }
    #expect(vector["code"] == error?.code.rawValue)
  }

  @Test("There are vectors of both kinds, and one for each sample")
  func count() throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil { try Self.record() }
    let titles = try SpecVector.all("block", on: "3-rows-and-blocks.md").map(\.title)
    #expect(titles == Self.samples.map(\.title))
    #expect(
      try SpecVector.all("bad-block", on: "3-rows-and-blocks.md").count == Self.badBlocks.count)
  }

  /// Returns a vector's outside values: an offset and bytes on each line.
  private static func outside(_ vector: SpecVector) throws -> Elsewhere {
    let place = Elsewhere()
    for line in vector[all: "outside"] {
      let parts = line.split(separator: " ")
      place[try #require(UInt64(parts[0]))] = try parts.dropFirst().map {
        try #require(UInt8($0, radix: 16))
      }
    }
    return place
  }

  /// Returns a line for each value, in the notation of vectors.
  private static func values(of block: Block) throws -> [String] {
    let keys = try block.keys
    var lines: [String] = []
    for row in 0..<block.rowCount {
      for number in block.columnNumbers.dropLast() {
        guard let column = try block.column(number) else { continue }
        let value = column.isGiven(row) ? text(column.value(at: row)) : "beneath"
        lines.append("\(keys.integer(at: row)).\(number) = \(column.kind.rawValue) \(value)")
      }
    }
    return lines
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value), .uri(let value): value
    case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
    case .uuid(let value): value.uuidString
    case .binary(let value):
      value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    case .object(let key): "\(key.entity)/\(key.number)"
    }
  }

  private static func block(
    _ kinds: [ColumnKind], _ rows: [(UInt64, [Value?])], role: Draft.Role = .insertions,
    version: Int64? = nil, basis: Int64 = 0
  ) -> Block {
    let layout = Layout(
      entity: "Vector", entityNumber: 3,
      columns: kinds.enumerated().map {
        LayoutColumn(number: UInt16($0 + 1), name: "c\($0)", kind: $1)
      })
    let draft = Draft(layout, role: role)
    for (key, values) in rows {
      let row = draft.append(key: key, basis: basis)
      for (column, value) in values.enumerated() {
        if let value { draft.set(value, column: column, row: row) }
      }
    }
    return draft.freeze(version: version)[0]
  }

  private static let uuid = UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!

  /// Returns the bytes of a block with an encoding that the writer never chooses.
  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    hexadecimal.split(whereSeparator: \.isWhitespace).map { UInt8($0, radix: 16)! }
  }

  private static let wideNumbers = bytes(
    """
      51 42 4c 4b 78 00 00 00 88 00 00 00 ec 59 67 c1
      03 00 02 00 02 00 00 00 01 00 00 00 00 00 00 00
      02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      01 00 02 01 08 00 00 00 78 00 00 00 10 00 00 00
      00 97 74 20 00 00 00 00 00 80 ff ff ff ff ff ff
      ff ff 04 01 00 00 04 00 00 00 00 00 00 00 00 00
      00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00
      01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      ff ff 00 00 00 00 00 00
    """)

  private static let numbersModulo = bytes(
    """
      51 42 4c 4b 78 00 00 00 88 00 00 00 f3 5d 70 c6
      03 00 02 00 02 00 00 00 01 00 00 00 00 00 00 00
      02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      01 00 02 01 08 00 00 00 78 00 00 00 10 00 00 00
      b2 c2 37 b2 00 00 00 00 00 00 00 00 00 00 00 00
      ff ff 04 01 00 00 04 00 00 00 00 00 00 00 00 00
      00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00
      01 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00
      ff ff ff ff ff ff ff ff
    """)

  static let samples: [(title: String, block: Block)] = [
    (
      "one row of every kind",
      block(
        ColumnKind.allCases,
        [
          (
            17,
            [
              .boolean(true), .integer(-2), .integer(70_000), .integer(1 << 40), .float(0.1),
              .double(12.34), .date(Date(timeIntervalSinceReferenceDate: 600_000_000)),
              .decimal(Decimal(string: "-10.50")!), .string("Lisbon"), .uri("https://example.org/"),
              .binary(Data([0, 255])), .uuid(uuid), .object(ObjectKey(entity: 2, number: 5)),
            ]
          )
        ])
    ),
    (
      "nulls, narrow numbers and bits",
      block(
        [.boolean, .int32, .double],
        [
          (1, [.boolean(true), .integer(1000), .double(1.5)]), (2, [.null, .null, .null]),
          (4, [.boolean(false), .integer(1003), .double(.pi)]),
        ])
    ),
    (
      "a dictionary",
      block(
        [.string],
        (1...12).map { (UInt64($0), [.string($0 % 3 == 0 ? "Portugal and Spain" : "Andorra")]) })
    ),
    (
      "changes, each of another value",
      block(
        [.int64, .string], [(5, [.integer(-1), nil]), (9, [nil, .null])], role: .changes,
        version: 8,
        basis: 7)
    ),
    ("a value outside of the block, one inside and none", outside),
    (
      "the lowest and the highest number of 16 bits, in eight bytes each (3.4.1)",
      try! Block(wideNumbers)
    ),
  ]

  /// The place of the last sample's outside values.
  private static let elsewhere = Elsewhere()
  private static let outside: Block = {
    let inside = block(
      [.binary],
      [
        (1, [.binary(Data((0..<40).map { $0 * 3 }))]), (2, [.binary(Data([1, 2, 3]))]),
        (3, [.null]),
      ])
    let layer = Layer([.init(entityNumber: 3, put: BlockRun([inside]))])
    return try! layer.movingLargeValues(to: ElsewhereWriter(elsewhere, least: 32)).entities[0].put
      .blocks[0]
  }()

  /// Blocks with valid checksums that break one clause each.
  static let badBlocks: [(title: String, bytes: [UInt8])] = {
    func broken(
      _ title: String, _ sample: Int, _ change: (inout [UInt8]) -> Void, seal: Bool = true
    )
      -> (String, [UInt8])
    {
      var bytes = try! [UInt8](bytes: samples[sample].block)
      change(&bytes)
      if seal { BlockForgery.seal(&bytes) }
      return (title, bytes)
    }
    return [
      broken("another magic (3.3.1)", 1, { $0[0] = 0x58 }),
      broken("a changed byte (3.3.5)", 1, { $0[$0.count - 8] ^= 1 }, seal: false),
      broken("an unknown flag (3.3.1)", 1, { $0[40] = 4 }),
      broken("no rows (3.3.1)", 1, { $0[20] = 0 }),
      broken("an unknown kind (3.3.2)", 1, { $0[48 + 2] = 99 }),
      broken("an unknown encoding (3.4)", 1, { $0[48 + 3] = 9 }),
      broken("keys that do not begin with the lowest (3.4.2)", 1, { $0[24] = 0 }),
      broken("fewer bytes than it says (3.3.1)", 1, { $0.removeLast(8) }, seal: false),
      broken("a number that is reserved (3.3.3)", 1, { ($0[104], $0[105]) = (0x00, 0xF0) }),
      broken("no key (3.3.3)", 1, { $0[128] = 0xFE }),
      broken("columns out of order (3.3.4)", 1, { $0[72] = 1 }),
      broken("a directory longer than the header says (3.3.4)", 1, { $0[4] = 0x98 }),
      broken("a chunk beyond the block (3.3.4)", 1, { $0[56] = 0xF0 }),
      broken("a chunk at no multiple of 8 (3.3.4)", 1, { $0[56] = 0xA4 }),
      broken("whole rows that leave values open (3.3.4)", 1, { $0[54] |= 8 }),
      broken("a body longer than its parts (3.3.5)", 1, { $0[60] = 17 }),
      broken("a body shorter than its parts (3.3.5)", 1, { $0[60] = 8 }),
      broken("a width that is none (3.4)", 1, { $0[76] = 3 }),
      broken(
        "a number too great for its kind (3.4.1)", 1,
        { $0.replaceSubrange(96..<100, with: [0xFF, 0xFF, 0xFF, 0x7F]) }),
      broken(
        "a base outside its kind, with values within it (3.4.1)", 1,
        {
          $0.replaceSubrange(
            96..<104, with: [0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF])
          ($0[0xB8], $0[0xB9], $0[0xBA]) = (1, 1, 4)
        }),
      ("a number that fits its kind only modulo 2^64 (3.4.1)", numbersModulo),
      broken("keys that do not ascend (3.4.2)", 1, { $0[0xE1] = 0 }),
      broken("a scale that is too high (3.4.3)", 0, { $0[215] = 5 }),
      broken("offsets that do not end with the heap (3.4.5)", 0, { $0[336] = 5 }),
      broken("a text that is not UTF-8 (3.4.5)", 0, { $0[0x200] = 0xFF }),
      broken(
        "a character cut in two (3.4.5)", 2, { ($0[0x9E], $0[0x9F]) = (0xC3, 0xA9) }),
      broken("a code without an entry (3.4.7)", 2, { $0[0x80] = 2 }),
      broken("a dictionary out of order (3.4.7)", 2, { $0[0x98] = 0x5A }),
      broken("texts outside of the block (3.3.4)", 2, { $0[48 + 6] |= 16 }),
      broken("no value, and it is outside (3.3.6)", 4, { $0[0x88] |= 4 }),
      broken("a reference of another length (3.4.9)", 4, { $0[0x88] |= 2 }),
      broken("a codec that is not known (3.4.9)", 4, { $0[0x98 + 28] = 2 }),
      broken("a plain value that is kept shorter than it is (3.4.9)", 4, { $0[0x98 + 16] = 39 }),
      broken(
        "a value of more than 2^30 bytes (3.4.9)", 4,
        { ($0[0x98 + 11], $0[0x98 + 19]) = (0x50, 0x50) }),
    ]
  }()

  private static func record() throws {
    func hex(_ bytes: [UInt8]) -> String {
      stride(from: 0, to: bytes.count, by: 16).map { start in
        bytes[start..<min(start + 16, bytes.count)].map {
          String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined(separator: " ")
      }.joined(separator: "\n        ")
    }
    for (title, block) in samples {
      print(
        "```vector block: \(title)\nentity = \(block.entityNumber)\nflags = \(block.flags.rawValue)"
      )
      print("rows = \(block.rowCount)")
      for line in try values(of: block) { print("value = \(line)") }
      for reference in try block.outsideReferences() {
        print("outside = \(reference.offset) \(hex(elsewhere[reference.offset]!))")
      }
      print("bytes = \(hex(try [UInt8](bytes: block)))\n```\n")
    }
    for (title, bytes) in badBlocks {
      var code = ""
      do { try Block(bytes).verify() } catch { code = (error as! BlockError).code.rawValue }
      print("```vector bad-block: \(title)\ncode = \(code)\nbytes = \(hex(bytes))\n```\n")
    }
  }
}
