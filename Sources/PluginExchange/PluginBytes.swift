// SAFETY: A retained box keeps outgoing bytes alive; their release function releases the box once. Incoming bytes are
// copied while their creator keeps them, as the interface promises.

package import CStorePlugin

extension QuireBytes {
  package static var none: QuireBytes { unsafe QuireBytes() }

  /// Creates outgoing bytes, which live until the receiver releases them.
  package init(_ bytes: [UInt8]) {
    let kept = KeptBytes(bytes)
    unsafe self = unsafe QuireBytes(
      start: kept.start, count: UInt64(bytes.count),
      release: { bytes in
        guard let bytes = unsafe bytes, let kept = unsafe bytes.pointee.private_data else { return }
        unsafe Unmanaged<KeptBytes>.fromOpaque(kept).release()
        unsafe bytes.pointee = unsafe QuireBytes.none
      },
      private_data: Unmanaged.passRetained(kept).toOpaque())
  }

  /// A copy of the bytes; `nil` if they are missing, or longer than a description may be.
  package var copied: [UInt8]? {
    guard let start = unsafe start, unsafe count <= QuireBytes.limit else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(self.count)))
  }

  /// Returns a copy of the bytes, and releases them.
  package mutating func taken() -> [UInt8]? {
    let bytes = unsafe copied
    if let release = unsafe release { unsafe release(&self) }
    unsafe self.release = nil
    return bytes
  }

  /// The largest number of bytes of a model, a schema or metadata.
  private static let limit: UInt64 = 1 << 28
}

/// Bytes that are kept until the reader across the interface releases them.
@safe
private final class KeptBytes {
  let start: UnsafeMutablePointer<UInt8>
  private let count: Int

  init(_ bytes: [UInt8]) {
    // At least one byte is allocated, so that the address of an empty array is not NULL.
    count = max(bytes.count, 1)
    unsafe start = .allocate(capacity: count)
    unsafe start.initialize(from: bytes, count: bytes.count)
  }

  deinit { unsafe start.deallocate() }
}
