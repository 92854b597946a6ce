/// What records of a zip archive begin with, and the values that packed documents have in them.
///
/// The names of the fields are those of PKWARE's APPNOTE.TXT, version 6.3.10.
enum ZipFormat {
  static let localSignature = 0x0403_4B50
  static let centralSignature = 0x0201_4B50
  static let endSignature = 0x0605_4B50
  static let end64Signature = 0x0606_4B50
  static let locatorSignature = 0x0706_4B50
  static let descriptorSignature = 0x0807_4B50

  static let localByteCount = 30
  static let centralByteCount = 46
  static let endByteCount = 22
  static let locatorByteCount = 20
  static let end64ByteCount = 56

  static let stored = 0
  static let deflated = 8

  /// The kind of the extra field with sizes of eight bytes.
  static let sizesField = 0x0001
  /// The kind of the extra field that moves an entry's bytes to a round offset, as Android has it.
  static let alignmentField = 0xD935

  static let encryptedFlag = 1 << 0
  static let descriptorFlag = 1 << 3
  static let nameIsUTF8Flag = 1 << 11
  /// Flags that are read: two more tell how hard a compressor tried.
  static let knownFlags = descriptorFlag | nameIsUTF8Flag | 1 << 1 | 1 << 2

  /// Versions of the format times ten: with folders and deflate, and with sizes of eight bytes.
  static let version = 20
  static let version64 = 45
  /// The system whose permissions an entry has: Unix.
  static let unix = 3

  /// 1980-01-01 00:00:00, the first moment there is.
  static let time = 0
  static let date = 1 << 5 | 1

  static let fileMode = 0o100644
  static let directoryMode = 0o040755
  static let directoryAttribute = 0x10

  /// The first entry of a packed document, and what it holds.
  static let typeName = "mimetype"
  /// The name of the file without which a folder is no document (spec §7.2.1).
  static let manifestName = "manifest.json"
  static let type = "application/vnd.quire.document+zip"

  /// What the bytes of stored entries begin at a multiple of (spec §8.3.4).
  static let alignment = 4096
}

/// The largest values that fields of two and four bytes hold by themselves; these and larger ones have a
/// field of eight bytes in addition (spec §8.3.6). Tests take smaller ones.
struct FieldLimits: Sendable {
  var count = 0xFFFF
  var byteCount = 0xFFFF_FFFF
}

extension [UInt8] {
  /// Appends the value's lowest bytes, the lowest first.
  mutating func append(_ value: Int, byteCount: Int) {
    for place in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
  }

  /// The number of two bytes at `offset`, which the caller knows to be there.
  func int16(at offset: Int) -> Int { int(at: offset, byteCount: 2) }

  /// The number of four bytes at `offset`, which the caller knows to be there.
  func int32(at offset: Int) -> Int { int(at: offset, byteCount: 4) }

  /// The number of eight bytes at `offset`, which the caller knows to be there; one too large to be a size
  /// is the largest there is, which is no size of anything.
  func int64(at offset: Int) -> Int {
    self[offset + 7] & 0x80 == 0 ? int(at: offset, byteCount: 8) : Int.max
  }

  private func int(at offset: Int, byteCount: Int) -> Int {
    (0..<byteCount).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
  }
}
