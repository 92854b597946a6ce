import DurableFiles
import Testing

@testable import Archives

@Suite("Archives beyond four gigabytes")
struct LargeArchiveTests {
  @Test("A store beyond four gigabytes, and an entry after it, are packed and read in place")
  func large() throws {
    let disk = SparseDisk()
    try disk.makeDirectory("/d")
    try disk.makeDirectory("/d/stores")
    let byteCount = 1 << 32 + 5
    let store = try disk.open("/d/stores/main.store", for: .create)
    try store.truncate(to: byteCount)
    try store.write(Array("end".utf8), at: byteCount - 3)
    try disk.replace("/d/text") { try $0.write("behind") }

    try FolderPacking("/d", on: disk).run(into: "/d.zip")

    let archive = try Archive("/d.zip", on: disk)
    let packed = PackedDisk(archive)
    #expect(archive.entries.map(\.byteCount) == [0, byteCount, 6])
    #expect(archive.entries[2].dataOffset > 1 << 32)
    #expect(try archive.bytes(of: archive.entries[2]) == Array("behind".utf8))
    let inPlace = try packed.open("/d.zip/stores/main.store", for: .read)
    #expect(try inPlace.byteCount() == byteCount)
    #expect(try inPlace.read(byteCount: 5, at: byteCount - 5) == [0, 0] + Array("end".utf8))
  }
}
