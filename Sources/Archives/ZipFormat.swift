/// The signatures of the records in a zip archive, and the values that packed documents use.
///
/// The names of the fields follow PKWARE's APPNOTE.TXT, version 6.3.10.
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
  /// The kind of the extra field that aligns an entry's data, as Android uses it.
  static let alignmentField = 0xD935
  /// The kind of the extra field with an ``ArchivePlace``: the letters "Qr".
  static let placeField = 0x7251

  static let encryptedFlag = 1 << 0
  static let descriptorFlag = 1 << 3
  static let nameIsUTF8Flag = 1 << 11
  /// The flags that a reader accepts. Two of them only record the level of compression.
  static let knownFlags = descriptorFlag | nameIsUTF8Flag | 1 << 1 | 1 << 2

  /// Versions of the format times ten: with folders and deflate, and with sizes of eight bytes.
  static let version = 20
  static let version64 = 45
  /// The system that defines an entry's permissions: Unix.
  static let unix = 3

  /// 1980-01-01 00:00:00, the earliest time that the format can express.
  static let time = 0
  static let date = 1 << 5 | 1

  static let fileMode = 0o100644
  static let directoryMode = 0o040755
  static let directoryAttribute = 0x10

  /// The name of the first entry of a packed document, which contains ``type``.
  static let typeName = "mimetype"
  /// The name of the manifest, which every document's folder has (spec §7.2.1).
  static let manifestName = "manifest.json"
  static let type = "application/vnd.quire.document+zip"

  /// The alignment of the data of stored entries (spec §8.3.4).
  static let alignment = 4096
}

/// The sizes from which an archive is written in another way. Tests use smaller limits.
struct PackingLimits: Sendable {
  /// Values of fields with two and four bytes from these on are in an additional field of eight bytes (spec §8.3.6).
  var count = 0xFFFF
  var byteCount = 0xFFFF_FFFF
  /// The greatest size of a file that is deflated although it is not text (spec §8.3.3).
  var smallByteCount = 1 << 20
}

extension [UInt8] {
  /// Appends the value's lowest bytes, the lowest first.
  mutating func append(_ value: Int, byteCount: Int) {
    for place in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
  }

  /// Returns the number of two bytes at `offset`. The array must contain these bytes.
  func int16(at offset: Int) -> Int { int(at: offset, byteCount: 2) }

  /// Returns the number of four bytes at `offset`. The array must contain these bytes.
  func int32(at offset: Int) -> Int { int(at: offset, byteCount: 4) }

  /// Returns the number of eight bytes at `offset`. The array must contain these bytes. A number too large for `Int`
  /// becomes `Int.max`, which is never a valid size.
  func int64(at offset: Int) -> Int {
    self[offset + 7] & 0x80 == 0 ? int(at: offset, byteCount: 8) : Int.max
  }

  private func int(at offset: Int, byteCount: Int) -> Int {
    (0..<byteCount).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
  }
}
