import Archives
import Deflate
import DiskSimulation
import DurableFiles
import Foundation
import Testing

@Suite("Archives that must not be trusted")
struct HostileArchiveTests {
  private static func opened(_ archive: ForgedArchive, _ limits: ArchiveLimits = ArchiveLimits())
    throws -> Archive
  {
    try Archive("/a.zip", on: archive.onDisk(), limits: limits)
  }

  @Test("A sound archive is read in every form that the zip format allows")
  func sound() throws {
    let descriptor = number(0x0807_4B50, 4)
    func open(_ change: (inout ForgedEntry) -> Void) -> ForgedEntry {
      ForgedEntry("open", deflated: true).with { entry in
        entry.flags |= 8
        entry.localChecksum = 0
        entry.localSizes = (0, 0)
        change(&entry)
      }
    }
    func values(_ entry: ForgedEntry, _ width: Int) -> [UInt8] {
      number(Int(entry.checksum), 4) + number(entry.packedByteCount, width)
        + number(entry.byteCount, width)
    }
    let entries = [
      ForgedEntry("a/b"), ForgedEntry("deflated", deflated: true), ForgedEntry("empty", ""),
      ForgedEntry("none", "", deflated: true), ForgedEntry("folder/"),
      ForgedEntry("old").with { $0.madeBy = 20 }, ForgedEntry("plain").with { $0.mode = 0 },
      ForgedEntry("é").with { $0.flags = 0 }, ForgedEntry("hard").with { $0.flags = 6 },
      ForgedEntry("padded").with { $0.localExtra = field(0xD935, [0, 16, 0, 0]) + [0, 0] },
      open { $0.descriptor = values($0, 4) }, open { $0.descriptor = values($0, 8) },
      open { $0.descriptor = descriptor + values($0, 4) },
      open { $0.descriptor = descriptor + values($0, 8) },
      ForgedEntry("large").with { entry in
        entry.centralExtra = field(1, number(4, 8) + number(4, 8))
        entry.localExtra = field(1, number(4, 8) + number(4, 8))
      },
    ]
    for entry in entries {
      let archive = try Self.opened(ForgedArchive(ForgedEntry("first"), entry))

      #expect(archive.entries.count == 2, "\(entry)")
      _ = try archive.bytes(of: archive.entries[1])
      try archive.unpack(to: "/out", on: SimulatedDisk())
    }
    var forged = ForgedArchive(ForgedEntry("a"), ForgedEntry("b"))
    forged.large = (0, 0, 0)
    #expect(try Self.opened(forged).entries.map(\.path) == ["a", "b"])
    forged = ForgedArchive()
    #expect(try Self.opened(forged).entries.isEmpty)
  }

  @Test("Hidden names and the type entry are not part of the document")
  func hidden() throws {
    let archive = try Self.opened(
      ForgedArchive(
        ForgedEntry("mimetype", "application/vnd.quire.document+zip"), ForgedEntry(".lock"),
        ForgedEntry("a/.hidden/b"), ForgedEntry("a/c")))

    #expect(archive.entries.map(\.path) == ["a/c"])
    expect(.otherContents) {
      try Self.opened(ForgedArchive(ForgedEntry("mimetype", "application/epub+zip")))
    }
  }

  @Test("Each kind of wrong archive is refused with its own error", arguments: WrongArchive.all)
  func wrongs(_ wrong: WrongArchive) throws {
    let name = wrong.name

    let error = expect(wrong.code, name) { try Self.opened(wrong.archive) }

    #expect(error?.message.contains(wrong.word) == true, "\(name): \(error?.message ?? "")")
    #expect(error?.message.contains("/a.zip") == true)
  }

  @Test("Reading an entry detects bytes that differ from the packed bytes")
  func contents() throws {
    let text = String(repeating: "text ", count: 50)
    let sound = ForgedEntry("a", text, deflated: true)
    let cases: [(String, ArchiveError.Code, ForgedEntry)] = [
      ("stored, another checksum", .checksum, ForgedEntry("a").with { $0.checksum += 1 }),
      ("deflated, another checksum", .checksum, sound.with { $0.checksum += 1 }),
      (
        "no deflate", .damaged,
        sound.with { $0.data = [UInt8](repeating: 0xFF, count: $0.data.count) }
      ),
      ("more than it says", .damaged, sound.with { $0.byteCount -= 1 }),
      ("less than it says", .damaged, sound.with { $0.byteCount += 1 }),
      (
        "cut", .damaged,
        sound.with { entry in
          entry.data.removeLast(2)
          entry.packedByteCount -= 2
        }
      ),
      (
        "bytes behind the end", .damaged,
        sound.with { entry in
          entry.data.append(0)
          entry.packedByteCount += 1
        }
      ),
    ]
    for (name, code, entry) in cases {
      let disk = try ForgedArchive(ForgedEntry("first"), entry).onDisk()
      let archive = try Archive("/a.zip", on: disk)

      let error = expect(code, name) { try archive.bytes(of: archive.entries[1]) }
      #expect(error?.entry == "a")
      expect(code, name) { try archive.unpack(to: "/out", on: disk) }
      #expect(try disk.list("/").map(\.name) == ["a.zip"], "\(name)")
    }
  }

