import Deflate
import SeededRandom
import Testing

@Suite("Compressing and expanding")
struct DeflateTests {
  private func expanded(
    _ bytes: [UInt8], count: Int, isStrict: Bool = false
  ) throws -> [UInt8] {
    var memory = [UInt8](repeating: 0xEE, count: count)
    var span = memory.mutableSpan
    var raw = span.mutableBytes
    if isStrict {
      try Deflate.expandStrictly(bytes.span.bytes, into: &raw)
    } else {
      try Deflate.expand(bytes.span.bytes, into: &raw)
    }
    return memory
  }

  @Test("Compressed bytes come back equal", arguments: Deflate.Level.allCases)
  func roundTrip(_ level: Deflate.Level) throws {
    var generator = SeededGenerator()
    for count in [0, 1, 2, 100, 65_536, 300_000] {
      for range in [UInt8(0)...0, 0...3, 0...255] {
        let bytes = (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
        let small = Deflate.compress(bytes.span.bytes, level: level)
        #expect(try expanded(small, count: count) == bytes, "\(generator)")
        #expect(try expanded(small, count: count, isStrict: true) == bytes, "\(generator)")
        #expect(count <= Deflate.mostBytes(from: small.count))
      }
    }
  }

  @Test("Compressed text is smaller")
  func shrinking() {
    let bytes = Array(String(repeating: "the same again, ", count: 1000).utf8)
    #expect(Deflate.compress(bytes.span.bytes).count < bytes.count / 20)
  }

  @Test("Too few, too many, cut and changed bytes are errors", arguments: [false, true])
  func damage(_ isStrict: Bool) throws {
    let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    let small = Deflate.compress(bytes.span.bytes)
    #expect(throws: DeflateError.self) {
      try expanded(small, count: bytes.count - 1, isStrict: isStrict)
    }
    #expect(throws: DeflateError.self) {
      try expanded(small, count: bytes.count + 1, isStrict: isStrict)
    }
    #expect(throws: DeflateError.self) {
      try expanded(small + [0], count: bytes.count, isStrict: isStrict)
    }
    #expect(throws: DeflateError.self) { try expanded([], count: bytes.count, isStrict: isStrict) }
    for count in stride(from: 0, to: small.count, by: 11) {
      #expect(throws: DeflateError.self) {
        try expanded(Array(small[..<count]), count: bytes.count, isStrict: isStrict)
      }
    }
    for index in small.indices {
      var changed = small
      changed[index] ^= 0x10
      // The checksum of zlib's format refuses every change except one that does not affect the bytes.
      if let found = try? expanded(changed, count: bytes.count, isStrict: isStrict) {
        #expect(found == bytes)
      }
    }
  }
}
