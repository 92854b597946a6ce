import Rows
import SeededRandom
import Testing

@Suite("The check for valid UTF-8")
struct UTF8CheckTests {
  private func isText(_ bytes: [UInt8]) -> Bool { bytes.span.bytes.isUTF8 }

  @Test("An invalid byte is found at any position, in texts of every length")
  func everywhere() {
    for length in 0...70 {
      var bytes = [UInt8](repeating: 0x61, count: length)
      #expect(isText(bytes))
      for place in bytes.indices {
        bytes[place] = 0xFF
        #expect(!isText(bytes), "\(length) bytes, the one at \(place)")
        bytes[place] = 0x61
      }
    }
  }

  @Test("The check accepts exactly the bytes that Swift decodes without repair")
  func random() {
    var random = SeededGenerator(seed: 20)
    let pieces: [UInt8] = [
      0x41, 0x7F, 0x80, 0xBF, 0xC2, 0xC3, 0xE0, 0xED, 0xA0, 0xF0, 0x90, 0xF4, 0x8F,
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in pieces.randomElement(using: &random)! }
      #expect(isText(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
      #expect(isText(Array(String(decoding: bytes, as: UTF8.self).utf8)))
    }
  }
}
