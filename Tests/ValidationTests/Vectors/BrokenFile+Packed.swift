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
      // The archive contains the store without compression.
      let store = try SmallFile.notes()
      let start = (0..<bytes.count - 8).first { bytes[$0..<$0 + 8].elementsEqual(store[..<8]) }!
      bytes[start + 40] ^= 1
      return bytes
    },
  ]
}
