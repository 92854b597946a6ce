import BinaryStore
import DiskSimulation
import DurableFiles
import HostileInputs
import ObjectModel
import Rows
import SpecVectors
import StoreInterface
import Testing

@Suite("Features of block files")
struct FeatureTests {
  /// Puts a store with three notes and a feature of the given class on a disk.
  private func disk(_ name: String, ofClass number: UInt8) throws -> SimulatedDisk {
    let vectors = try SpecVector.all("block-file", on: "4-block-file.md")
    let vector = try #require(vectors.first { $0.title.hasSuffix("without features") })
    let bytes = try #require(vector.bytes("bytes"))
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(
      BlockFileMap.naming(feature: name, ofClass: number, in: bytes))
    return disk
  }

  private func message(_ name: String) -> String {
    "This file uses \"\(name)\", which this version of Quire (\(QuireVersion.version)) "
      + "does not know."
  }

  @Test("A feature of the class ignore changes nothing, and a save and a vacuum keep it")
  func ignored() throws {
    let disk = try disk("thumbnails", ofClass: 1)
    func area() throws -> [UInt8] { Array(try disk.read("/s", byteLimit: 1 << 20)[80..<112]) }
    let before = try area()
    let store = try BinaryStore.open("/s", on: disk)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.remove(ObjectKey(entity: 1, number: 2), basis: base.commit)

    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    #expect(try area() == before)
    try store.vacuum()

    #expect(try area() == before)
    #expect(try store.describe().features == [FormatFeature("thumbnails", .ignore)])
    let reader = try BinaryStore.open("/s", on: disk, readOnly: true)
    #expect(try ReferenceTests.text(reader.snapshot()).count == 2)
  }

  @Test("A store with a feature of the class read opens for reading only")
  func read() throws {
    let disk = try disk("page-index", ofClass: 2)

    let reader = try BinaryStore.open("/s", on: disk, readOnly: true)
    let error = #expect(throws: StoreError.self) { try BinaryStore.open("/s", on: disk) }

    #expect(try ReferenceTests.text(reader.snapshot()).count == 3)
    #expect(try reader.describe().features == [FormatFeature("page-index", .read)])
    #expect(error?.code == .newerFormat)
    #expect(error?.message == message("page-index") + " Open it for reading only.")
  }

  @Test("A store with a feature of the class refuse, or of another class, does not open")
  func refused() throws {
    for number: UInt8 in [3, 255] {
      let disk = try disk("encryption", ofClass: number)
      for isReadOnly in [false, true] {
        let error = #expect(throws: StoreError.self) {
          try BinaryStore.open("/s", on: disk, readOnly: isReadOnly)
        }
        #expect(error?.code == .newerFormat)
        #expect(error?.message == message("encryption"))
      }
    }
  }

  @Test("The error names all features for which a file is refused, and only valid names exist")
  func names() {
    let features = [
      FormatFeature("a", .ignore)!, FormatFeature("b", .read)!, FormatFeature("c-2", .refuse)!,
      FormatFeature("d", .refuse)!,
    ]

    let objection = features.objection(isReading: true)

    #expect(objection?.hasPrefix(#"This file uses "c-2" and "d","#) == true)
    for name in ["", "A", "é", "a b", String(repeating: "a", count: 33)] {
      #expect(FormatFeature(name, .ignore) == nil)
    }
  }
}
