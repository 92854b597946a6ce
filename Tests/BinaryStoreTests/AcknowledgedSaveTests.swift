import BinaryStore
import BlockFileFormat
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import Rows
import StoreInterface
import TestEffort
import Testing

/// Damage in an acknowledged save is an error, and a save that a crash cut off is not an error (spec §4.3.3). With
/// `QUIRE_ALL_BYTES=1` the tests change every byte of the large store too.
@Suite("Acknowledged saves")
struct AcknowledgedSaveTests {
  /// A file of three saves, each of which changes the only object.
  private struct SavedFile {
    let bytes: [UInt8]
    let contents: SnapshotContents

    /// - Parameters:
    ///   - textByteCount: The length of the object's text. A long text makes the saves settled commits.
    ///   - saveCount: The number of saves.
    ///   - isClosed: Whether the store was closed. Otherwise the last saves lie in a tail.
    init(
      isCompressed: Bool = false, textByteCount: Int = 40, saveCount: Int = 3,
      isClosed: Bool = true
    ) throws {
      let disk = SimulatedDisk()
      let store = try BinaryStore.create(
        at: "/s", model: AcknowledgedSaveTests.model, isCompressed: isCompressed, on: disk)
      for round in 1...saveCount {
        try save(store, String(repeating: "\(round)", count: textByteCount))
      }
      contents = try SnapshotContents(store.snapshot())
      if isClosed { try store.close() }
      bytes = try disk.read("/s", byteLimit: 1 << 24)
    }

    /// The number of bytes without a tail.
    var usedByteCount: Int { AcknowledgedSaveTests.usedByteCount(of: bytes) }

    var slots: AcknowledgementSlots {
      AcknowledgementSlots(inHeader: Array(bytes[..<80]), salt: bytes.number(UInt64.self, at: 32))
    }
  }

  /// Returns the offset of the last trailer.
  private static func trailer(in bytes: [UInt8]) -> Int {
    stride(from: (bytes.count - 48) & ~7, to: 0, by: -8).first {
      bytes.number(UInt64.self, at: $0 + 16) == UInt64($0)
    } ?? 0
  }

  private static func usedByteCount(of bytes: [UInt8]) -> Int {
    bytes.count - bytes.reversed().prefix { $0 == 0 }.count
  }

  private static let model = try! Model(entities: [
    Entity("Note", properties: [.attribute(Attribute("text", .string))])
  ])

  private static func save(_ store: BinaryStore, _ text: String) throws {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let key = ObjectKey(entity: base.schema["Note"]!.entityNumber, number: 1)
    let version = try base.view.row(of: key)?.version
    if version == nil { builder.insert(key) }
    builder.set(.string(text), "text", of: key, base.schema, basis: version ?? 0)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }

