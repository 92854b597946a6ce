/// The place of a value that lies outside of its block, in its own section (spec §3.4.9).
///
/// The block contains the reference instead of the bytes, so rewriting the block does not copy the bytes.
public struct OutsideReference: Sendable, Hashable {
  /// The offset of the section in the file.
  public var offset: UInt64
  /// The byte count of the value.
  public var byteCount: Int
  /// The byte count of the value in the file.
  public var storedByteCount: Int
  /// The CRC-32C of the bytes in the file.
  public var checksum: UInt32
  /// The encoding of the bytes in the file.
  public var codec: Codec

  /// The encoding of a value's bytes in a file.
  public enum Codec: UInt8, Sendable {
    case plain = 0
    /// The bytes are in zlib's format.
    case zlib = 1
  }

  /// Creates a reference to a section at the given place.
  public init(
    offset: UInt64, byteCount: Int, storedByteCount: Int, checksum: UInt32, codec: Codec
  ) {
    self.offset = offset
    self.byteCount = byteCount
    self.storedByteCount = storedByteCount
    self.checksum = checksum
    self.codec = codec
  }
}

extension OutsideReference {
  /// The byte count of a reference in a block.
  package static let referenceByteCount = 32
  /// The byte count of the longest value that may lie outside.
  public static let maximumByteCount = 1 << 30
  /// The maximum total byte count of the outside values of one column in one block. A column with only one outside
  /// value may exceed it. A read of the whole column allocates this much memory.
  package static let maximumColumnByteCount = 1 << 26

  /// The reference's bytes in a block.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append<T: FixedWidthInteger>(_ number: T) {
      for shift in 0..<T.bitWidth / 8 {
        bytes.append(UInt8(truncatingIfNeeded: number >> T(8 * shift)))
      }
    }
    append(offset)
    append(UInt64(byteCount))
    append(UInt64(storedByteCount))
    append(checksum)
    append(UInt32(codec.rawValue))
    return bytes
  }

  /// Parses a reference that is in no column.
  package init(pluginBytes bytes: [UInt8]) throws { try self.init(bytes, column: 0) }

  /// Parses a reference of the given column and checks everything that can be checked without the file.
  init(_ bytes: some RandomAccessCollection<UInt8>, column: UInt16) throws {
    guard bytes.count == OutsideReference.referenceByteCount else {
      throw BlockError.badColumn(
        column, "A reference to a value outside of the block has \(bytes.count) bytes.")
    }
    func number(at offset: Int, _ byteCount: Int) -> UInt64 {
      let start = bytes.index(bytes.startIndex, offsetBy: offset)
      return bytes[start...].prefix(byteCount).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    offset = number(at: 0, 8)
    let (byteCount, storedByteCount) = (number(at: 8, 8), number(at: 16, 8))
    checksum = UInt32(number(at: 24, 4))
    // Offsets 29–31 are reserved. Readers ignore them (spec §3.4.9).
    let codec = number(at: 28, 1)
    guard let codec = Codec(rawValue: UInt8(codec)) else {
      throw BlockError.badColumn(column, "The codec \(codec) is unknown.")
    }
    self.codec = codec
    let most = UInt64(OutsideReference.maximumByteCount)
    guard byteCount <= most, storedByteCount <= most,
      codec == .zlib || byteCount == storedByteCount
    else {
      throw BlockError.badColumn(
        column,
        "A value of \(byteCount) bytes can't have \(storedByteCount) stored bytes.")
    }
    self.byteCount = Int(byteCount)
    self.storedByteCount = Int(storedByteCount)
  }
}

/// The source from which blocks read their outside values: a file.
///
/// Two blocks have their values in the same place exactly when their source is the same object. Then a reference
/// can be copied from one block to the other without reading the value.
public protocol OutsideValues: AnyObject, Sendable {
  /// Fills the memory, which has the reference's `byteCount` bytes, with the value.
  ///
  /// - Throws: The error of the medium when the value can't be read, or an error when the bytes do not match the
  ///   reference.
  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws
}

/// A writer that puts values outside of the blocks of their rows.
package protocol OutsideWriter: AnyObject {
  /// The source of the values after they are written.
  var values: any OutsideValues { get }

  /// Returns whether a value with the given byte count, in the given column of the given entity, is put outside.
  func putsOutside(_ byteCount: Int, column: UInt16, entity: UInt16) throws -> Bool

  /// Adds a value.
  func add(_ value: BlockSlice) throws -> OutsideReference

  /// Adds a value that already lies outside of a block in another place, without reading the value now.
  ///
  /// - Returns: `nil` when the value must be read and passed to ``add(_:)``.
  func add(_ reference: OutsideReference, from values: any OutsideValues) -> OutsideReference?
}
