import BlockFileFormat
import DurableFiles

// The place on the disk tells a file from its copy (spec §4.2.6). The original and the copy must never give one number
// to two objects.
extension StoreFile {
  /// Whether this is the file that its writer made, and not a copy of that file.
  var isAtItsPlace: Bool {
    guard let place = try? file.place, let bytes = try? placeInFile() else { return false }
    return bytes == FileHeader.bytes(ofPlace: header.mark(of: place))
  }

  /// Records the place of the file in its header, so that the file is a copy no longer. The next sync makes the place
  /// durable.
  func claimPlace() {
    guard let place = try? file.place else { return }
    try? file.write(
      FileHeader.bytes(ofPlace: header.mark(of: place)), at: FileHeader.placeBytes.lowerBound)
  }

  private func placeInFile() throws -> [UInt8] {
    try file.read(byteCount: FileHeader.placeBytes.count, at: FileHeader.placeBytes.lowerBound)
  }
}
