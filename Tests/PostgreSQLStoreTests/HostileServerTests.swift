import Foundation
import SeededRandom
import Testing

@testable import PostgreSQLConnection

@Suite("Rows from a hostile server")
struct HostileServerTests {
  private func message() -> [UInt8] {
    var rows = BinaryValues()
    for number in 0..<3 as Range<Int64> {
      rows.beginRow(3)
      rows.append(number)
      rows.appendNull()
      rows.append(Array("text \(number)".utf8))
    }
    rows.beginRow(-1)
    return CopiedRows.header + rows.bytes
  }

  /// Reads a message, and returns the number of its rows.
  private func read(_ bytes: [UInt8]) throws -> (rows: Int, hasEnded: Bool) {
    var reader = CopiedRows(columnCount: 3)
    var count = 0
    try bytes.withUnsafeBytes { bytes in
      try reader.read(bytes) { cells in
        count += 1
        for index in 0..<3 {
          // Every way to read a cell stays within its bytes.
          _ = (cells[index].integer, cells[index].real, cells[index].float, cells[index].numeric)
          _ = cells[index].bytes.count
        }
      }
    }
    return (count, reader.hasEnded)
  }

  @Test("A whole message is read, and a message that is cut anywhere is an error or has no end")
  func cutMessages() throws {
    let whole = message()
    #expect(try read(whole) == (3, true))
    for count in 0..<whole.count {
      if let found = try? read(Array(whole.prefix(count))) { #expect(!found.hasEnded, "\(count)") }
    }
    #expect(throws: PostgreSQLError.self) { try read(whole + [0]) }
  }

  @Test("No change of bytes makes the reader read outside of a message")
  func changedMessages() {
    let whole = message()
    var random = SeededGenerator(seed: 7)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if (try? read(bytes)) == nil { refused += 1 }
    }
    #expect(refused > 5000)
  }

  @Test("A decimal number is written and read again, and bytes that are none are refused")
  func numerics() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<5000 {
      let wide = UInt128(UInt64.random(in: 0...(.max), using: &random)) << 60
      let magnitude = wide >> UInt128(Int.random(in: 0...110, using: &random))
      let number = PostgreSQLNumeric(
        isNegative: Bool.random(using: &random), magnitude: magnitude,
        exponent: Int.random(in: -128...127, using: &random))
      var values = BinaryValues()
      PostgreSQLNumeric.write(number, into: &values)
      let found = PostgreSQLNumeric.read(values.bytes.span.bytes)
      #expect(found.map { $0.map(canonical) } == .some(canonical(number)), "\(number)")
      var bytes = values.bytes
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0xFF
      _ = PostgreSQLNumeric.read(bytes.span.bytes)
      #expect(PostgreSQLNumeric.read(Array(values.bytes.dropLast()).span.bytes) == nil)
    }
  }

  private func canonical(_ number: PostgreSQLNumeric) -> [String] {
    guard number.magnitude > 0 else { return ["0"] }
    var (magnitude, exponent) = (number.magnitude, number.exponent)
    while magnitude % 10 == 0 {
      magnitude /= 10
      exponent += 1
    }
    return ["\(number.isNegative)", "\(magnitude)", "\(exponent)"]
  }
}