  @Test("Archives that expand too far are refused before any byte is expanded")
  func bombs() throws {
    // The strongest compression that deflate allows: a hundred megabytes of zeros in a hundred kilobytes.
    let zeros = [UInt8](repeating: 0, count: 100 << 20)
    let bomb = ForgedEntry("a", bytes: zeros, deflated: true)
    #expect(bomb.data.count < 110_000)
    var forged = ForgedArchive(bomb)
    forged.entries += (0..<20).map { number in bomb.with { $0.name = Array("b\(number)".utf8) } }
    let disk = try forged.onDisk()
    disk.settle()

    let error = expect(.tooLarge) { try Archive("/a.zip", on: disk) }
    #expect(error?.message.contains("limit") == true)
    // The limits are checked before any entry is expanded, because these entries can't be expanded.
    var broken = forged
    for index in broken.entries.indices {
      broken.entries[index].data = [UInt8](repeating: 0xFF, count: bomb.data.count)
    }
    expect(.tooLarge) { try Archive("/a.zip", on: broken.onDisk()) }

    var limits = ArchiveLimits()
    limits.expandedByteCount = 100 << 20
    expect(.tooLarge) { try Archive("/a.zip", on: disk, limits: limits) }
    limits = ArchiveLimits()
    limits.entryCount = 20
    expect(.tooLarge) { try Archive("/a.zip", on: disk, limits: limits) }
    limits = ArchiveLimits()
    limits.directoryByteCount = 1000
    expect(.tooLarge) { try Archive("/a.zip", on: disk, limits: limits) }
    limits = ArchiveLimits()
    limits.growth = 2000
    let archive = try Archive("/a.zip", on: disk, limits: limits)
    expect(.tooLarge) { try archive.bytes(of: archive.entries[0], byteLimit: 1 << 20) }
    // An entry that understates its size: expanding it stops at the stated size.
    let liar = ForgedArchive(bomb.with { $0.byteCount = 1000 })
    let opened = try Self.opened(liar)
    var count = 0
    expect(.damaged) { try opened.read(opened.entries[0]) { count += $0.byteCount } }
    #expect(count <= 1000)
  }

  @Test("An archive that claims many large headers makes the reader read no more than the file")
  func work() throws {
    // Every entry refers to one header with a long extra field.
    let first = ForgedEntry("first").with { $0.localExtra = [UInt8](repeating: 0, count: 60_000) }
    var forged = ForgedArchive(first)
    forged.entries += (0..<5000).map { number in
      ForgedEntry("e\(number)").with { $0.offset = 0 }
    }
    let disk = try forged.onDisk()
    disk.settle()

    expect(.overlap) { try Archive("/a.zip", on: disk) }

    let byteCount = disk.operations.filter { $0.operation == .read }.reduce(0) {
      $0 + ($1.range?.count ?? 0)
    }
    #expect(byteCount <= forged.bytes.count)
  }

  @Test("A sound archive that is cut or has any byte changed opens or is refused")
  func changes() throws {
    let disk = SimulatedDisk()
    try SampleFolder.makeSmall(on: disk)
    try FolderPacking(SampleFolder.path, on: disk).run(into: "/Trip.zip")
    let bytes = try disk.read("/Trip.zip", byteLimit: 1 << 20)
    let sound = try SampleFolder.contents(SampleFolder.path, on: disk)
    func tried(_ bytes: [UInt8]) throws -> [String: [UInt8]]? {
      let other = SimulatedDisk()
      try other.replace("/a.zip") { try $0.write(bytes) }
      guard let archive = try? Archive("/a.zip", on: other) else { return nil }
      do { try archive.unpack(to: "/out", on: other) } catch let error as ArchiveError {
        #expect(error.path == "/a.zip")
        #expect(try other.list("/").map(\.name) == ["a.zip"])
        return nil
      }
      return try SampleFolder.contents("/out", on: other)
    }
    for count in 0..<bytes.count where count < 300 || count > bytes.count - 700 {
      #expect(try tried(Array(bytes[..<count])) == nil, "cut to \(count)")
    }
    for index in bytes.indices where bytes[index] != 0 || index > bytes.count - 700 || index < 100 {
      var changed = bytes
      changed[index] ^= 0x41
      // If the archive opens, the byte had no meaning (a time), or was a letter of a name in both places.
      if let found = try tried(changed) { #expect(found == sound, "byte \(index)") }
    }
  }
}
