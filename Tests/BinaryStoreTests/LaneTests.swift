import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import HostileInputs
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import TestEffort
import Testing

/// Copies of a file, which count in lanes of their own (spec §4.4.6).
@Suite("Lanes of block files")
struct LaneTests {
  private let disk = SimulatedDisk()

  private func create(_ path: String = "/s") throws -> BinaryStore {
    try BinaryStore.create(at: path, model: SampleStore.notes, on: disk)
  }

  private func open(_ path: String) throws -> BinaryStore { try BinaryStore.open(path, on: disk) }

  /// Inserts a note with a number that the store reserves.
  @discardableResult
  private static func insert(_ store: BinaryStore) throws -> UInt64 {
    let number = try store.leaseKeys(ofEntity: 1, count: 1).lowerBound
    try SampleStore.commit(store) { $0.put("Note", number) }
    return number
  }

  private static func lanes(_ store: BinaryStore) throws -> StoreLanes {
    try store.snapshot().metadata.lanes
  }

  /// Returns the metadata of the newest commit as they are in the file.
  private static func metadataBytes(_ bytes: [UInt8]) throws -> [UInt8] {
    let disk = SimulatedDisk()
    try disk.open("/s", for: .create).append(bytes)
    let values = try BinaryStore.metadata(at: "/s", on: disk).values
    return BinaryPropertyList.write(.dictionary(values))
  }

  @Test("A store that was never copied has no lanes, however it is used and moved")
  func neverCopied() throws {
    let store = try create()
    let before = try store.snapshot().metadata

    #expect(try Self.insert(store) == 1)
    try store.vacuum()
    #expect(try Self.insert(store) == 2)
    _ = try store.leaseKeys(ofEntity: 2, count: 5000)
    try store.close()
    try disk.rename("/s", to: "/moved")
    let moved = try open("/moved")
    #expect(try Self.insert(moved) < 10_000)

    #expect(try moved.snapshot().metadata == before)
    let bytes = try disk.read("/moved", byteLimit: 1 << 20)
    #expect(try Self.metadataBytes(bytes) == BinaryPropertyList.write(.dictionary(before.values)))
  }

  @Test("A copy draws a lane with its first reservation, and the original goes on")
  func copied() throws {
    let store = try create()
    #expect(try Self.insert(store) == 1)
    try disk.copy("/s", to: "/copy")
    let copy = try open("/copy")
    #expect(try Self.lanes(copy).isEmpty)

    let number = try Self.insert(copy)

    let lanes = try Self.lanes(copy)
    #expect(number == lanes.current! + 1 && lanes.replicas.count == 1)
    #expect(try Self.insert(store) == 2)
    #expect(try Self.lanes(store).isEmpty)
    // Another entity, and links, count in the same lane.
    #expect(try copy.leaseKeys(ofEntity: 2, count: 3).lowerBound == lanes.current! + 1)
    // A rewrite and another process keep the lane.
    try copy.vacuum()
    #expect(try Self.insert(copy) > number)
    try copy.close()
    let again = try open("/copy")
    #expect(try Self.insert(again) > number)
    #expect(try Self.lanes(again) == lanes)
  }

  @Test("A copy of a copy draws another lane, and knows both")
  func copiedTwice() throws {
    try create().close()
    try disk.copy("/s", to: "/one")
    let one = try open("/one")
    let first = try Self.insert(one)
    try one.close()
    try disk.copy("/one", to: "/two")
    let two = try open("/two")

    let second = try Self.insert(two)

    #expect(second != first && second > 1 << 47)
    let lanes = try Self.lanes(two)
    #expect(Set(lanes.replicas.keys) == [first - 1, second - 1] && lanes.current == second - 1)
    #expect(try Self.insert(open("/one")) > first)
    #expect(try Self.lanes(open("/one")).replicas.count == 1)
  }

  @Test("Changes of values make a copy no replica, and insertions without a reservation do")
  func changes() throws {
    let store = try create()
    try SampleStore.commit(store) { $0.put("Note", 1) }
    try store.close()
    try disk.copy("/s", to: "/copy")
    let copy = try open("/copy")

    try SampleStore.commit(copy) { $0.change("Note", 1, ["stars": .integer(3)]) }
    #expect(try Self.lanes(copy).isEmpty)
    try copy.vacuum()
    #expect(try Self.lanes(copy).isEmpty)
    try SampleStore.commit(copy) { $0.put("Note", 2) }

    let lanes = try Self.lanes(copy)
    #expect(lanes.current ?? 0 > 0)
    // The numbers of the lane are all free.
    #expect(try Self.insert(copy) == lanes.current! + 1)
    #expect(try Self.lanes(copy) == lanes)
  }

  @Test("A reader of a copy draws nothing")
  func reading() throws {
    try create().close()
    try disk.copy("/s", to: "/copy")
    let bytes = try disk.read("/copy", byteLimit: 1 << 20)

    let copy = try BinaryStore.open("/copy", on: disk, readOnly: true)
    #expect(throws: StoreError.self) { try copy.leaseKeys(ofEntity: 1, count: 1) }
    try copy.close()

    #expect(try disk.read("/copy", byteLimit: 1 << 20) == bytes)
  }

