import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import SeededRandom
import StoreConformance
import StoreInterface
import TestEffort
import Testing
import Validation
import XMLStore

/// The library reads each file in which the validator finds no error completely, and no changed file causes a crash.
@Suite("Changed files")
struct MutationTests {
  /// A small file, and the distance in bytes between two changes.
  struct Kind: CustomStringConvertible, Sendable {
    let description: String
    let step: Int
    let make: @Sendable () throws -> [UInt8]

    init(_ name: String, step: Int = 13, _ make: @escaping @Sendable () throws -> [UInt8]) {
      description = name
      self.step = Effort.distance(step)
      self.make = make
    }
  }

  private static let kinds = [
    Kind("notes", SmallFile.notes), Kind("columns", SmallFile.columns),
    Kind("pages", SmallFile.pages), Kind("compressed", SmallFile.compressed),
    Kind("links", SmallFile.links), Kind("indexed", step: 97, SmallFile.indexed),
    Kind("outside", step: 1999, SmallFile.outside),
  ]

  /// Returns all objects that the library reads from some bytes.
  private static func objects(_ bytes: [UInt8]) throws -> StoreConformance.Objects {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    return try StoreConformance.objects(BinaryStore.open("/s", on: disk).snapshot())
  }

  @Test("Every changed byte is found, or changes no object", arguments: kinds)
  func flips(_ kind: Kind) throws {
    let bytes = try kind.make()
    let objects = try Self.objects(bytes)
    for index in stride(from: 0, to: bytes.count, by: kind.step) {
      var changed = bytes
      changed[index] ^= 1 << (index % 8)
      let report = try BrokenFile.report(changed)
      guard report.verdict == .valid else { continue }
      let found = try? Self.objects(changed)
      #expect(found == objects, "\(kind), byte \(index): \(report.text)")
    }
  }

  @Test("Every cut is found, or leaves the file of an earlier commit", arguments: kinds)
  func truncations(_ kind: Kind) throws {
    let bytes = try kind.make()
    for count in stride(from: 0, to: bytes.count, by: kind.step + 4) {
      let cut = Array(bytes[..<count])
      let report = try BrokenFile.report(cut)
      guard report.verdict == .valid else { continue }
      // A file that is cut at the end of an earlier commit is the file of that commit.
      #expect(throws: Never.self) { try Self.objects(cut) }
    }
  }

  @Test(
    "A file with a changed byte, valid checksums and no error can be read completely",
    arguments: kinds)
  func sealed(_ kind: Kind) throws {
    let bytes = try kind.make()
    let editor = try FileEditor(bytes)
    for index in stride(from: 0, to: bytes.count, by: kind.step) {
      var editor = editor
      editor.poke(index, [bytes[index] ^ 1 << UInt8(index % 8)])
      let changed = editor.sealed()
      let report = try BrokenFile.report(changed)
      guard report.verdict == .valid else { continue }
      #expect(throws: Never.self, "\(kind), byte \(index)") { try Self.objects(changed) }
    }
  }

  @Test(
    "The validator ends on random changes of the fuzzer's kind",
    arguments: [1, 2, 3, 4] as [UInt64])
  func random(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      let count = 1 + 3 * Int.random(in: 1...4, using: &generator)
      HostileInputs.validation((0..<count).map { _ in .random(in: 0...255, using: &generator) })
    }
  }

  @Test("A changed document in XML without an error can be read to its end")
  func documents() throws {
    let bytes = try SmallFile.document()
    var validCount = 0
    for index in stride(from: 0, to: bytes.count, by: Effort.distance(11)) {
      var changed = bytes
      changed[index] ^= 1 << (index % 7)
      let report = try BrokenFile.report(changed)
      guard report.verdict == .valid else { continue }
      validCount += 1
      #expect(throws: Never.self, "byte \(index): \(report.text)") {
        let disk = SimulatedDisk()
        try disk.open("/s", for: .create).append(changed)
        let store = try XMLStoreBackend().open("/s", on: disk, StoreOpening(readOnly: true))
        _ = try StoreConformance.objects(store.snapshot())
      }
    }
    #expect(validCount > Effort.count(20))
  }

  @Test(
    "Changed databases without an error can be read, and none ends the program")
  func databases() throws {
    let bytes = try SmallFile.shelf()
    for index in stride(from: 0, to: bytes.count, by: Effort.distance(97)) {
      var changed = bytes
      changed[index] ^= 1 << (index % 8)
      HostileInputs.sqliteSchema([0] + changed)
    }
    for count in stride(from: 0, to: bytes.count, by: Effort.distance(2048)) {
      HostileInputs.sqliteSchema([0] + bytes[..<count])
    }
  }
}
