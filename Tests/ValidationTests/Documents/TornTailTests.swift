import BinaryStore
import DiskSimulation
import Documents
import Foundation
import HostileInputs
import StoreInterface
import Testing
import Validation
import XMLStore

/// Two saves that one sync was to make durable, of which a power cut has kept any part. The bare store, the reader of the
/// document and the validator must agree on the version that is left (spec §4.3.8, §7.4.11).
@Suite("Torn saves of documents")
struct TornTailTests {
  private static let places = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
  ])
  private static let name = "stores/main.store"

  /// A document with the versions 3 and 4 in the log.
  private struct Torn {
    let document: DocumentFiles
    let store: [UInt8]
    /// The ends of commits 2, 3 and 4.
    let ends: [Int]

    init() throws {
      var document = try DocumentFiles.logged()
      let disk = try DocumentTests.disk(document)
      let path = "/d/\(TornTailTests.name)"
      var ends = [try disk.status(of: path).byteCount]
      let third = document.files[TornTailTests.name]!
      let record = BlockFileMap.record(before: third.count - 48, in: third)
      ends.insert(Int(third.number(UInt64.self, at: record + 24)) + 48, at: 0)
      let saving = try BinaryStore.open(path, on: disk)
      try saving.save({ try $0.change("Note", 1, "stars", .integer(7)) }, asVersionAfter: 3)
      try saving.close()
      store = try disk.read(path, byteLimit: 1 << 20)
      ends.append(store.count)
      document.files[TornTailTests.name] = store
      (self.document, self.ends) = (document, ends)
    }

    /// Returns the file after some of its bytes behind commit 2 were lost, with the commit that stands.
    func losing(_ range: Range<Int>) -> (bytes: [UInt8], commit: Int64) {
      var bytes = BlockFileMap.naming(trailerAt: ends[0] - 48, in: store)
      let first = range.first { bytes[$0] != 0 }
      for place in range { bytes[place] = 0 }
      return (bytes, first.map { $0 < ends[1] ? 2 : 3 } ?? 4)
    }

    /// The parts of the file that are lost, one after another: half a structure, a trailer, a sector.
    var losses: [Range<Int>] {
      [24, 48, 512].flatMap { count in
        stride(from: ends[0], to: store.count, by: count / 2).map {
          $0..<min(store.count, $0 + count)
        }
      }
    }

    /// Returns the document with another file of the store. The manifest names the given commit.
    func with(_ bytes: [UInt8], naming commit: Int64, hasLog: Bool) -> DocumentFiles {
      var document = document
      document.files[TornTailTests.name] = bytes
      if commit == 3 {
        document.replace("\"commit\": 2", "\"commit\": 3")
        document.replace(
          "T02:00:00.000Z\", \"model\": \"1\" }",
          "T02:00:00.000Z\", \"model\": \"1\" },\n"
            + "{ \"number\": 3, \"saved\": \"2026-11-22T03:00:00.000Z\", \"model\": \"1\" }")
      }
      if !hasLog { document.replace("\"log\": \"main\",", "") }
      return document
    }
  }

  /// Returns the newest version that a reader shows, or `nil` if it refuses the document.
  private static func version(_ disk: SimulatedDisk) -> Int64? {
    guard
      let document = try? Document.open(
        "/d", in: StorePlaces(places, on: disk), access: .readOnly)
    else { return nil }
    defer { try? document.close() }
    return document.versions.last?.number
  }

  @Test("A part of the last saves that a power cut has lost leaves the version before them")
  func losses() throws {
    let torn = try Torn()
    var seen: Set<Int64> = []
    for range in torn.losses {
      let (bytes, commit) = torn.losing(range)
      seen.insert(commit)
      let disk = try DocumentTests.disk(torn.with(bytes, naming: 2, hasLog: true))
      #expect(
        try BinaryStore.open("/d/\(Self.name)", on: disk).snapshot().commit == commit, "\(range)")
      let bare = try Validator().validate("/d/\(Self.name)", on: disk)
      #expect(bare.verdict == .valid, "\(range): \(bare.text)")

      for (named, hasLog) in [(2, true), (2, false), (3, true), (3, false)] as [(Int64, Bool)] {
        let document = torn.with(bytes, naming: named, hasLog: hasLog)
        let disk = try DocumentTests.disk(document)
        let report = try Validator().validate("/d", on: disk)
        let expected = named > commit ? nil : hasLog ? commit : named
        let place: Comment = "\(range), named \(named), log \(hasLog): \(report.text)"
        #expect(Self.version(disk) == expected, place)
        #expect((report.verdict == .valid) == (expected != nil), place)
        if let expected { #expect(report.checked.versionCount == Int(expected), place) }
      }
    }
    #expect(seen.isSuperset(of: [2, 3]))
  }

  @Test("A lost part of a save that a slot names is damage, for all readers")
  func acknowledged() throws {
    let torn = try Torn()
    for range in torn.losses {
      let (lost, commit) = torn.losing(range)
      guard commit < 4 else { continue }
      var bytes = lost
      bytes.replaceSubrange(BlockFileMap.slots, with: torn.store[BlockFileMap.slots])
      let disk = try DocumentTests.disk(torn.with(bytes, naming: 2, hasLog: true))
      for path in ["/d", "/d/\(Self.name)"] {
        let report = try Validator().validate(path, on: disk)
        #expect(report.verdict == .invalid, "\(range): \(report.text)")
      }
      #expect(Self.version(disk) == nil, "\(range)")
      // Damage in commit 3 alone leaves commit 4, from which the walk does not look back (spec §4.3.8).
      if commit == 3 {
        #expect(throws: StoreError.self, "\(range)") {
          try BinaryStore.open("/d/\(Self.name)", on: disk)
        }
      }
    }
  }
}
