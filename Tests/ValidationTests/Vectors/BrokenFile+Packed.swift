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
      let entry = (0..<bytes.count - 60).first { isStore(bytes[$0...]) }!
      var header = 0
      for place in 0..<4 { header |= Int(bytes[entry + 42 + place]) << (8 * place) }
      bytes[entry + 16] ^= 1
      bytes[header + 14] ^= 1
      return bytes
    },
  ]
}

/// Returns whether bytes begin with the entry of a store in the directory of an archive.
private func isStore(_ bytes: ArraySlice<UInt8>) -> Bool {
  let start = bytes.startIndex
  guard bytes.starts(with: [0x50, 0x4B, 1, 2]) else { return false }
  let name = bytes[(start + 46)...].prefix(Int(bytes[start + 28]))
  return name.starts(with: Array("stores/".utf8)) && name.last != UInt8(ascii: "/")
}
