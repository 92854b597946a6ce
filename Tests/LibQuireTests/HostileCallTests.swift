import Foundation
import HostileInputs
import SeededRandom
import TestEffort
import Testing

/// The body of the fuzzer `CallFuzz`, with inputs that a seed makes.
@Suite("Hostile calls of the C interface")
struct HostileCallTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzz/CallFuzz/Seeds").standardizedFileURL

  /// The inputs of the fuzzer, each as its lines.
  private static let seeds: [[[UInt8]]] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appending(path: name))).map { bytes in
        Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
      }
    }
  }()

  @Test("Calls with wrong names, values and predicates end with an error or a result")
  func mixedInputs() throws {
    try #require(Self.seeds.count > 2)
    for seed in Effort.seeds(1000) {
      var random = SeededGenerator(seed: seed)
      // The lines come from different inputs, so that properties and entities do not fit.
      var lines = (0..<7).map { line in
        Self.seeds.randomElement(using: &random)![line]
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let line = lines.indices.randomElement(using: &random)!
        guard !lines[line].isEmpty else { continue }
        let place = lines[line].indices.randomElement(using: &random)!
        switch Int.random(in: 0...3, using: &random) {
        case 0: lines[line][place] = UInt8.random(in: 0x20...0x7E, using: &random)
        case 1: lines[line].remove(at: place)
        case 2: lines[line] += lines[line][place...]
        default: lines[line].insert(contentsOf: "null".utf8, at: place)
        }
      }
      HostileInputs.calls(Array(lines.joined(separator: [0x0A])))
    }
  }
}
