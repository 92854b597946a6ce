import StoreConformance
import StoreInterface
import Testing

@Suite("The store in memory")
struct MemoryStoreTests {
  @Test("The store in memory conforms")
  func conformance() throws {
    let report = StoreConformance(make: { try MemoryStore($0) }).run()
    #expect(report.failures == [])
    #expect(report.passed)
  }

  @Test("The store in memory conforms when it keeps earlier commits")
  func history() throws {
    let report = StoreConformance(make: { try MemoryStore($0, keepsHistory: true) }).run()
    #expect(report.failures == [])
    #expect(report.passed)
  }

  @Test("Layers are merged in tiers, so that few layers stay and each row is rarely written")
  func tiers() {
    var sizes: [Int] = []
    var written = 0
    for _ in 0..<10_000 {
      sizes.append(1)
      written += 1
      while let count = SegmentTiers.mergeCount(sizes: sizes) {
        let sum = sizes.suffix(count).reduce(0, +)
        written += sum
        sizes.removeLast(count)
        sizes.append(sum)
      }
      #expect(sizes.count < 32)
    }
    #expect(sizes.reduce(0, +) == 10_000)
    // The first write, two low tiers, and log4(10 000 / 96), which is below 4.
    #expect(written < 10_000 * 6, "\(Double(written) / 10_000) writes a row")
  }
}
