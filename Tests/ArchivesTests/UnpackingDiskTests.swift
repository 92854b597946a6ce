import DiskSimulation
import DurableFiles
import Testing

@testable import Archives

@Suite("A packed document that is changed")
struct UnpackingDiskTests {
  private let disk = SimulatedDisk()
  private let manifest = "/Trip.zip/manifest.plist"

  init() throws {
    try SampleFolder.makeSmall(on: disk)
    try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip")
    try disk.removeTree(SampleFolder.path)
    disk.settle()
  }

  private func bytes(on disk: SimulatedDisk? = nil) throws -> [UInt8] {
    try (disk ?? self.disk).read("/Trip.zip", byteLimit: 1 << 20)
  }

  private func text(on disk: any Disk) throws -> String {
    let packed = PackedDisk(try Archive("/Trip.zip", on: disk))
    return String(decoding: try packed.read(manifest, byteLimit: 1 << 20), as: UTF8.self)
  }

  private func change(_ text: String, on disk: any Disk) throws {
    try disk.replace(manifest) { try $0.write(text) }
  }

  @Test("Its paths lead into a folder, and a commit replaces its file")
  func commit() throws {
    let unpacking = UnpackingDisk(disk)
    let before = try bytes()
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    #expect(try unpacking.status(of: "/Trip.zip").kind == .directory)
    try change("<new/>", on: unpacking)
    try unpacking.replace("//Trip.zip/./stores/other.store") { try $0.write([7]) }
    try unpacking.replace("/beside.txt") { try $0.write("x") }
    #expect(try bytes() == before)

    try unpacking.commit()
    #expect(try text(on: disk) == "<new/>")
    try change("<newer/>", on: unpacking)
    try unpacking.commit()
    let after = try bytes()
    try unpacking.finish()

    #expect(try bytes() == after && text(on: disk) == "<newer/>")
    #expect(try disk.list("/").map(\.name).sorted() == ["Trip.zip", "beside.txt"])
    #expect(try unpacking.status(of: "/Trip.zip").kind == .file)
    #expect(disk.openFileCount == 0)
  }

  @Test("Without a change the file stays, and it keeps its permissions after one")
  func unchanged() throws {
    try disk.setPermissions(
      of: "/Trip.zip", isDirectory: false, to: FilePermissions(rawValue: 0o640))
    let before = try disk.status(of: "/Trip.zip")
    let unpacking = UnpackingDisk(disk)
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    let text = try text(on: disk)
    try change("<new/>", on: unpacking)
    try change(text, on: unpacking)
    try unpacking.replace("/Trip.zip/.lock") { try $0.write("hidden") }
    try unpacking.finish()
    #expect(try disk.status(of: "/Trip.zip") == before)

    try unpacking.unpack("/Trip.zip", waiting: .zero)
    try change("<new/>", on: unpacking)
    try unpacking.finish()
    let after = try disk.status(of: "/Trip.zip")
    #expect(after.permissions == before.permissions && after.identity != before.identity)
  }

  @Test("A file that is open during a commit is packed complete, and closing it changes nothing")
  func openFile() throws {
    let path = "/Trip.zip/stores/main.store"
    var files = OpenFiles()
    files.completion = { file in
      // The last writer of this file has left a tail.
      guard let size = try? file.byteCount(), size == 6 else { return nil }
      return FolderPacking.Completion(start: [9, 9], byteCount: 4)
    }
    files.changedByClosing = { $0.path.hasSuffix(".store") ? 2 : 0 }
    let unpacking = UnpackingDisk(disk, files)
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    let file = try unpacking.open(path, for: .update)
    try file.write([0, 1, 5, 6, 0, 0], at: 0)
    try unpacking.commit()
    let before = try disk.status(of: "/Trip.zip").identity
    #expect(
      try PackedDisk(Archive("/Trip.zip", on: disk)).read(path, byteLimit: 10) == [9, 9, 5, 6])

    try file.write([8, 8], at: 0)
    try file.truncate(to: 4)
    try file.close()
    try unpacking.finish()

