import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import SpecVectors
import StoreConformance
import StoreInterface
import Testing

/// The vectors of chapter 4, read from its page. `RECORD_VECTORS=1` prints them anew.
@Suite("The block files of the specification")
struct FileVectorTests {
  private static let page = "4-block-file.md"

  @Test(
    "The store reads each file as the specification says",
    arguments: try SpecVector.all("block-file", on: page))
  func reading(_ vector: SpecVector) throws {
    let bytes = try #require(vector.bytes("bytes"))
    #expect(try Self.lines(bytes) == vector[all: "object"])
  }

  @Test(
    "The store refuses or ignores each change as the specification says",
    arguments: try SpecVector.all("changed-block-file", on: page))
  func changed(_ vector: SpecVector) throws {
    let bytes = try Self.changed(vector)
    if let code = vector["code"] {
      let error = #expect(throws: StoreError.self) { try Self.lines(bytes) }
      #expect(error?.code.rawValue == code, "\(error.map { "\($0)" } ?? "")")
    } else {
      #expect(try Self.lines(bytes) == vector[all: "object"])
    }
  }

  @Test("The reference reader gives the same results")
  func reference() throws {
    for vector in try SpecVector.all("block-file", on: Self.page) {
      let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try Data(try #require(vector.bytes("bytes"))).write(to: URL(filePath: path))
      #expect(try ReferenceTests.reference(path) == vector[all: "object"])
    }
  }

  @Test("The page has vectors of whole files and of changed files")
  func count() throws {
    if ProcessInfo.processInfo.environment["RECORD_VECTORS"] != nil {
      try Self.record()
      try Self.recordLargeValues()
    }
    #expect(try SpecVector.all("block-file", on: Self.page).count == 4)
    #expect(try SpecVector.all("changed-block-file", on: Self.page).count >= 31)
  }

  /// Returns the bytes of the file that the vector changes, with the changes applied.
  private static func changed(_ vector: SpecVector) throws -> [UInt8] {
    let whole = try SpecVector.all("block-file", on: page)
    var bytes = try #require(whole.first { $0.title == vector["of"] }?.bytes("bytes"))
    for patch in vector[all: "patch"] {
      let parts = patch.split(separator: " ")
      let start = try #require(Int(parts[0]))
      for (index, byte) in parts.dropFirst().enumerated() {
        bytes[start + index] = try #require(UInt8(byte, radix: 16))
      }
    }
    if let cut = vector["cut"].flatMap({ Int($0) }) { bytes.removeLast(cut) }
    return bytes
  }

  static func lines(_ bytes: [UInt8]) throws -> [String] {
    let disk = SimulatedDisk()
    try disk.open("/v", for: .create).append(bytes)
    return try ReferenceTests.text(BinaryStore.open("/v", on: disk, readOnly: true).snapshot())
  }

  // MARK: - Recording

  private static func record() throws {
    var note = Entity("Note")
    note.declaredProperties = [
      .attribute(Attribute("stars", .int16)), .attribute(Attribute("text", .string)),
    ]
    let model = try Model(entities: [note])
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(
      at: "/v", model: model, uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!,
      on: disk)
    for round in 0..<2 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      func key(_ number: UInt64) -> ObjectKey { ObjectKey(entity: 1, number: number) }
      if round == 0 {
        for (number, text) in [(1, "Lisboa"), (2, "Porto"), (5, "Évora")] as [(UInt64, String)] {
          builder.insert(key(number))
          builder.set(.string(text), "text", of: key(number), base.schema)
          builder.set(.integer(Int64(number)), "stars", of: key(number), base.schema)
        }
      } else {
        builder.set(.integer(-3), "stars", of: key(1), base.schema, basis: base.commit)
        builder.remove(key(2), basis: base.commit)
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    try store.close()
    let bytes = try disk.read("/v", byteLimit: 1 << 20)
    let title = "three notes, of which one is changed and one removed"
    print("```vector block-file: \(title)")
    for line in try lines(bytes) { print("object = \(line)") }
    print("bytes = \(hex(bytes))\n```\n")

    func changed(_ title: String, _ patches: [(Int, [UInt8])], cut: Int = 0) throws {
      var changed = bytes
      print("```vector changed-block-file: \(title)")
      print("of = three notes, of which one is changed and one removed")
      for (offset, patch) in patches {
        changed.replaceSubrange(offset..<offset + patch.count, with: patch)
        print("patch = \(offset) \(hex(patch))")
      }
      if cut > 0 {
        changed.removeLast(cut)
        print("cut = \(cut)")
      }
      do { for line in try lines(changed) { print("object = \(line)") } } catch {
        print("code = \((error as! StoreError).code.rawValue)")
      }
      print("```\n")
    }
    func sealed(_ change: (inout [UInt8]) -> Void) -> [(Int, [UInt8])] {
      var header = Array(bytes[..<76])
      change(&header)
      let sum = Array(header[..<40] + [UInt8](repeating: 0, count: 36)).crc
      return [(0, header), (76, (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) })]
    }
    try changed("another magic (4.2.2)", [(0, [0x58])])
    try changed("a newer major version (4.2.2)", [(8, [2, 0])])
    try changed("a flag that is not known (4.2.2)", sealed { $0[12] = 2 })
    try changed("a header that does not match its checksum (4.2.1)", [(20, [0])])
    try changed("an acknowledged commit without its last byte (4.3.3)", [], cut: 1)
    let damage = (bytes.count - 60, [0xAA] as [UInt8])
    try changed("an acknowledged commit with a changed byte (4.3.3)", [damage])
    try changed("another salt in an acknowledged trailer (4.3.3)", [(bytes.count - 40, [0])])
    try changed("no whole commit (4.3.3)", [], cut: bytes.count - 80)

    func slots(namingTrailerAt offset: Int?) -> (Int, [UInt8]) {
      (40, Array(BlockFileMap.naming(trailerAt: offset, in: bytes)[BlockFileMap.slots]))
    }
    let last = bytes.count - 48
    let record = BlockFileMap.record(before: last, in: bytes)
    let before = slots(namingTrailerAt: Int(bytes.number(UInt64.self, at: record + 24)))
    try changed("a slot behind the last commit, which is whole (4.2.4)", [before])
    try changed("a save that a crash cut off (4.3.3)", [before], cut: 1)
    try changed("a save of which a crash kept the trailer alone (4.3.3)", [before, damage])
    try changed("a damaged slot (4.2.4)", [(45, [0xAA])])
    try changed("a damaged slot and a damaged last commit (4.3.3)", [(45, [0xAA]), damage])
    try changed("two empty slots (4.2.4)", [slots(namingTrailerAt: nil)])
  }

  static func hex(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 32).map { start in
      bytes[start..<min(start + 32, bytes.count)].map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }.joined(separator: " ")
    }.joined(separator: "\n        ")
  }
}
