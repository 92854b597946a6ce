import DiskSimulation
import DurableFiles
import Foundation

/// A simulated disk on which zeros written at the end of a file take no memory, so that files may be larger than
/// memory.
struct SparseDisk: Disk {
  let base = SimulatedDisk()

  var calls: any DiskCalls { SparseCalls(base: base.calls) }
}

private struct SparseCalls: WrappingCalls {
  let base: any DiskCalls

  func write(
    _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
  ) throws(ErrorNumber) -> Int {
    // The bytes are all zero if the first is zero and each byte equals the next.
    let isZero = bytes.withUnsafeBytes { bytes in
      bytes.count > 4096 && bytes[0] == 0
        && memcmp(bytes.baseAddress!, bytes.baseAddress! + 1, bytes.count - 1) == 0
    }
    guard isZero, try base.status(descriptor).byteCount == offset else {
      return try base.write(descriptor, bytes, at: offset)
    }
    try base.truncate(descriptor, to: offset + bytes.byteCount)
    return bytes.byteCount
  }
}
