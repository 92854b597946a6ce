extension CRC32C {
  /// Eight tables of 256 entries in a row. Entry `256 k + b` is the change of the register by byte `b` followed by
  /// `k` zero bytes.
  private static let tables: [UInt32] = {
    let polynomial: UInt32 = 0x82F6_3B78  // Castagnoli's, bits reflected.
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      tables[byte] = (0..<8).reduce(UInt32(byte)) { crc, _ in
        crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial
      }
    }
    for entry in 256..<tables.count {
      let before = tables[entry - 256]
      tables[entry] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// Returns the register after more bytes. Eight bytes are processed at a time, each through its own table.
  static func slicingBy8(_ register: UInt32, _ bytes: RawSpan) -> UInt32 {
    let tables = tables.span
    var crc = register
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      // SAFETY: The loop's condition bounds the read, and any bits are an integer.
      let word = unsafe UInt64(
        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let mixed = word ^ UInt64(crc)
      crc = 0
      for place in 0..<8 {
        crc ^= tables[256 * (7 - place) + Int(mixed >> (8 * UInt64(place)) & 0xFF)]
      }
      offset += 8
    }
    while offset < bytes.byteCount {
      // SAFETY: The loop's condition bounds the read.
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      crc = crc >> 8 ^ tables[Int((crc ^ UInt32(byte)) & 0xFF)]
      offset += 1
    }
    return crc
  }
}
