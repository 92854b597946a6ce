/// The hash of a property's name: FNV-1a of the name's UTF-8.
@usableFromInline
enum PropertyHash {
  @usableFromInline static let basis: UInt64 = 0xcbf2_9ce4_8422_2325

  @inlinable @inline(__always)
  static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  /// Returns the hash of a name, or of a longer name from the hash of its beginning.
  @inlinable
  static func of(_ name: StaticString, after start: UInt64 = basis) -> UInt64 {
    name.withUTF8Buffer { bytes in
      var hash = start
      // SAFETY: The index is below the buffer's count.
      for index in 0..<bytes.count { hash = unsafe step(hash, bytes[index]) }
      return hash
    }
  }

  @inlinable
  static func of(_ name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { bytes in
      var hash = basis
      // SAFETY: The index is below the buffer's count.
      for index in 0..<bytes.count { hash = unsafe step(hash, bytes[index]) }
      return hash
    }
  }
}
