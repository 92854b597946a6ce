import Foundation
import ObjectModel
import Rows
import SeededRandom
import Testing

/// Reads the whole contents of a block, with each function of the reader.
private func readAll(_ bytes: [UInt8]) throws -> Int {
  let block = try Block(bytes)
  var sum = 0
  for number in block.columnNumbers {
    guard let column = try? block.column(number) else { continue }
    for row in 0..<block.rowCount {
      sum &+= column.value(at: row).hashValue
      sum &+= column.isGiven(row) ? 1 : 0
    }
  }
  for key in [block.minimumKey, block.maximumKey, (block.minimumKey &+ block.maximumKey) / 2] {
    sum &+= (try? block.row(of: key)) ?? 0
  }
  return sum
}

@Suite("Damaged blocks")
struct BlockDamageTests {
  static let small: [UInt8] = {
    var generator = SeededGenerator(seed: 5)
    let (draft, _) = Sample.insertions(9, using: &generator)
    return try! [UInt8](bytes: draft.freeze()[0])
  }()

  @Test("A truncated block is refused")
  func truncations() {
    for count in 0..<Self.small.count {
      #expect(throws: BlockError.self, "\(count) bytes") {
        try Block(Array(Self.small[..<count]))
      }
    }
  }

  @Test("A change of any single byte is an error, or changes no value")
  func flips() throws {
    let intact = try Block(Self.small).allValues(Sample.layout)
    for index in Self.small.indices {
      var bytes = Self.small
      bytes[index] ^= 0x41
      var noticed = false
      do {
        let block = try Block(bytes)
        try block.verify()
        // Only padding has no checksum, and no value depends on padding.
        let read = try block.allValues(Sample.layout)
        noticed = read.map(\.values) == intact.map(\.values) && read.map(\.key) == intact.map(\.key)
      } catch is BlockError {
        noticed = true
      }
      #expect(noticed, "byte \(index)")
    }
  }

  @Test("A changed block with valid checksums is refused, or read without a trap", arguments: 0..<8)
  func lies(_ part: Int) throws {
    let seed = freshSeed() &+ UInt64(part)
    var generator = SeededGenerator(seed: seed)
    let (draft, _) = Sample.insertions(
      Int.random(in: 1...80, using: &generator), using: &generator)
    let intact = try [UInt8](bytes: draft.freeze()[0])
    for _ in 0..<2_000 {
      var bytes = intact
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 16..<bytes.count, using: &generator)
        bytes[index] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator)!
      }
      BlockForgery.seal(&bytes)
      // A trap or a sanitizer's report ends the process, so the seed is printed before.
      if ProcessInfo.processInfo.environment["QUIRE_TRACE"] != nil { print("seed \(seed)") }
      _ = try? readAll(bytes)
    }
  }

  @Test("The message states the stored and the computed checksum")
  func message() throws {
    var bytes = Self.small
    bytes[bytes.count - 9] ^= 0xFF
    let block = try Block(bytes)

    let error = #expect(throws: BlockError.self) { try block.verify() }

    #expect(error?.code == .checksumMismatch)
    #expect(error?.description.contains("differs from the computed") == true)
  }

  @Test("Bytes that are not a block have an error code of their own")
  func noBlock() {
    let error = #expect(throws: BlockError.self) { try Block([UInt8](repeating: 0x20, count: 64)) }
    #expect(error?.code == .notABlock)
    #expect(error?.description.contains("begins with 0x20202020.") == true)
  }

  @Test(
    "A column with a number that does not fit its kind is refused",
    arguments: [200, 60_000, 1 << 30], [0, 1])
  func greatestNumber(_ spread: Int64, _ excess: Int64) throws {
    let layout = Layout(
      entity: "Count", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: "count", kind: .int32)])
    let draft = Draft(layout, role: .insertions)
    for row in 0..<100 {
      draft.append(key: UInt64(row + 1))
      draft.set(.integer(row % 3 == 0 ? spread : 0), column: 0, row: row)
    }
    var bytes = try [UInt8](bytes: draft.freeze()[0])
    BlockForgery.moveBase(of: 1, by: Int64(Int32.max) - spread + excess, in: &bytes)
    let block = try Block(bytes)

    if excess == 0 {
      #expect(try block.column(1)?.value(at: 0) == .integer(Int64(Int32.max)))
    } else {
      let error = #expect(throws: BlockError.self) { try block.column(1) }
      #expect(error?.code == .badValue)
    }
  }

  @Test("Numbers in messages have eight digits")
  func digits() {
    let bytes: [UInt8] = [0, 0, 0, 10] + [UInt8](repeating: 0, count: 60)
    let error = #expect(throws: BlockError.self) { try Block(bytes) }
    #expect(error?.description.contains("begins with 0x0000000a.") == true)
  }
}

