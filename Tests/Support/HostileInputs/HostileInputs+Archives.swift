import Archives
import DiskSimulation
import DurableFiles

extension HostileInputs {
  /// Opens any bytes as an archive: an error is allowed. An archive that opens must be unpacked completely or not at
  /// all, and must read the same in place. The unpacked files must pack into an archive with the same contents.
  public static func archive(_ bytes: [UInt8]) {
    let disk = SimulatedDisk()
    guard let file = try? disk.open("/a.zip", for: .create), (try? file.append(bytes)) != nil
    else { return }
    var limits = ArchiveLimits()
    limits.entryCount = 1000
    limits.expandedByteCount = 4 << 20
    _ = Archive.isPackedDocument(firstBytes: bytes)
    guard let archive = try? Archive("/a.zip", on: disk, limits: limits) else { return }
    precondition(archive.entries.allSatisfy { !$0.path.split(separator: "/").contains("..") })

    let packed = PackedDisk(archive)
    let contents = archive.entries.filter { !$0.isDirectory }.map { entry in
      (
        entry.path, try? archive.bytes(of: entry),
        try? packed.read("/a.zip/" + entry.path, byteLimit: 4 << 20)
      )
    }
    do { try archive.unpack(to: "/a", on: disk) } catch {
      precondition(try! disk.list("/").map(\.name) == ["a.zip"], "What fails leaves nothing.")
      precondition(
        !(error is ArchiveError) || contents.contains { $0.1 == nil }, "What is refused is damaged."
      )
      return
    }
    for (path, checked, inPlace) in contents {
      precondition(checked == inPlace, "\(path): in place is the same.")
      precondition(
        try! disk.read("/a/" + path, byteLimit: 4 << 20) == checked,
        "\(path): unpacked is the same.")
    }
    try! FolderPacking("/a", on: disk).run(into: "/b.zip")
    let again = try! Archive("/b.zip", on: disk)
    for entry in again.entries where !entry.isDirectory {
      precondition(
        try! again.bytes(of: entry) == disk.read("/a/" + entry.path, byteLimit: 4 << 20),
        "What is packed is read.")
    }
    precondition(again.entries.count >= archive.entries.count, "All of it is packed.")
  }
}
