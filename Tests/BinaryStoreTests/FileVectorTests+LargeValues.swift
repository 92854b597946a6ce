import BinaryStore
import Checksums
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing

// The vector with an outside value, and the vectors that break it.
extension FileVectorTests {
  static func recordLargeValues() throws {
    let title = "a note whose picture lies outside of its block, changed since"
    let bytes = try fileWithPicture()
    print("```vector block-file: \(title)")
    for line in try lines(bytes) { print("object = \(line)") }
    print("bytes = \(hex(bytes))\n```\n")

    let forgery = FileForgery(bytes)
    func changed(_ name: String, _ change: (inout FileForgery) -> Void) throws {
      var forged = forgery
      change(&forged)
      print("```vector changed-block-file: \(name)\nof = \(title)")
      for (offset, patch) in forged.patches(of: bytes) { print("patch = \(offset) \(hex(patch))") }
      let error = try #require(throws: StoreError.self) { try lines(forged.bytes) }
      print("code = \(error.code.rawValue)\n```\n")
    }
    try changed("a picture with a changed byte (3.4.9)") { $0.bytes[$0.value + 5] ^= 1 }
    try changed("a picture behind its block (4.5.7)") {
      $0.put(UInt64($0.block + 64), at: $0.reference)
      $0.sealBlock()
    }
    try changed("a picture in the header (4.5.7)") {
      $0.put(0, at: $0.reference)
      $0.sealBlock()
    }
    try changed("a picture that can't expand so far (4.5.7)") {
      $0.put(100_000, at: $0.reference + 8)
      $0.bytes[$0.reference + 28] = 1
      $0.sealBlock()
    }
    try changed("a picture of more bytes than the entry says (4.5.7)") {
      $0.put(39, at: $0.entry + 48)
      $0.sealRecord()
    }
    try changed("a segment of fewer bytes than its pictures (4.5.7)") {
      $0.put(400, at: $0.entry + 48)
      $0.sealRecord()
    }
  }

  /// Returns a file whose second commit adds the note, and whose third commit changes its stars.
  private static func fileWithPicture() throws -> [UInt8] {
    var note = Entity("Note")
    note.declaredProperties = [
      .attribute(Attribute("picture", .binary)), .attribute(Attribute("stars", .int16)),
    ]
    let disk = SimulatedDisk()
    var options = BinaryStoreOptions()
    options.leastOutsideByteCount = 32
    let store = try BinaryStore.create(
      at: "/v", model: try Model(entities: [note]),
      uuid: UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!, on: disk, options: options)
    let key = ObjectKey(entity: 1, number: 1)
    for round in 0..<2 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      if round == 0 {
        builder.insert(key)
        builder.set(.binary(Data((0..<40).map { $0 * 3 })), "picture", of: key, base.schema)
      }
      builder.set(
        .integer(Int64(round) + 4), "stars", of: key, base.schema,
        basis: round == 0 ? 0 : base.commit)
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    return try disk.read("/v", byteLimit: 1 << 20)
  }
}

/// The file of the vector, with functions to change it and to repair its checksums.
private struct FileForgery {
  var bytes: [UInt8]
  /// The offsets of the picture, of the reference to it, of its block, and of the block's entry in the last record.
  private(set) var (value, reference, block, entry) = (0, 0, 0, 0)
  private let trailer: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    trailer = bytes.count - 48
    value = bytes.firstRange(of: (0..<40).map { $0 * 3 })!.lowerBound
    reference = bytes.firstRange(of: Self.little(UInt64(value)) + Self.little(40))!.lowerBound
    block = value + 40
    let record = BlockFileMap.record(before: trailer, in: bytes)
    entry =
      record
      + bytes[record...].firstRange(of: Self.little(UInt64(block)))!.lowerBound - record
  }

  private static func little(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func number(at offset: Int, _ byteCount: Int = 8) -> Int {
    (0..<byteCount).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  mutating func put(_ number: UInt64, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + 8, with: Self.little(number))
  }

  private mutating func seal(_ range: Range<Int>, at place: Int) {
    let sum = CRC32C.checksum(of: bytes.span.bytes.extracting(range))
    for i in 0..<4 { bytes[place + i] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(i))) }
  }

  /// Repairs the checksums of the picture's column, which is the first, and of the block's header.
  mutating func sealBlock() {
    let (chunk, count) = (number(at: block + 56, 4), number(at: block + 60, 4))
    seal(block + chunk..<block + chunk + count, at: block + 64)
    bytes.replaceSubrange(block + 12..<block + 16, with: [0, 0, 0, 0])
    seal(block..<block + number(at: block + 4, 4), at: block + 12)
  }

  /// Repairs the checksums of the last record, its commit and its trailer.
  mutating func sealRecord() {
    let record = BlockFileMap.record(before: trailer, in: bytes)
    seal(record..<record + number(at: trailer + 24, 4), at: trailer + 28)
    seal(number(at: record + 32)..<trailer, at: trailer + 32)
    seal(trailer..<trailer + 36, at: trailer + 36)
  }

  /// Returns the runs of bytes that differ from the original.
  func patches(of original: [UInt8]) -> [(offset: Int, bytes: [UInt8])] {
    var patches: [(offset: Int, bytes: [UInt8])] = []
    for index in bytes.indices where bytes[index] != original[index] {
      if let last = patches.last, last.offset + last.bytes.count == index {
        patches[patches.count - 1].bytes.append(bytes[index])
      } else {
        patches.append((index, [bytes[index]]))
      }
    }
    return patches
  }
}
