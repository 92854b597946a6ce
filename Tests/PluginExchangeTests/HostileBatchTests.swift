import HostileInputs
import SeededRandom
import Testing

@Suite("Plug-ins and hosts that break their promises")
struct HostileBatchTests {
  @Test("A batch that is distorted in transit gives rows or an error", arguments: 0..<4)
  func distorted(_ part: Int) {
    var random = SeededGenerator(seed: UInt64(part))
    for _ in 0..<250 {
      let bytes = (0..<Int.random(in: 1...120, using: &random)).map { _ in
        // Mostly small numbers, because only small numbers have a meaning in a batch.
        UInt8.random(in: 0...(Bool.random(using: &random) ? 15 : 1), using: &random)
      }
      HostileInputs.pluginBatch(bytes)
    }
  }
}
