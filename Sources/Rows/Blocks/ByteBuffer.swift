// SAFETY: `start` always points to `capacity` bytes, of which the first `count` were written.

/// A buffer of bytes that are being written. It grows as needed, and keeps its memory when it is emptied.
@safe
struct ByteBuffer: ~Copyable {
  private(set) var start: UnsafeMutableRawPointer
  private(set) var count = 0
  private(set) var capacity: Int

  init(capacity: Int = 4096) {
    self.capacity = max(capacity, 64)
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe start.deallocate() }

  /// Removes the bytes and keeps the memory.
  mutating func removeAll() { count = 0 }

  /// Adds `byteCount` uninitialized bytes and returns their address. The caller must write them immediately.
  @unsafe mutating func grow(by byteCount: Int) -> UnsafeMutableRawPointer {
    if count + byteCount > capacity {
      capacity = max(capacity * 2, count + byteCount)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe larger.copyMemory(from: start, byteCount: count)
      unsafe start.deallocate()
      unsafe start = larger
    }
    defer { count += byteCount }
    return unsafe start + count
  }

  /// Adds zero bytes until the count is a multiple of 8.
  mutating func align() {
    let padding = -count & 7
    // SAFETY: `grow` provides `padding` bytes.
    unsafe grow(by: padding).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
  }

  @unsafe mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    unsafe grow(by: bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  /// Adds the little-endian bytes of a number.
  mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ number: T) {
    // SAFETY: `grow` provides as many bytes as the number has.
    unsafe grow(by: MemoryLayout<T>.size)
      .storeBytes(of: number.littleEndian, as: T.self)
  }

  /// Overwrites the bytes at `offset` with the bytes of a number.
  ///
  /// - Precondition: The bytes lie within the buffer.
  mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ number: T, at offset: Int) {
    precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count)
    // SAFETY: Checked above.
    unsafe start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: T.self)
  }

  /// The bytes written so far, valid until the next change.
  @unsafe var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: count)
  }
}
