// SAFETY: A structure of parameters begins with its size, and the caller promises that it has that many bytes. No more of them
// are read or written, and no more than this library knows.

internal import CQuire

/// Structures of parameters and results that may grow.
enum Parameters {
  /// Returns a copy of a structure: the members that the caller knows, and zero for all further members.
  @unsafe static func copy<T: BitwiseCopyable>(_ source: UnsafePointer<T>?, _ empty: T) throws -> T
  {
    guard let source = unsafe source else { return empty }
    let size = unsafe UnsafeRawPointer(source).load(as: UInt32.self)
    guard size >= 4 else {
      throw CallError(
        .badArgument, "The member struct_size of a structure of parameters is not set.")
    }
    var copy = empty
    unsafe withUnsafeMutableBytes(of: &copy) { target in
      let bytes = unsafe UnsafeRawBufferPointer(
        start: UnsafeRawPointer(source), count: min(Int(size), MemoryLayout<T>.size))
      unsafe target.copyMemory(from: bytes)
    }
    return copy
  }

  /// Writes the members of a structure of results that the caller knows.
  @unsafe static func fill<T: BitwiseCopyable>(_ target: UnsafeMutablePointer<T>?, with value: T) {
    guard let target = unsafe target else { return }
    let size = unsafe UnsafeRawPointer(target).load(as: UInt32.self)
    unsafe withUnsafeBytes(of: value) { source in
      // The size itself stays as the caller has set it.
      let count = min(Int(size), MemoryLayout<T>.size)
      guard count > 4 else { return }
      unsafe (UnsafeMutableRawPointer(target) + 4).copyMemory(
        from: source.baseAddress! + 4, byteCount: count - 4)
    }
  }
}
