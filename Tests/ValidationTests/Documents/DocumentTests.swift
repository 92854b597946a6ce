import BinaryStore
import DiskSimulation
import Documents
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

@Suite("Validation of documents")
struct DocumentTests {
  private static let backends = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
  ])

  /// Reads everything from a document.
  private static func read(_ disk: any Disk) throws {
    let document = try Document.open(
      "/d", in: StorePlaces(backends, on: disk), access: .readOnly)
    defer { try? document.close() }
    _ = try document.modelVersions
    for store in document.stores { _ = try StoreConformance.objects(store.snapshot()) }
    for one in document.attachments {
      try document.openAttachment(named: one.name).forEachPiece { _ in }
    }
  }

  static func disk(_ document: DocumentFiles) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try document.put(at: "/d", on: disk)
    return disk
  }

  @Test("A sound document has no finding, and is checked completely")
  func sound() throws {
    let notes = try Validator().validate("/d", on: try Self.disk(.notes()))
    let library = try Validator().validate("/d", on: try Self.disk(.library()))

    #expect(notes.findings.isEmpty && notes.passedOver.isEmpty, "\(notes.text)")
    #expect(
      notes.summary.hasPrefix("valid; 3 versions, 1 store, 1 attachment, 3 commits, "),
      "\(notes.summary)")
    #expect(notes.checked.objectCount == 2 && notes.format == .document)
    #expect(library.findings.isEmpty && library.passedOver.isEmpty, "\(library.text)")
    #expect(library.checked.objectCount == 4)
    let packed = try BrokenFile.report(SmallFile.packed())
    #expect(packed.findings.isEmpty && packed.passedOver.isEmpty, "\(packed.text)")
    #expect(packed.summary == notes.summary)
  }

  @Test("A version in the log belongs to the document, and its damage is an error")
  func log() throws {
    let document = try DocumentFiles.logged()
    let disk = try Self.disk(document)
    let sound = try Validator().validate("/d", on: disk)
    #expect(sound.findings.isEmpty && sound.passedOver.isEmpty, "\(sound.text)")
    #expect(sound.checked.versionCount == 3 && sound.checked.objectCount == 2)
    try Self.read(disk)

    let name = "stores/main.store"
    let last = document.files[name]!.count
    for (place, rules) in [(last - 100, ["BLCK-025"]), (last - 40, ["BLCK-025"])] {
      var damaged = document
      damaged.files[name]![place] ^= 1
      let disk = try Self.disk(damaged)
      let report = try Validator().validate("/d", on: disk)
      #expect(report.counts.keys.map(\.id) == rules, "\(report.text)")
      #expect(throws: (any Error).self) { try Self.read(disk) }
    }
    // If no slot names it, a cut-off commit is the rest of a save that was never acknowledged.
    var cut = document
    let store = document.files[name]!
    let record = BlockFileMap.record(before: last - 48, in: store)
    let before = Int(store.number(UInt64.self, at: record + 24))
    cut.files[name] = Array(BlockFileMap.naming(trailerAt: before, in: store).dropLast(60))
    let cutDisk = try Self.disk(cut)
    let rest = try Validator().validate("/d", on: cutDisk)
    #expect(
      rest.counts.keys.map(\.id) == ["CONT-015"] && rest.checked.versionCount == 2, "\(rest.text)")
    try Self.read(cutDisk)
  }

  @Test("A damaged commit is an error, unless the manifest names an earlier commit")
  func tornCommits() throws {
    var document = try DocumentFiles.notes()
    document.files["stores/main.store"]![document.files["stores/main.store"]!.count - 100] ^= 1
    let damaged = try Validator().validate("/d", on: try Self.disk(document))
    #expect(damaged.counts.keys.map(\.id) == ["BLCK-025"], "\(damaged.text)")

    document.replace("\"commit\": 3", "\"commit\": 2")
    let disk = try Self.disk(document)
    let torn = try Validator().validate("/d", on: disk)
    #expect(torn.verdict == .valid && torn.counts.keys.map(\.id) == ["CONT-015"], "\(torn.text)")
    try Self.read(disk)

    document.files["stores/main.store"]!.removeLast(50)
    let cut = try Validator().validate("/d", on: try Self.disk(document))
    #expect(cut.verdict == .valid && cut.counts.keys.map(\.id) == ["CONT-015"], "\(cut.text)")
    document.replace("\"commit\": 2", "\"commit\": 3")
    let lost = try Validator().validate("/d", on: try Self.disk(document))
    #expect(lost.counts.keys.map(\.id) == ["BLCK-025"], "\(lost.text)")
  }

  @Test(
    "Symbolic links are errors, whatever their targets are",
    arguments: ["stores", "models/1.xml", "manifest.json"])
  func links(_ name: String) throws {
    let disk = try Self.disk(.notes())
    try disk.rename("/d/\(name)", to: "/elsewhere")
    try disk.makeSymbolicLink("/d/\(name)", to: "/elsewhere")

    let report = try Validator().validate("/d", on: disk)

    #expect(report.counts.keys.map(\.id) == ["CONT-002"], "\(report.text)")
    #expect(report.counts.values.first == 1)
    #expect(throws: (any Error).self) { try Self.read(disk) }
  }

  @Test("A store without known rules is not valid, and a newer format has its own verdict")
  func otherStores() throws {
    var document = try DocumentFiles.notes()
    document.replace("\"type\": \"Binary\"", "\"type\": \"Graph\"")
    let other = try Validator().validate("/d", on: try Self.disk(document))
    #expect(other.findings.isEmpty && other.unchecked.count == 1, "\(other.text)")
    #expect(other.verdict == .incomplete && other.hasUnknownStores)

    document = try DocumentFiles.notes()
    document.files["stores/main.store"]![8] = 9
    let newer = try Validator().validate("/d", on: try Self.disk(document))
    #expect(newer.verdict == .newerFormat, "\(newer.text)")
    document.files["models/1.xml"] = nil
    #expect(try Validator().validate("/d", on: try Self.disk(document)).verdict == .invalid)
  }

  @Test("A given model is compared with the document's model")
  func givenModel() throws {
    let report = try Validator(model: SmallFile.library()).validate(
      "/d", on: try Self.disk(.notes()))

    #expect(report.counts.keys.map(\.id) == ["MODL-010"], "\(report.text)")
  }

  @Test("A changed document without an error can be read to its end", arguments: [0, 1])
  func changes(_ which: Int) throws {
    let document = try which == 0 ? DocumentFiles.notes() : .library()
    var validCount = 0
    for (name, bytes) in document.files.sorted(by: { $0.key < $1.key }) {
      for index in stride(from: 0, to: bytes.count, by: Effort.distance(41)) {
        var changed = document
        changed.files[name]![index] ^= 1 << (index % 8)
        // With a wrong checksum, no change of the manifest would be valid.
        changed.files[name] = HostileInputs.withRightChecksum(changed.files[name]!)
        let disk = try Self.disk(changed)
        let report = try Validator().validate("/d", on: disk)
        guard report.verdict == .valid else { continue }
        validCount += 1
        #expect(throws: Never.self, "\(name), byte \(index): \(report.text)") {
          try Self.read(disk)
        }
      }
    }
    #expect(Double(validCount) >= 3 * Effort.factor.rounded(.down))
  }

  @Test("Every missing file is reported", arguments: [0, 1])
  func missing(_ which: Int) throws {
    let document = try which == 0 ? DocumentFiles.notes() : .library()
    for name in document.files.keys.sorted() {
      var changed = document
      changed.files[name] = nil
      let report = try Validator().validate("/d", on: try Self.disk(changed))
      #expect(report.verdict == (name == "manifest.json" ? .unknownFormat : .invalid))
      #expect(report.counts.count == 1, "\(name): \(report.text)")
    }
  }
}
