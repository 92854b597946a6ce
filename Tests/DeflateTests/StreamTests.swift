import Deflate
import SeededRandom
import Testing

@Suite("Streams of deflate")
struct StreamTests {
  private func packed(_ bytes: [UInt8], pieces: [Int]) throws -> [UInt8] {
    var packed: [UInt8] = []
    var stream = DeflateStream()
    var start = 0
    for piece in pieces {
      let part = Array(bytes[start..<start + piece])
      try stream.compress(part.span.bytes) { piece in piece.withUnsafeBytes { packed += $0 } }
      start += piece
    }
    try stream.finish { piece in piece.withUnsafeBytes { packed += $0 } }
    return packed
  }

  private func expanded(
    _ bytes: [UInt8], limit: Int, by step: Int
  ) throws -> (bytes: [UInt8], isAtEnd: Bool) {
    var expanded: [UInt8] = []
    var stream = InflateStream(byteLimit: limit)
    for start in stride(from: 0, to: bytes.count, by: step) {
      let part = Array(bytes[start..<min(bytes.count, start + step)])
      try stream.expand(part.span.bytes) { piece in piece.withUnsafeBytes { expanded += $0 } }
    }
    #expect(stream.byteCount == expanded.count)
    return (expanded, stream.isAtEnd)
  }

  @Test("Bytes come back equal in any pieces, and pieces do not change the output")
  func roundTrip() throws {
    var generator = SeededGenerator()
    for count in [0, 1, 100, 65_536, 400_000] {
      for range in [UInt8(0)...0, 0...3, 0...255] {
        let bytes = (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
        let small = try packed(bytes, pieces: [count])
        let third = count / 3
        #expect(
          try packed(bytes, pieces: [third, 0, third, count - 2 * third]) == small, "\(generator)")
        for step in [small.count + 1, 1000, max(1, small.count / 7)] {
          let found = try expanded(small, limit: count, by: step)
          #expect(found.bytes == bytes && found.isAtEnd, "\(generator)")
        }
      }
    }
  }

  @Test("A stream never outputs more bytes than its limit")
  func limit() throws {
    let zeros = [UInt8](repeating: 0, count: 10_000_000)
    let small = try packed(zeros, pieces: [zeros.count])
    var count = 0
    var stream = InflateStream(byteLimit: 1_000_000)
    #expect(throws: DeflateError.self) {
      try stream.expand(small.span.bytes) { count += $0.byteCount }
    }
    #expect(count <= 1_000_000)
  }

  @Test(
    "Cut streams have no end, changed ones stay within the limit, and extra bytes are refused"
  )
  func damage() throws {
    let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    let small = try packed(bytes, pieces: [3000])
    for count in stride(from: 0, to: small.count, by: 11) {
      #expect(try !expanded(Array(small[..<count]), limit: 3000, by: 5000).isAtEnd)
    }
    #expect(throws: DeflateError.self) { try expanded(small + [0], limit: 3000, by: 5000) }
    #expect(throws: DeflateError.self) { try expanded(small + [0], limit: 3000, by: 1) }
    for index in small.indices {
      var changed = small
      changed[index] ^= 0x10
      if let found = try? expanded(changed, limit: 3000, by: 100) {
        #expect(found.bytes.count <= 3000)
      }
    }
  }

  @Test("An error of the output is rethrown, and the stream is released")
  func throwing() throws {
    struct Own: Error {}
    let small = try packed([1, 2, 3], pieces: [3])
    var stream = InflateStream(byteLimit: 3)
    #expect(throws: Own.self) { try stream.expand(small.span.bytes) { _ in throw Own() } }
    var other = DeflateStream()
    #expect(throws: Own.self) { try other.finish { _ in throw Own() } }
  }

  @Test("The checksum is that of the zip format, in any pieces")
  func checksum() {
    var crc = CRC32()
    #expect(crc.value == 0)
    crc.update(Array("12345".utf8).span.bytes)
    crc.update([UInt8]().span.bytes)
    crc.update(Array("6789".utf8).span.bytes)
    #expect(crc.value == 0xCBF4_3926)
  }
}