  @Test("A part of a document draws a lane in a commit that repeats the number")
  func documents() throws {
    try create().close()
    try disk.copy("/s", to: "/copy")
    let copy = try BinaryStore.open("/copy", on: disk, commit: 1)

    let first = try copy.leaseKeys(ofEntity: 1, count: 10)
    #expect(try copy.snapshot().commit == 1)
    let second = try copy.leaseKeys(ofEntity: 1, count: 10)
    let base = try copy.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: 1, number: first.lowerBound))
    try copy.commit(
      CommitRequest(builder.freeze(), basedOn: base), at: StorePosition(path: "/copy", commit: 2)
    ) { _ in }

    #expect(first.lowerBound == (try Self.lanes(copy).current!) + 1)
    // The commit has reserved more keys of the lane.
    #expect(try copy.leaseKeys(ofEntity: 1, count: 4106).lowerBound == second.upperBound)
    try copy.close()
    let again = try BinaryStore.open("/copy", on: disk, commit: 2)
    #expect(try again.leaseKeys(ofEntity: 1, count: 1).lowerBound > second.upperBound)
    #expect(try Self.lanes(again).replicas.count == 1)
  }

  @Test("Numbers of other lanes raise no next key, and a lane ends where the next one begins")
  func otherLanes() throws {
    let store = try create()
    #expect(try Self.insert(store) == 1)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    let foreign: UInt64 = 1 << 47 + 65_536
    builder.insert(ObjectKey(entity: 1, number: foreign + 7))
    var request = CommitRequest(builder.freeze(), basedOn: base)
    request.lanes = StoreLanes([foreign: 0xAB], current: foreign)

    try store.commit(request)

    #expect(try Self.insert(store) == 2)
    let lanes = try Self.lanes(store)
    #expect(lanes.current == 0 && lanes.replicas == [foreign: 0xAB])
    #expect(lanes.countedNumbers.upperBound == foreign)
    // A number that nobody reserved, directly below the other lane, leaves no room.
    try SampleStore.commit(store) { $0.put("Note", foreign - 1) }
    let next = try store.leaseKeys(ofEntity: 1, count: 10).lowerBound
    #expect(next > 1 << 47 && next - 1 != foreign)
    #expect(try Self.lanes(store).current == next - 1)
  }

  @Test("Metadata that a program sets keep the lanes that were drawn since")
  func metadata() throws {
    try create().close()
    try disk.copy("/s", to: "/copy")
    let copy = try open("/copy")
    var metadata = try copy.snapshot().metadata
    let number = try Self.insert(copy)
    metadata.values["title"] = .string("Trips")

    try copy.commit(
      CommitRequest(Layer(), basedOn: try copy.snapshot(), metadata: metadata))

    #expect(try copy.snapshot().metadata.values["title"] == .string("Trips"))
    #expect(try Self.lanes(copy).current == number - 1)
  }

  @Test("After a crash, a copy that has drawn a lane gives no number twice")
  func crashes() throws {
    try create().close()
    try disk.copy("/s", to: "/copy")
    disk.settle()
    let copy = try open("/copy")
    let given = try copy.leaseKeys(ofEntity: 1, count: 16)
    try SampleStore.commit(copy) { $0.put("Note", given.lowerBound) }
    var drawn: Set<Int> = []

    for state in disk.crashStates(limit: Effort.count(400), seed: 1) {
      let store = try BinaryStore.open("/copy", on: state.disk)
      let keys = try store.snapshot().view.keys(ofEntity: 1)
      let number = try Self.insert(store)
      #expect(number > 1 << 47 && !keys.contains(number), "\(state)")
      if !keys.isEmpty { #expect(!given.contains(number), "\(state)") }
      drawn.insert(try Self.lanes(store).replicas.count)
    }

    // Some crashes come before the lane is durable, and some before the place is.
    #expect(drawn.isSubset(of: [1, 2]) && drawn.contains(1), "\(drawn)")
  }

  @Test("Copies by other programs are noticed, and a rename is not a copy")
  func otherPrograms() throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "lanes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    func insert(_ name: String) throws -> UInt64 {
      let store = try BinaryStore.open(path(name))
      defer { try? store.close() }
      return try Self.insert(store)
    }
    try BinaryStore.create(at: path("s"), model: SampleStore.notes).close()
    #expect(try insert("s") < 1 << 47)

    try FileManager.default.moveItem(atPath: path("s"), toPath: path("moved"))
    #expect(try insert("moved") < 1 << 47)
    try FileManager.default.copyItem(atPath: path("moved"), toPath: path("copy"))
    let number = try insert("copy")
    #expect(number > 1 << 47)
    // A program such as git writes another file in the place of the first.
    let bytes = try Data(contentsOf: URL(filePath: path("copy")))
    try FileManager.default.removeItem(atPath: path("copy"))
    try bytes.write(to: URL(filePath: path("copy")))
    #expect(try insert("copy") >> 16 != number >> 16)
    #expect(try insert("moved") < 1 << 47)
  }
}
