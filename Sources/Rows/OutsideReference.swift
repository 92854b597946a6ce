/// Where a value is that lies outside of its block, in a section of its own (spec §3.4.9).
///
/// The row's place in the block holds this instead of the bytes, so a block that is written anew does
/// not carry them along.
public struct OutsideReference: Sendable, Hashable {
  /// Where the section begins in the file.
  public var offset: UInt64
  /// How many bytes the value has.
  public var byteCount: Int
  /// How many bytes the file keeps of it.
  public var storedByteCount: Int
  /// The CRC-32C of the bytes that the file keeps.
  public var checksum: UInt32
  /// How the bytes are kept.
  public var codec: Codec

  /// How a value's bytes are kept.
  public enum Codec: UInt8, Sendable {
    /// As they are.
    case plain = 0
    /// In zlib's format.
    case zlib = 1
  }

  /// A reference to a section at the given place.
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
  /// How many bytes a reference takes in a block.
  package static let referenceByteCount = 32
  /// The longest value that may lie outside.
  public static let maximumByteCount = 1 << 30
  /// The most bytes that the values of one column of a block have together, unless it is one alone.
  /// Whoever wants the whole column takes memory for as many.
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

  /// Parses a reference that stands for itself.
  package init(pluginBytes bytes: [UInt8]) throws { try self.init(bytes, column: 0) }

  /// Parses a reference of the given column and checks what can be checked without the file.
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
      throw BlockError.badColumn(column, "There is no codec \(codec).")
    }
    self.codec = codec
    let most = UInt64(OutsideReference.maximumByteCount)
    guard byteCount <= most, storedByteCount <= most,
      codec == .zlib || byteCount == storedByteCount
    else {
      throw BlockError.badColumn(
        column,
        "A value of \(byteCount) bytes, of which the file keeps \(storedByteCount), can't be.")
    }
    self.byteCount = Int(byteCount)
    self.storedByteCount = Int(storedByteCount)
  }
}

/// What the values of blocks are read from that lie outside of them: a file.
///
/// Two blocks have their values in the same place exactly when this is the same object; then
/// references pass from one to the other, and no value is read.
public protocol OutsideValues: AnyObject, Sendable {
  /// Fills the memory, which has the reference's `byteCount` bytes, with the value.
  ///
  /// - Throws: What the medium says when the value can't be read, and when what is there does not match
  ///   the reference.
  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws
}

/// Puts values outside of the blocks whose rows they belong to.
package protocol OutsideWriter: AnyObject {
  /// Where the values will be.
  var values: any OutsideValues { get }

  /// Whether a value of so many bytes, in the given column of the given entity, is put outside.
  func putsOutside(_ byteCount: Int, column: UInt16, entity: UInt16) throws -> Bool

  /// Adds a value.
  func add(_ value: BlockSlice) throws -> OutsideReference

  /// Adds a value that lies outside of a block already, in another place, without reading it now.
  ///
  /// - Returns: `nil` when it must be read, as ``add(_:)`` takes it.
  func add(_ reference: OutsideReference, from values: any OutsideValues) -> OutsideReference?
}