  private static func disk(_ bytes: [UInt8]) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    return disk
  }

  private static func contents(_ bytes: [UInt8]) throws -> SnapshotContents {
    try SnapshotContents(BinaryStore.open("/s", on: disk(bytes)).snapshot())
  }

  /// Returns the bits whose change is not noticed: no error is thrown, and the file shows a state other than the saved
  /// one.
  private static func silentBits(
    of bytes: [UInt8], contents: SnapshotContents, in places: some Sequence<Int>
  ) -> [String] {
    var silent: [String] = []
    for place in places {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        do {
          if try Self.contents(changed) != contents { silent.append("byte \(place), bit \(bit)") }
        } catch {
          guard error is StoreError || error is BlockError else {
            silent.append("byte \(place), bit \(bit): \(error)")
            continue
          }
        }
      }
    }
    return silent
  }

  @Test("No changed bit of a small file shows an older state", arguments: [false, true])
  func everyBit(isCompressed: Bool) throws {
    let file = try SavedFile(isCompressed: isCompressed)

    let silent = Self.silentBits(
      of: file.bytes, contents: file.contents, in: file.bytes.indices)

    #expect(silent.isEmpty, "\(silent.prefix(5))")
  }

  @Test(
    "No changed bit of a file that was not closed shows an older state", arguments: [false, true])
  func everyBitOfOpenFile(isCompressed: Bool) throws {
    let file = try SavedFile(isCompressed: isCompressed, saveCount: 6, isClosed: false)
    let used = file.usedByteCount
    try #require(file.bytes.count > used + 65_536)

    let places = Array(0..<used + 64) + stride(from: used + 64, to: file.bytes.count, by: 4099)
    let silent = Self.silentBits(of: file.bytes, contents: file.contents, in: places)

    #expect(silent.isEmpty, "\(silent.prefix(5))")
  }

  @Test("A file that was not closed is damaged without a part of its tail")
  func cutTails() throws {
    let file = try SavedFile(saveCount: 6, isClosed: false)
    let used = file.usedByteCount
    for count in Array(stride(from: 80, to: used, by: 7)) + [used, used + 8, file.bytes.count - 1] {
      let error = #expect(throws: StoreError.self, "\(count) bytes") {
        try Self.contents(Array(file.bytes[..<count]))
      }
      #expect(error?.code == .damaged, "\(count) bytes: \(String(describing: error))")
    }
  }

  @Test("A copy that was made during saves is complete, damaged, or an earlier state")
  func copiedMeanwhile() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: Self.model, on: disk)
    for round in 0..<4 { try Self.save(store, "round \(round)") }
    var states = [try disk.read("/s", byteLimit: 1 << 20)]
    var contents = [try SnapshotContents(store.snapshot())]
    for round in 4..<12 {
      try Self.save(store, "round \(round)")
      states.append(try disk.read("/s", byteLimit: 1 << 20))
      contents.append(try SnapshotContents(store.snapshot()))
    }
    let used = Self.usedByteCount(of: try #require(states.last))
    var outcomes = (complete: 0, damaged: 0)
    for border in stride(from: 80, to: used, by: 8) {
      for (earlier, later) in [(0, 8), (3, 4), (2, 8), (7, 8)] {
        // The copy has read the first bytes before some saves, and the rest after them.
        let copy = Array(states[earlier][..<border] + states[later][border...])
        do {
          let found = try Self.contents(copy)
          #expect(contents[earlier...later].contains(found), "\(border), \(earlier), \(later)")
          outcomes.complete += 1
        } catch let error as StoreError where error.code == .damaged { outcomes.damaged += 1 }
      }
    }
    #expect(outcomes.complete > 100 && outcomes.damaged > 100, "\(outcomes)")
  }

  @Test("Saves into a tail change neither the length of the file nor its header")
  func pages() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: Self.model, on: disk)
    for round in 0..<4 { try Self.save(store, "round \(round)") }
    let before = try disk.read("/s", byteLimit: 1 << 20)
    let first = disk.operations.count
    for round in 0..<20 { try Self.save(store, "round \(round)") }
    let after = try disk.read("/s", byteLimit: 1 << 20)
    #expect(after.count == before.count && after[..<80] == before[..<80])
    #expect(disk.operations[first...].filter { $0.operation == .sync }.count == 20)

    // Another program sees each save, although the file has the same length.
    let other = try BinaryStore.open("/s", on: disk)
    for round in 0..<20 {
      try Self.save(round % 3 == 0 ? other : store, "both \(round)")
      let states = try [store, other].map { try SnapshotContents($0.snapshot()) }
      #expect(states[0] == states[1], "\(round)")
    }
    try other.close()
    try store.close()
    let closed = try disk.read("/s", byteLimit: 1 << 20)
    #expect(closed.count < after.count)
    #expect(try BinaryStore.open("/s", on: disk).describe().strayByteCount == 0)
  }

  @Test("No changed byte of a large file shows an older state")
  func largeFile() throws {
    let file = try SavedFile(textByteCount: 300_000)
    let count = file.bytes.count

    let ends = Array(0..<80) + Array(count - 96..<count)
    let places = ends + stride(from: 80, to: count - 96, by: Effort.distance(count / 64))
    let silent = Self.silentBits(of: file.bytes, contents: file.contents, in: places)

    #expect(silent.isEmpty, "\(silent.prefix(5))")
  }

  @Test("A file that is cut before its last acknowledged save is damaged")
  func cutFiles() throws {
    let file = try SavedFile()
    for count in stride(from: 80, to: file.bytes.count, by: 7) {
      let error = #expect(throws: StoreError.self, "\(count) bytes") {
        try Self.contents(Array(file.bytes[..<count]))
      }
      #expect(error?.code == .damaged, "\(count) bytes: \(String(describing: error))")
    }
  }

  @Test("A save that a crash cut off is ignored", arguments: [1, 20, 48, 100])
  func tornSaves(lostByteCount: Int) throws {
    let file = try SavedFile()
    let last = file.bytes.count - 48
    let record = BlockFileMap.record(before: last, in: file.bytes)
    let before = Int(file.bytes.number(UInt64.self, at: record + 24))
    // The slot of the last save has not reached the disk.
    let bytes = BlockFileMap.naming(trailerAt: before, in: file.bytes)

    // The trailer has reached the disk, and some bytes before it have not.
    var holed = bytes
    for index in (record - lostByteCount)..<record { holed[index] = 0 }
    for torn in [Array(bytes.dropLast(lostByteCount)), holed] {
      let store = try BinaryStore.open("/s", on: Self.disk(torn))
      #expect(try store.snapshot().commit == 3)
      #expect(try store.describe().strayByteCount > 0)
      try Self.save(store, "after the crash")
    }
  }

  @Test("A damaged slot hides no save, and the next save repairs the slot")
  func damagedSlot() throws {
    let file = try SavedFile()
    var bytes = file.bytes
    bytes[45] ^= 1
    bytes[61] ^= 1
    let disk = try Self.disk(bytes)
    let store = try BinaryStore.open("/s", on: disk)
    #expect(try SnapshotContents(store.snapshot()) == file.contents)

    try Self.save(store, "one")
    try Self.save(store, "two")

    let header = try disk.open("/s", for: .read).read(byteCount: 80, at: 0)
    let slots = AcknowledgementSlots(
      inHeader: header, salt: header.number(UInt64.self, at: 32))
    #expect(slots.areSound)

    // The remaining slot still reveals damage in the last save.
    bytes[file.bytes.count - 20] ^= 1
    #expect(throws: StoreError.self) { try Self.contents(bytes) }
  }

  @Test("A damaged file opens on request, for reading only")
  func acceptedDamage() throws {
    let file = try SavedFile()
    var bytes = file.bytes
    bytes[bytes.count - 60] ^= 4
    let disk = try Self.disk(bytes)

    let error = #expect(throws: StoreError.self) { try BinaryStore.open("/s", on: disk) }
    let metadata = #expect(throws: StoreError.self) { try BinaryStore.metadata(at: "/s", on: disk) }
    let store = try BinaryStore.open("/s", on: disk, acceptsDamage: true)

    #expect(error?.code == .damaged && metadata?.code == .damaged)
    #expect(error?.message.contains("The newest commit that can be read is 3.") == true)
    #expect(try store.snapshot().commit == 3)
    #expect(try store.describe().damage == error?.message)
    let refused = #expect(throws: StoreError.self) { try Self.save(store, "lost") }
    #expect(refused?.code == .readOnly)
    let lease = #expect(throws: StoreError.self) { try store.leaseKeys(ofEntity: 1, count: 1) }
    #expect(lease?.code == .readOnly)
    #expect(try disk.read("/s", byteLimit: 1 << 20) == bytes)
  }

  @Test("Every operation that writes a file acknowledges its last commit")
  func writers() throws {
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: Self.model, on: disk)
    func check(_ words: String) throws {
      let bytes = try disk.read("/s", byteLimit: 1 << 20)
      let slots = AcknowledgementSlots(
        inHeader: Array(bytes[..<80]), salt: bytes.number(UInt64.self, at: 32))
      let last = Self.trailer(in: bytes)
      #expect(
        slots.newest?.trailer == UInt64(last)
          || Acknowledgement.ends(
            bytes[last...], at: UInt64(last), salt: bytes.number(UInt64.self, at: 32)),
        "\(words)")
      #expect(slots.areSound, "\(words)")
    }
    try check("create")
    for round in 1...4 {
      try Self.save(store, "\(round)")
      try check("save \(round)")
    }
    _ = try store.leaseKeys(ofEntity: 1, count: 1)
    try check("lease")
    try store.keepCommits { $0 > 2 }
    try check("forget")
    try store.vacuum()
    try check("vacuum")
    try Self.save(store, "after")
    try check("save after")
  }

  @Test(
    "A file with two empty slots is damaged, also in a document", arguments: [nil, 4] as [Int64?])
  func emptySlots(commit: Int64?) throws {
    let disk = try Self.disk(BlockFileMap.naming(trailerAt: nil, in: SavedFile().bytes))

    let error = #expect(throws: StoreError.self) {
      try BinaryStore.open("/s", on: disk, commit: commit)
    }

    #expect(error?.code == .damaged)
    #expect(error?.message.contains("Both slots of the header are empty") == true)
  }

  @Test("A commit that the document did not confirm is not acknowledged")
  func unconfirmedCommits() throws {
    struct Refused: Error {}
    let disk = try Self.disk(try SavedFile().bytes)
    let store = try BinaryStore.open("/s", on: disk, commit: 4)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: base.schema["Note"]!.entityNumber, number: 2))
    let header = try disk.open("/s", for: .read).read(byteCount: 80, at: 0)

    #expect(throws: Refused.self) {
      try store.commit(
        CommitRequest(builder.freeze(), basedOn: base),
        at: StorePosition(path: "/s", commit: 5)
      ) { _ in throw Refused() }
    }

    #expect(try disk.open("/s", for: .read).read(byteCount: 80, at: 0) == header)
    #expect(try BinaryStore.open("/s", on: disk, commit: 4).snapshot().commit == 4)
  }

  /// A disk on which the first write of a slot is cut off, and some of the next writes find no space.
  private struct FullDisk: Disk {
    struct Calls: WrappingCalls {
      let base: any DiskCalls
      let failures: Counter

      func write(
        _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
      ) throws(ErrorNumber) -> Int {
        if failures.isCut, failures.left > 0 {
          failures.left -= 1
          throw .noSpace
        }
        guard !failures.isCut, bytes.byteCount == AcknowledgementSlots.slotByteCount else {
          return try base.write(descriptor, bytes, at: offset)
        }
        failures.isCut = true
        return try base.write(descriptor, bytes.extracting(0..<5), at: offset)
      }
    }
    final class Counter: @unchecked Sendable {
      // Sendable: only one thread of a test uses it.
      /// The number of writes that still fail after the first slot.
      var left: Int
      var isCut = false
      init(_ left: Int) { self.left = left }
    }
    let calls: any DiskCalls
  }

  @Test(
    "A slot that is written in part is written again, or gets its former bytes back",
    arguments: 1...3)
  func cutSlots(failureCount: Int) throws {
    let disk = try Self.disk(try SavedFile().bytes)
    let full = FullDisk(
      calls: FullDisk.Calls(base: disk.calls, failures: FullDisk.Counter(failureCount)))

    try Self.save(try BinaryStore.open("/s", on: full), "next")

    let bytes = try disk.read("/s", byteLimit: 1 << 20)
    let slots = AcknowledgementSlots(
      inHeader: Array(bytes[..<80]), salt: bytes.number(UInt64.self, at: 32))
    #expect(slots.areSound, "\(slots)")
    let isNamed = slots.newest?.trailer == UInt64(bytes.count - 48)
    #expect(isNamed == (failureCount < 2))
    #expect(try BinaryStore.open("/s", on: disk).snapshot().commit == 5)
  }
}