    #expect(try disk.status(of: "/Trip.zip").identity == before)
  }

  @Test("Its files keep their place while it is changed, and those of a copy have another")
  func places() throws {
    func place(_ path: String) throws -> FilePlace {
      let unpacking = UnpackingDisk(disk)
      try unpacking.unpack(path, waiting: .zero)
      let place = try unpacking.open(path + "/manifest.plist", for: .read).place
      try unpacking.replace(path + "/notes.txt") { writer in
        #expect(try writer.place == place)
        try writer.write("\(disk.operationCount)")
      }
      try unpacking.finish()
      return place
    }
    let first = try place("/Trip.zip")
    #expect(try place("/Trip.zip") == first && place("/Trip.zip") == first)
    try disk.rename("/Trip.zip", to: "/Renamed.zip")
    #expect(try place("/Renamed.zip") == first)

    let bytes = try disk.read("/Renamed.zip", byteLimit: 1 << 20)
    try disk.replace("/Copy.zip") { try $0.write(bytes) }
    let copy = try place("/Copy.zip")
    #expect(copy != first)
    #expect(try place("/Copy.zip") == copy && place("/Renamed.zip") == first)
  }

  @Test("A second writer waits, and then changes the new file")
  func twoWriters() throws {
    let (first, second) = (UnpackingDisk(disk), UnpackingDisk(disk))
    try first.unpack("/Trip.zip", waiting: .zero)
    try change("<first/>", on: first)
    let error = #expect(throws: DiskError.self) {
      try second.unpack("/Trip.zip", waiting: .milliseconds(30))
    }
    #expect(error?.code == .locked)
    // The lock lasts beyond the replacement of the file.
    try first.commit()
    #expect(throws: DiskError.self) { try second.unpack("/Trip.zip", waiting: .zero) }
    disk.whilePausing { try? first.finish() }
    try second.unpack("/Trip.zip", waiting: .seconds(5))
    disk.whilePausing(nil)
    #expect(try second.read(manifest, byteLimit: 100).elementsEqual("<first/>".utf8))
    second.abandon()
    #expect(disk.openFileCount == 0)
  }

  @Test(
    "A file that a program without the lock has changed is not replaced", arguments: [true, false])
  func changedMeanwhile(_ replaces: Bool) throws {
    let unpacking = UnpackingDisk(disk)
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    try change("<new/>", on: unpacking)
    var other = try bytes()
    if replaces {
      try disk.replace("/Trip.zip") { try $0.write(other) }
    } else {
      other[100] ^= 1
      let file = try disk.open("/Trip.zip", for: .update)
      try file.write([other[100]], at: 100)
    }

    let error = #expect(throws: ArchiveError.self) { try unpacking.commit() }
    #expect(error?.code == .changed && error?.message.contains("'/Trip.zip'") == true)
    try unpacking.finish()

    #expect(try bytes() == other)
    #expect(try disk.list("/").map(\.name) == ["Trip.zip"])
  }

  @Test("A link stays, and the file that it leads to is replaced")
  func link() throws {
    try disk.makeDirectory("/deep")
    try disk.rename("/Trip.zip", to: "/deep/Real.zip")
    try disk.makeSymbolicLink("/Trip.zip", to: "deep/Real.zip")
    let unpacking = UnpackingDisk(disk)
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    #expect(try disk.list("/deep").count == 2)
    try change("<new/>", on: unpacking)
    try unpacking.finish()

    #expect(try text(on: disk) == "<new/>")
    #expect(try disk.status(of: "/Trip.zip", followingLinks: false).kind == .symbolicLink)
    #expect(try disk.list("/deep").map(\.name) == ["Real.zip"])
  }

  @Test("A crash at any moment leaves the old or the new file, and the next writer tidies up")
  func crash() throws {
    let unpacking = UnpackingDisk(disk)
    let old = try text(on: disk)
    try unpacking.unpack("/Trip.zip", waiting: .zero)
    try change("<new/>", on: unpacking)
    try unpacking.commit()
    // A power cut after the commit can't take the change back.
    let committed = disk.operationCount
    try unpacking.finish()
    var outcomes: Set<String> = []
    for state in disk.crashStates(limit: 1500, seed: 1) {
      let crashed = state.disk
      let found = try text(on: crashed)
      outcomes.insert(found)
      if state.operationCount >= committed { #expect(found == "<new/>", "\(state)") }
      let next = UnpackingDisk(crashed)
      try next.unpack("/Trip.zip", waiting: .zero)
      try next.finish()
      let names = try crashed.list("/").map(\.name)
      #expect(names == ["Trip.zip"], "\(state)")
    }
    #expect(outcomes == [old, "<new/>"])
  }

  @Test("If any operation fails, the file is the old or the new one", arguments: [true, false])
  func failures(_ isLasting: Bool) throws {
    func run(_ disk: SimulatedDisk) throws {
      let unpacking = UnpackingDisk(disk)
      defer { unpacking.abandon() }
      try unpacking.unpack("/Trip.zip", waiting: .zero)
      try change("<new/>", on: unpacking)
      try unpacking.finish()
    }
    let (old, start) = (try bytes(), disk.operationCount)
    try run(disk)
    let (new, count) = (try bytes(), disk.operationCount - start)
    for failing in 0..<count {
      let other = try UnpackingDiskTests()
      other.disk.plan(
        .failing(.noSpace, after: failing, lasting: isLasting ? .forGood : .once))
      let result = Result { try run(other.disk) }
      other.disk.planNoFailures()
      let found = try other.bytes()
      #expect(found == old || found == new, "\(failing)")
      if found == old { #expect(throws: (any Error).self, "\(failing)") { try result.get() } }
      #expect(other.disk.openFileCount == 0, "\(failing)")
    }
  }
}
