import DiskSimulation
import DurableFiles
import Foundation
import Testing

@testable import Archives

@Suite("Packing and unpacking")
struct PackingTests {
  private let disk = SimulatedDisk()

  private func packed(
    _ path: String = "/Trip.zip", smallByteCount: Int = PackingLimits().smallByteCount
  ) throws -> Archive {
    try SampleFolder.make(on: disk)
    var packing = FolderPacking(SampleFolder.path, on: disk)
    packing.limits.smallByteCount = smallByteCount
    try packing.run(into: path)
    return try Archive(path, on: disk)
  }

  @Test("A small file is compressed if that saves a tenth, and a large store never")
  func small() throws {
    try disk.makeDirectory("/d")
    try disk.makeDirectory("/d/stores")
    var random = UInt32(1)
    let noise = (0..<5000).map { _ -> UInt8 in
      random = random &* 1_664_525 &+ 1_013_904_223
      return UInt8(random >> 24)
    }
    let (limit, zeros) = (PackingLimits().smallByteCount, [UInt8](repeating: 0, count: 800))
    for (name, bytes) in [
      ("noise.jpeg", noise), ("nearly.jpeg", noise + zeros), ("zeros.bin", zeros),
      ("stores/small.store", [UInt8](repeating: 0, count: limit)),
      ("stores/large.store", [UInt8](repeating: 0, count: limit + 1)),
    ] { try disk.replace("/d/" + name) { try $0.write(bytes) } }

    try FolderPacking("/d", on: disk).run(into: "/d.zip")

    let archive = try Archive("/d.zip", on: disk)
    let stored = Set(archive.entries.filter { $0.isStored && !$0.isDirectory }.map(\.path))
    #expect(stored == ["noise.jpeg", "stores/large.store"])
    #expect(
      try SampleFolder.contents("/d", on: PackedDisk(archive, at: "/d"))
        == SampleFolder.contents("/d", on: disk))
  }

  @Test("An unpacked folder equals the packed folder, without hidden files")
  func roundTrip() throws {
    let archive = try packed()

    let report = try archive.unpack(to: "/Copy.quire", on: disk)

    let before = try SampleFolder.contents(SampleFolder.path, on: disk)
    #expect(try SampleFolder.contents("/Copy.quire", on: disk) == before)
    #expect(before.keys.sorted() == SampleFolder.names.sorted())
    #expect(report.fileCount == before.keys.count { !$0.hasSuffix("/") })
    #expect(report.byteCount == before.values.reduce(0) { $0 + $1.count })
    #expect(try disk.exists("/Copy.quire/.lock") == false)
    #expect(try disk.list("/").map(\.name) == ["Copy.quire", "Trip.quire", "Trip.zip"])
    #expect(disk.openFileCount == 1, "The archive's own.")
  }

  @Test("Packing a folder gives the same bytes at any path and time")
  func determinism() throws {
    _ = try packed()
    let other = SimulatedDisk()
    for (name, bytes) in try SampleFolder.contents(SampleFolder.path, on: disk).sorted(by: {
      $0.key.count < $1.key.count
    }).reversed() {
      var folder = "/elsewhere"
      for part in [""]
        + name.split(separator: "/").map(String.init).dropLast(
          name.hasSuffix("/") ? 0 : 1)
      {
        folder += part.isEmpty ? "" : "/" + part
        if try !other.exists(folder) { try other.makeDirectory(folder) }
      }
      if !name.hasSuffix("/") {
        try other.replace("/elsewhere/" + name) { try $0.write(bytes) }
        try other.open("/elsewhere/" + name, for: .update).setPermissions(.ownerOnly)
      }
    }

    try FolderPacking("/elsewhere/", on: other).run(into: "/x.zip")

    #expect(
      try other.read("/x.zip", byteLimit: 1 << 24) == disk.read("/Trip.zip", byteLimit: 1 << 24))
    // Packing the unpacked folder gives the same bytes again.
    try Archive("/x.zip", on: other).unpack(to: "/again", on: other)
    try FolderPacking("/again", on: other).run(into: "/y.zip")
    #expect(
      try other.read("/y.zip", byteLimit: 1 << 24) == other.read("/x.zip", byteLimit: 1 << 24))
  }

  @Test("A packed document is recognised by its type entry, or by a manifest at the top")
  func recognition() throws {
    func isDocument(_ entries: [ForgedEntry], cutting count: Int = 0) throws -> Bool {
      var archive = ForgedArchive(entries[0])
      archive.entries = entries
      let disk = SimulatedDisk()
      try disk.replace("/a.zip") { try $0.write(Array(archive.bytes.dropLast(count))) }
      return try Archive.isPackedDocument(at: "/a.zip", on: disk)
    }
    let manifest = ForgedEntry("manifest.json", "{}")
    let type = ForgedEntry("mimetype", "application/vnd.quire.document+zip")

    #expect(try isDocument([ForgedEntry("a"), manifest]))
    #expect(try isDocument([ForgedEntry("a"), type]))
    #expect(try !isDocument([ForgedEntry("a")]))
    #expect(try !isDocument([ForgedEntry("Trip.quire/manifest.json", "{}")]))
    #expect(try !isDocument([ForgedEntry("mimetype", "application/epub+zip"), manifest]))
    #expect(try !isDocument([ForgedEntry("a"), manifest], cutting: 30))
    #expect(try !Archive.isPackedDocument(at: "/none", on: SimulatedDisk()))
  }

  @Test("The type comes first, stores lie uncompressed at aligned offsets, text is compressed")
  func layout() throws {
    let archive = try packed(smallByteCount: 0)
    let bytes = try disk.read("/Trip.zip", byteLimit: 1 << 24)

    #expect(Archive.isPackedDocument(firstBytes: Array(bytes.prefix(100))))
    #expect(!Archive.isPackedDocument(firstBytes: Array(bytes.prefix(60))))
    #expect(!Archive.isPackedDocument(firstBytes: ForgedArchive(ForgedEntry("a")).bytes))
    #expect(archive.entries.map { $0.path + ($0.isDirectory ? "/" : "") } == SampleFolder.names)
    func entry(_ path: String) throws -> ArchiveEntry {
      try #require(archive.entries.first { $0.path == path })
    }
    for path in ["stores/main.store", "attachments/deep/er/picture.jpeg"] {
      let entry = try entry(path)
      #expect(entry.isStored && entry.dataOffset % 4096 == 0, "\(path)")
      let found = bytes[entry.dataOffset..<entry.dataOffset + entry.byteCount]
      #expect(try Array(found) == disk.read(SampleFolder.path + "/" + path, byteLimit: 1 << 24))
    }
    for path in ["manifest.plist", "stores/notes.xml", "attachments/étape.txt"] {
      let entry = try entry(path)
      #expect(!entry.isStored && entry.packedByteCount < entry.byteCount, "\(path)")
    }
  }

  @Test(
    "Sizes and counts that exceed two or four bytes are written with eight bytes",
    arguments: [0, 1, 3, 1000])
  func largeFields(_ limit: Int) throws {
    try SampleFolder.make(on: disk)
    var packing = FolderPacking(SampleFolder.path, on: disk)
    packing.limits = PackingLimits(count: limit, byteCount: limit)

    try packing.run(into: "/Trip.zip")

    let archive = try Archive("/Trip.zip", on: disk)
    try archive.unpack(to: "/Copy.quire", on: disk)
    #expect(
      try SampleFolder.contents("/Copy.quire", on: disk)
        == SampleFolder.contents(SampleFolder.path, on: disk))
    #expect(
      archive.entries.filter(\.isStored).allSatisfy { entry in
        entry.isDirectory || entry.dataOffset % 4096 == 0
      })
  }

  @Test("Headers are completed correctly wherever the writer's buffer ends")
  func bufferEnds() throws {
    try disk.makeDirectory(SampleFolder.path)
    // The compressed sizes are around the size of the buffer, so that the buffer may end anywhere in the next header.
    for count in stride(from: 65_300, to: 65_600, by: 13) {
      var state = UInt32(7)
      let noise = (0..<count).map { _ -> UInt8 in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24) | 0x80
      }
      try SampleFolder.write(noise, to: "a.txt", on: disk)
      try SampleFolder.write(Array("text".utf8), to: "b.txt", on: disk)
      try FolderPacking(SampleFolder.path, on: disk).run(into: "/a.zip", overwriting: true)

      let archive = try Archive("/a.zip", on: disk)
      #expect(try archive.bytes(of: archive.entries[0]) == noise)
      #expect(try archive.bytes(of: archive.entries[1]) == Array("text".utf8))
    }
  }

  @Test("Links, unsafe names and names that some system can't tell apart are refused")
  func refusals() throws {
    func pack(_ make: (SimulatedDisk) throws -> Void) throws {
      let disk = SimulatedDisk()
      try disk.makeDirectory("/d")
      try make(disk)
      defer { #expect(throws: DiskError.self) { try disk.status(of: "/d.zip") } }
      try FolderPacking("/d", on: disk).run(into: "/d.zip")
    }
    func pack(names: String...) throws {
      try pack { disk in
        for name in names { try disk.replace("/d/" + name) { try $0.write("x") } }
      }
    }
    let link = expect(.notAFile) {
      try pack { try $0.makeSymbolicLink("/d/l", to: "/etc/passwd") }
    }
    #expect(link?.message == "Can't pack 'l' in the folder '/d': it is a symbolic link.")
    #expect(link?.entry == "l" && link?.path == "/d")
    for name in ["a\\b", "a\u{1B}[2J", "C:file", "\u{FFFD}"] {
      expect(.unsafeName, name) { try pack(names: name) }
    }
    expect(.unsafeName) {
      try pack { disk in
        var path = "/d"
        for _ in 0...32 {
          path += "/f"
          try disk.makeDirectory(path)
        }
      }
    }
    for names in [("Readme", "README"), ("straße", "STRASSE"), ("mimetype", "x")] {
      expect(.sameName, names.0) { try pack(names: names.0, names.1) }
    }
    #expect(throws: DiskError.self) { try FolderPacking("/none", on: disk).run(into: "/none.zip") }
  }

  @Test("Progress reaches the end, and an error from its handler stops the work without leftovers")
  func cancelling() throws {
    try SampleFolder.make(on: disk)
    var shares: [Double] = []
    try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip") {
      shares.append($0.share)
    }
    #expect(shares == shares.sorted() && shares.last == 1)
    let archive = try Archive("/Trip.zip", on: disk)

    for limit in [0.0, 0.5, 0.99] {
      #expect(throws: CancellationError.self) {
        try FolderPacking(SampleFolder.path, on: disk).run(into: "/other.zip") {
          if $0.share > limit { throw CancellationError() }
        }
      }
      #expect(throws: CancellationError.self) {
        try archive.unpack(to: "/other", on: disk) {
          if $0.share > limit { throw CancellationError() }
        }
      }
    }

    #expect(try disk.list("/").map(\.name) == ["Trip.quire", "Trip.zip"])
  }

  @Test("Nothing is overwritten except an empty folder, and a file on request")
  func existing() throws {
    let archive = try packed()
    let packing = FolderPacking(SampleFolder.path, on: disk)

    #expect(throws: DiskError.self) { try packing.run(into: "/Trip.zip") }
    try packing.run(into: "/Trip.zip", overwriting: true)
    expect(.exists) { try archive.unpack(to: SampleFolder.path, on: disk) }
    expect(.exists) { try archive.unpack(to: "/Trip.zip", on: disk) }
    try disk.makeDirectory("/Empty")
    try archive.unpack(to: "/Empty/", on: disk)
    #expect(try disk.exists("/Empty/manifest.plist"))
    #expect(throws: DiskError.self) { try archive.unpack(to: "/none/Trip", on: disk) }
  }
}
