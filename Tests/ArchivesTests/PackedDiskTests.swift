import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface
import Testing

@testable import Archives

@Suite("A packed document read in place")
struct PackedDiskTests {
  private let disk = SimulatedDisk()
  private let archive: Archive

  init() throws {
    try SampleFolder.make(on: disk)
    var packing = FolderPacking(SampleFolder.path, on: disk)
    packing.limits.smallByteCount = 0
    try packing.run(into: "/Trip.zip")
    archive = try Archive("/Trip.zip", on: disk)
    disk.settle()
  }

  @Test("The packed document holds the contents of the folder")
  func contents() throws {
    for folder in [nil, "/elsewhere/Trip.quire", "Trip.quire"] {
      let packed = PackedDisk(archive, at: folder)

      #expect(
        try SampleFolder.contents(folder ?? "/Trip.zip", on: packed)
          == SampleFolder.contents(SampleFolder.path, on: disk))
    }
    // The packed disk only reads, and only from the archive.
    let operations = Set(disk.operations.filter { $0.path == "/Trip.zip" }.map(\.operation))
    #expect(operations == [.read])
  }

  @Test(
    "Stores in a packed document are opened and fetched from",
    arguments: SampleFolder.stores.map(\.name))
  func stores(_ name: String) throws {
    let backend = try #require(SampleFolder.stores.first { $0.name == name }).backend
    let path = "/Trip.zip/stores/" + name

    let store = try backend.open(path, on: PackedDisk(archive), StoreOpening(readOnly: true))

    let snapshot = try store.snapshot()
    let layout = try #require(snapshot.schema["Trip"])
    #expect(try snapshot.view.keys(ofEntity: layout.entityNumber).count == SampleFolder.tripCount)
    for number in [1, 777, 2000] as [UInt64] {
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      let row = try #require(try snapshot.view.row(of: key))
      #expect(try row.value(layout.columns[layout.index(of: "name")!]) == .string("trip \(number)"))
    }
    #expect(throws: StoreError.self) {
      try backend.open(path, on: PackedDisk(archive), StoreOpening()).commit(
        CommitRequest(Layer(), basedOn: snapshot))
    }
    try store.close()
  }

  @Test("A block file is read in place, and no other file is read")
  func inPlace() throws {
    let store = try BinaryStoreBackend().open(
      "/Trip.zip/stores/main.store", on: PackedDisk(archive), StoreOpening(readOnly: true))
    _ = try store.snapshot()

    let reads = disk.operations.filter { $0.operation == .read }.compactMap(\.range)
    let entry = try #require(archive.entries.first { $0.path == "stores/main.store" })
    let place = entry.dataOffset..<entry.dataOffset + entry.byteCount
    #expect(!reads.isEmpty && reads.allSatisfy { place.contains($0.lowerBound) })
    #expect(reads.allSatisfy { $0.upperBound <= place.upperBound })
  }

  @Test("Every operation that would write is refused, as on a read-only disk")
  func refusals() throws {
    let packed = PackedDisk(archive)
    let file = "/Trip.zip/stores/main.store"
    let handle = try packed.open(file, for: .read)
    let attempts: [(String, () throws -> Void)] = [
      ("update", { _ = try packed.open(file, for: .update) }),
      ("update or create", { _ = try packed.open(file, for: .updateOrCreate) }),
      ("create", { _ = try packed.open("/Trip.zip/new", for: .create) }),
      ("create beside", { _ = try packed.open("/Trip.zip/new", for: .updateOrCreate) }),
      ("replace", { try packed.replace(file) { try $0.write("x") } }),
      ("write", { try handle.write([1], at: 0) }),
      ("truncate", { try handle.truncate(to: 0) }),
      ("permissions", { try handle.setPermissions(.ownerOnly) }),
      ("directory", { try packed.makeDirectory("/Trip.zip/new") }),
      ("remove", { try packed.remove(file) }),
      ("remove directory", { try packed.removeDirectory("/Trip.zip/Empty") }),
      ("rename", { try packed.rename(file, to: "/Trip.zip/new") }),
      ("link", { try packed.link(file, to: "/Trip.zip/new") }),
      ("symbolic link", { try packed.makeSymbolicLink("/Trip.zip/new", to: file) }),
      ("tree", { try packed.removeTree("/Trip.zip/stores") }),
      ("exclusive lock", { _ = try packed.lock("/Trip.zip/.lock") }),
    ]
    for (name, attempt) in attempts {
      let error = #expect(throws: DiskError.self, "\(name)") { try attempt() }
      #expect(error?.code == .readOnly, "\(name): \(String(describing: error))")
    }
    #expect(disk.operations.allSatisfy { $0.operation == .read || $0.operation == .status })
  }

  @Test("Readers lock a packed document as on any disk")
  func locks() throws {
    let packed = PackedDisk(archive)
    let first = try packed.lock("/Trip.zip/.lock", .shared)
    let second = try packed.lock("/Trip.zip/.lock", .shared)
    let store = try packed.open("/Trip.zip/stores/main.store", for: .read)
    try store.lock(.shared)
    try store.unlock()
    try store.sync()

    #expect(try !packed.list("/Trip.zip").contains { $0.name == ".lock" })
    try first.release()
    try second.release()
    #expect(throws: DiskError.self) { try packed.lock("/Trip.zip/none/.lock", .shared) }
    #expect(throws: DiskError.self) { try packed.lock("/Trip.zip/manifest.plist/.lock", .shared) }
  }

  @Test("Paths and errors are the same as on a real disk")
  func paths() throws {
    let packed = PackedDisk(archive)
    func code(_ body: () throws -> Void) -> DiskError.Code? {
      #expect(throws: DiskError.self) { try body() }?.code
    }
    for path in ["/Trip.zip/./stores//main.store", "/x/../Trip.zip/Empty/../stores/main.store"] {
      #expect(try packed.status(of: path).kind == .file)
      #expect(try packed.open(path, for: .read).isStillAtItsPath())
    }
    #expect(try packed.exists("/Trip.zip") && packed.exists("/Trip.zip/attachments/deep/"))
    for path in ["/", "/Trip", "/Trip.zip/..", "/Trip.zip/none", "/Trip.zip/.lock", "Trip.zip"] {
      #expect(code { _ = try packed.status(of: path) } == .notFound, "\(path)")
    }
    #expect(code { _ = try packed.status(of: "/Trip.zip/manifest.plist/x") } == .notADirectory)
    #expect(code { _ = try packed.open("/Trip.zip/none", for: .read) } == .notFound)
    #expect(code { _ = try packed.open("/Trip.zip/none", for: .update) } == .notFound)
    #expect(code { _ = try packed.open("/Trip.zip/manifest.plist", for: .create) } == .exists)
    #expect(code { _ = try packed.open("/Trip.zip/stores", for: .read) } == .isDirectory)
    #expect(code { _ = try packed.list("/Trip.zip/manifest.plist") } == .notADirectory)
    let store = try packed.status(of: "/Trip.zip/stores/main.store")
    let manifest = try packed.status(of: "/Trip.zip/manifest.plist")
    #expect(store.identity != manifest.identity)
    #expect(store.byteCount == archive.entries.first { $0.path == "stores/main.store" }?.byteCount)
    let file = try packed.open("/Trip.zip/stores/main.store", for: .read)
    try file.close()
    #expect(code { _ = try file.read(byteCount: 1, at: 0) } == .closed)
  }

  @Test("A compressed file is expanded once, within the memory limit")
  func memory() throws {
    var limits = ArchiveLimits()
    limits.memoryByteCount = 5000
    let packed = PackedDisk(try Archive("/Trip.zip", on: disk, limits: limits))
    _ = try packed.read("/Trip.zip/manifest.plist", byteLimit: 1 << 20)
    disk.settle()

    _ = try packed.read("/Trip.zip/manifest.plist", byteLimit: 1 << 20)
    #expect(disk.operations.isEmpty)

    let path = "/Trip.zip/stores/notes.xml"
    let error = #expect(throws: DiskError.self) { try packed.open(path, for: .read) }
    #expect(error?.code == .tooLarge)
    #expect(packed.reason(for: path)?.code == .tooLarge)
    #expect(packed.reason(for: "/Trip.zip/manifest.plist") == nil)
  }

  @Test("A damaged compressed file is refused with a reason; errors of the disk pass through")
  func damage() throws {
    let entry = try #require(archive.entries.first { $0.path == "manifest.plist" })
    let file = try disk.open("/Trip.zip", for: .update)
    try file.write([0xFF, 0xFF, 0xFF], at: entry.dataOffset + 5)
    let packed = PackedDisk(archive)

    let error = #expect(throws: DiskError.self) {
      try packed.open("/Trip.zip/manifest.plist", for: .read)
    }
    #expect(error?.code == .damaged)
    #expect(packed.reason(for: "/Trip.zip/manifest.plist")?.entry == "manifest.plist")

    let store = try packed.open("/Trip.zip/stores/main.store", for: .read)
    disk.plan(.failing(.staleHandle, on: .read, lasting: .forGood))
    #expect(throws: DiskError.self) { try store.read(byteCount: 100, at: 0) }
    disk.planNoFailures()
    try file.truncate(to: 5000)
    #expect(throws: DiskError.self) { try store.read(byteCount: 100, at: 60_000) }
  }
}
