import Archives
import DiskSimulation
import DurableFiles

extension SmallFile {
  /// Returns a packed document of notes.
  static func packed() throws -> [UInt8] {
    let disk = SimulatedDisk()
    try DocumentFiles.notes().put(at: "/d", on: disk)
    try FolderPacking("/d", on: disk).run(into: "/packed")
    return try disk.read("/packed", byteLimit: 1 << 20)
  }
}

extension BrokenFile {
  static let packed = [
    BrokenFile("CONT-020") { Array(try SmallFile.packed().dropLast()) },
    BrokenFile("CONT-021") {
      var bytes = try SmallFile.packed()
      // The directory and the header of the store give its checksum.
      let entry = (0..<bytes.count - 60).first { start in
        bytes[start..<start + 4].elementsEqual([0x50, 0x4B, 1, 2])
          && bytes[(start + 46)...].starts(with: Array("stores/".utf8))
          && bytes[start + 46 + Int(bytes[start + 28]) - 1] != UInt8(ascii: "/")
      }!
      let header = (0..<4).reduce(0) { $0 + Int(bytes[entry + 42 + $1]) << (8 * $1) }
      bytes[entry + 16] ^= 1
      bytes[header + 14] ^= 1
      return bytes
    },
  ]
}
