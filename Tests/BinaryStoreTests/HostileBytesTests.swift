import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import Rows
import StoreInterface
import TestEffort
import Testing

/// Removes and changes bytes of each kind of file.
@Suite("Hostile bytes", .serialized)
struct HostileBytesTests {
  private static let samples: [SampleStore: (bytes: [UInt8], contents: StoreContents)] =
    Dictionary(
      uniqueKeysWithValues: SampleStore.allCases.map { sample in
        let bytes = try! sample.bytes()
        return (sample, (bytes, try! read(bytes)))
      })

  private static func read(_ bytes: [UInt8]) throws -> StoreContents {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    return try StoreContents(BinaryStore.open("/s", on: disk))
  }

  /// Returns places spread over a file.
  private static func places(_ count: Int, _ sample: SampleStore, of most: Int) -> [Int] {
    // These samples take long to read.
    let isLarge = sample == .indexed || sample == .large
    let wanted = min(count, max(4, Effort.count(isLarge ? most / 8 : most)))
    let step = max(1, count / max(wanted, 1))
    return Array(stride(from: step / 2, to: count, by: step))
  }

  @Test(
    "A changed byte is an error or harmless, and never shows an older state",
    arguments: SampleStore.allCases)
  func flips(_ sample: SampleStore) throws {
    let (bytes, contents) = Self.samples[sample]!
    var errorCount = 0
    for place in Self.places(bytes.count, sample, of: 48) {
      var changed = bytes
      changed[place] ^= 0x21
      do {
        let found = try Self.read(changed)
        #expect(found == contents, "\(sample), byte \(place)")
      } catch {
        errorCount += 1
        #expect(error is StoreError || error is BlockError, "\(sample), byte \(place): \(error)")
      }
    }
    #expect(errorCount > 0, "\(sample)")
  }

  @Test("A file that is cut at any place is refused", arguments: SampleStore.allCases)
  func truncations(_ sample: SampleStore) throws {
    let bytes = Self.samples[sample]!.bytes
    for count in Self.places(bytes.count, sample, of: 48) {
      let error = #expect(throws: StoreError.self, "\(sample), \(count) bytes") {
        try Self.read(Array(bytes[..<count]))
      }
      let isRefused = error.map { [.damaged, .notAStore].contains($0.code) } ?? false
      #expect(isRefused, "\(sample), \(count) bytes: \(String(describing: error))")
    }
  }

  @Test(
    "With repaired checksums, a wrong structure is an error, or the store can be read and saved to",
    arguments: SampleStore.allCases)
  func mendedChanges(_ sample: SampleStore) throws {
    let bytes = Self.samples[sample]!.bytes
    let parts = BlockFileMap(bytes).parts.filter {
      [.directory, .section, .record, .trailer, .header].contains($0.kind)
    }
    var refusedCount = 0
    var openedCount = 0
    for kind in [BlockFileMap.Kind.directory, .section, .record, .trailer, .header] {
      let places = parts.filter { $0.kind == kind }.flatMap { Array($0.range) }
      for place in Self.places(places.count, sample, of: 32).map({ places[$0] }) {
        for value in [bytes[place] ^ 1, bytes[place] ^ 0x80, 0, 0xFF] where value != bytes[place] {
          var changed = bytes
          changed[place] = value
          changed = BlockFileMap.mended(changed)
          let activities =
            Effort.isSearch
            ? HostileInputs.Activity.allCases
            : [HostileInputs.Activity(number: UInt8(truncatingIfNeeded: place &+ Int(value)))]
          guard let error = HostileInputs.use(file: changed, activities) else {
            openedCount += 1
            continue
          }
          refusedCount += 1
          #expect(error is StoreError, "\(sample), byte \(place) = \(value): \(error)")
          if kind == .record || kind == .section {
            #expect(
              !"\(error)".contains("match"), "\(sample), byte \(place): its checksum is not mended")
          }
        }
      }
    }
    #expect(refusedCount > 3 && openedCount > 3, "\(sample)")
  }
}
