import Foundation
import SeededRandom
import Testing

@testable import Checksums

@Suite("CRC-32C")
struct CRC32CTests {
  /// The examples of RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
  static let published: [(bytes: [UInt8], checksum: UInt32)] = [
    ([], 0),
    (Array("123456789".utf8), 0xE306_9283),
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0..<32), 0x46DD_794E),
    ((0..<32).reversed(), 0x113F_DB5C),
    (
      [UInt8](
        hex: """
          01c00000000000000000000000000000140000000000040000000014000000182800000000000000\
          0200000000000000
          """)!, 0xD996_3A56
    ),
  ]

  @Test(
    "Every implementation computes the published checksums", arguments: published,
    CRC32C.Path.available)
  func publishedVectors(_ vector: (bytes: [UInt8], checksum: UInt32), _ path: CRC32C.Path) {
    #expect(~path.advance(~0, over: vector.bytes.span.raw) == vector.checksum)
    #expect(CRC32C.checksum(of: vector.bytes) == vector.checksum)
    #expect(CRC32C.checksum(of: Data(vector.bytes)) == vector.checksum)
  }

  @Test("All implementations agree, also near the lengths where they switch algorithms")
  func pathsAgree() {
    var random = SeededGenerator()
    let bytes = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let turns = [0, 8, 16, 64, 768, 1536, 12_288, 12_288 + 768, 24_576, 39_000]
    for length in turns.flatMap({ max(0, $0 - 9)...($0 + 9) }) {
      let start = Int.random(in: 0...16, using: &random)
      let register = UInt32.random(in: 0 ... .max, using: &random)
      let input = bytes.span.raw.extracting(start..<start + length)
      let expected = CRC32C.slicingBy8(register, input)
      for path in CRC32C.Path.available {
        #expect(path.advance(register, over: input) == expected, "\(path) \(length) \(random)")
      }
    }
  }

  @Test("Input in pieces has the checksum of the whole")
  func pieces() {
    var random = SeededGenerator()
    let bytes = (0..<30_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var crc = CRC32C()
    var next = 0
    while next < bytes.count {
      let end = min(bytes.count, next + Int.random(in: 0...4000, using: &random))
      crc.update(Array(bytes[next..<end]))
      next = end
    }
    #expect(crc.value == CRC32C.checksum(of: bytes), "\(random)")
  }

  @Test(
    "The checksum tells which single bit is wrong, and that there is none",
    arguments: [0, 1, 7, 300])
  func wrongBit(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let sum = CRC32C.checksum(of: bytes.span.bytes)
    #expect(CRC32C.wrongBit(in: bytes.span.bytes, expecting: sum) == nil)
    for bit in 0..<8 * count {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(CRC32C.wrongBit(in: changed.span.bytes, expecting: sum) == bit)
      changed[(bit / 8 + 1) % count] ^= 2
      if count > 7 { #expect(CRC32C.wrongBit(in: changed.span.bytes, expecting: sum) == nil) }
    }
  }
}
