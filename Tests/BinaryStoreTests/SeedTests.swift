import Foundation
import HostileInputs
import PropertyLists
import Testing

/// Replays the seeds of the fuzzers and the inputs that they found. A body that traps ends the tests.
@Suite("The inputs of the fuzzers")
struct SeedTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzz").standardizedFileURL

  @Test("Every kept input runs without a trap", arguments: HostileInputs.all.keys.sorted())
  func replay(_ name: String) throws {
    let body = HostileInputs.all[name]!
    for input in try Self.inputs(of: name) { body(input) }
  }

  @Test("Every fuzzer has a body, every body has a fuzzer, and the store fuzzers have inputs")
  func count() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix("Fuzz") }
    #expect(Set(names) == Set(HostileInputs.all.keys))
    if ProcessInfo.processInfo.environment["RECORD_SEEDS"] != nil { try Self.record() }
    #expect(try Self.inputs(of: "StoreFuzz").count >= 50)
    #expect(try Self.inputs(of: "MetadataFuzz").count >= 12)
  }

  private static func inputs(of name: String) throws -> [[UInt8]] {
    let folder = folder.appending(path: name)
    var inputs: [[UInt8]] = []
    let seeds = folder.appending(path: "Seeds")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: seeds.path)) ?? []
    for name in names.sorted() {
      inputs.append(Array(try Data(contentsOf: seeds.appending(path: name))))
    }
    let kept =
      (try? String(contentsOf: folder.appending(path: "corpus.hex"), encoding: .utf8)) ?? ""
    for line in kept.split(separator: "\n") {
      inputs.append(try #require(Self.bytes(line), "\(name): a line of the corpus is not bytes"))
    }
    let lines =
      (try? String(contentsOf: folder.appending(path: "seeds.txt"), encoding: .utf8)) ?? ""
    return inputs + lines.split(separator: "\n").map { Array($0.utf8) }
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Writes the seeds of the metadata fuzzer: the sections of sound files, for each of their uses.
  private static func record() throws {
    let seeds = folder.appending(path: "MetadataFuzz/Seeds")
    for (number, sample) in [(0, SampleStore.plain), (4, .evolved)] as [(UInt8, SampleStore)] {
      let bytes = try sample.bytes()
      for (kind, field) in [48, 64, 80].enumerated() {
        for activity in [HostileInputs.Activity.description, .rows, .evolving, .indexes] {
          let input = [number | UInt8(kind), activity.rawValue]
          try Data(input + BlockFileMap.section(at: field, of: bytes)).write(
            to: seeds.appending(path: "\(sample)-\(kind)-\(activity)"))
        }
      }
    }
    let list = PropertyList.dictionary([
      "all": .array([
        .string("é"), .integer(-1), .unsigned(.max), .real(0.5), .boolean(true), .null,
        .uid(70_000),
        .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1])), .set([.integer(300)]),
      ])
    ])
    try Data([3, 0] + BinaryPropertyList.write(list)).write(
      to: seeds.appending(path: "every-kind"))
  }
}