/// Repairs the checksums of a changed block, like an attacker.
enum BlockForgery {
  /// Adds a number to each integer of a column, or to each offset of a column with byte strings.
  static func moveBase(of column: UInt16, by distance: Int64, in bytes: inout [UInt8]) {
    let entry = entry(of: column, in: bytes)
    precondition(bytes[entry + 3] == 1 || bytes[entry + 3] == 5, "The column has no base.")
    let base = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[entry + 24 + $1]) << (8 * $1) }
    let moved = base &+ UInt64(bitPattern: distance)
    for i in 0..<8 { bytes[entry + 24 + i] = UInt8(truncatingIfNeeded: moved >> (8 * i)) }
    seal(&bytes)
  }

  /// Gives a column no bytes, at a place far behind the block.
  static func removeBody(of column: UInt16, in bytes: inout [UInt8]) {
    let entry = entry(of: column, in: bytes)
    bytes.replaceSubrange(entry + 8..<entry + 16, with: [0xF0, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0])
    seal(&bytes)
  }

  /// Returns the place of a column's entry.
  private static func entry(of column: UInt16, in bytes: [UInt8]) -> Int {
    let columnCount = Int(bytes[18]) | Int(bytes[19]) << 8
    var entry = 48
    for _ in 0..<columnCount {
      let (encoding, flags) = (bytes[entry + 3], bytes[entry + 6])
      if Int(bytes[entry]) | Int(bytes[entry + 1]) << 8 == Int(column) { return entry }
      let base = encoding == 1 || encoding == 2 ? (flags & 4 != 0 ? 16 : 8) : 0
      let offsets = encoding == 5 || encoding == 6 ? 16 : 0
      entry += 24 + (flags & 2 != 0 ? 0 : base + offsets)
    }
    preconditionFailure("The block has no column \(column).")
  }

  static func seal(_ bytes: inout [UInt8]) {
    func u32(_ at: Int) -> Int {
      guard at + 4 <= bytes.count else { return 0 }
      return (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    func put(_ value: UInt32, _ at: Int) {
      for i in 0..<4 where at + i < bytes.count {
        bytes[at + i] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(i)))
      }
    }
    let header = u32(4)
    let columnCount = u32(16) >> 16
    var entry = 48
    for _ in 0..<min(columnCount, 64) where entry + 24 <= min(header, bytes.count) {
      let (start, count) = (u32(entry + 8), u32(entry + 12))
      let encoding = bytes[entry + 3]
      let flags = bytes[entry + 6]
      if count > 0, count <= 4096, start + count <= bytes.count {
        put(Reference.crc32c(bytes[start..<start + count]), entry + 16)
      }
      entry += 24
      if flags & 2 == 0 {
        if encoding == 1 || encoding == 2 { entry += flags & 4 != 0 ? 16 : 8 }
        if encoding == 5 || encoding == 6 { entry += 16 }
      }
    }
    put(0, 12)
    if header <= bytes.count { put(Reference.crc32c(bytes[..<header]), 12) }
  }
}

enum Reference {
  /// The checksum of each single byte, computed bit by bit as CRC-32C is defined.
  private static let sums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in
      sum & 1 != 0 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1
    }
  }

  /// Returns the CRC-32C of some bytes, a byte at a time.
  static func crc32c(_ bytes: some Sequence<UInt8>) -> UInt32 {
    let sums = sums
    var sum: UInt32 = .max
    for byte in bytes { sum = sum >> 8 ^ sums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    return ~sum
  }
}
