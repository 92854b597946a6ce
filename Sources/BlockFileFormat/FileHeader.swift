package import DurableFiles
package import Foundation
import ObjectModel
package import Rows

/// The first bytes of a block file (spec §4.2). After the file is created, writers change only the slots and the place.
package struct FileHeader: Equatable {
  package var uuid: UUID
  /// A random number that every trailer repeats. Bytes of a value that look like a trailer are therefore not taken for
  /// one.
  package var salt: UInt64
  package var isCompressed: Bool { flags & 1 != 0 }
  /// Properties of the file as single bits.
  package private(set) var flags: UInt16
  /// The version of the format in which the file was written.
  package private(set) var majorVersion = BlockFile.majorVersion
  package private(set) var minorVersion = BlockFile.minorVersion
  /// The features that the file uses. A file that replaces this one keeps them.
  package private(set) var features: [FormatFeature] = []
  /// The bytes of the features, which follow the other bytes of the header (spec §4.2.5).
  package private(set) var featureArea: [UInt8] = []
  /// The slots that name acknowledged commits.
  package private(set) var slots = AcknowledgementSlots()
  /// The place on the disk of the file that its writer made, as ``mark(of:)`` gives it; 0 if it was not recorded. A
  /// file at another place is a copy.
  package var place: UInt32 = 0

  /// The number of bytes of the header with its features. The first commit begins after them.
  package var byteCount: Int { BlockFile.headerByteCount + featureArea.count }

  /// The bytes of a header with empty slots.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(BlockFile.magic)
    writer.append(majorVersion)
    writer.append(minorVersion)
    writer.append(flags)
    writer.append(UInt16(featureArea.count))
    writer.append(uuid.bytes)
    writer.append(salt)
    writer.append(zeros: FileHeader.changingBytes.count)
    BlockFile.seal(&writer)
    return writer.bytes + featureArea
  }

  /// Returns the bytes of the header, with a first slot that acknowledges a commit.
  ///
  /// - Parameters:
  ///   - trailer: The trailer of the acknowledged commit.
  ///   - fileByteCount: The minimum size of the file.
  package func bytes(acknowledging trailer: Trailer, fileByteCount: UInt64) -> [UInt8] {
    var bytes = bytes
    let slot = AcknowledgementSlots.Name(
      trailer: trailer.offset, fileByteCount: fileByteCount
    ).bytes(salt: salt)
    let start = AcknowledgementSlots.offset
    bytes.replaceSubrange(start..<start + slot.count, with: slot)
    bytes.replaceSubrange(FileHeader.placeBytes, with: FileHeader.bytes(ofPlace: place))
    return bytes
  }

  /// The bytes of the header that contain the place.
  package static let placeBytes =
    AcknowledgementSlots.range.upperBound..<AcknowledgementSlots.range.upperBound + 4
  /// The bytes that may change after the file is created: the slots and the place. The checksum takes them as zeros.
  private static let changingBytes = AcknowledgementSlots.offset..<placeBytes.upperBound

  /// Returns the bytes of a place in the header.
  package static func bytes(ofPlace place: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: place >> ($0 * 8)) }
  }

  /// Returns the number by which the header of this file records a place (spec §4.2.6).
  ///
  /// The salt is a part of the number, so the header does not reveal the place itself.
  package func mark(of place: FilePlace) -> UInt32 {
    var writer = ByteWriter()
    writer.append(salt)
    writer.append(place.inode)
    writer.append(place.birthNanoseconds)
    return writer.bytes.checksum
  }

  /// Returns the checksum of a header's bytes, which leaves the bytes that change out (spec §4.2.1).
  package static func checksum(of header: [UInt8]) -> UInt32 {
    lasting(header).prefix(BlockFile.headerByteCount - 4).map { $0 }.checksum
  }

  /// Returns the bytes of a header with zeros for the slots and the place.
  package static func lasting(_ header: [UInt8]) -> [UInt8] {
    var bytes = header
    for index in changingBytes where index < bytes.count { bytes[index] = 0 }
    return bytes
  }

  /// Returns whether the bytes of a header match their checksum.
  package static func isSealed(_ header: [UInt8]) -> Bool {
    BlockFile.isSealed(Array(lasting(header).prefix(BlockFile.headerByteCount)))
  }

  /// - Parameter former: The header of the file that the new one replaces.
  package init(
    uuid: UUID, salt: UInt64, isCompressed: Bool, keepingFeaturesOf former: FileHeader? = nil
  ) {
    self.uuid = uuid
    self.salt = salt
    flags = isCompressed ? 1 : 0
    features = former?.features ?? []
    featureArea = former?.featureArea ?? []
  }

  /// Parses the header.
  ///
  /// - Parameter bytes: The first ``BlockFile/mostHeaderByteCount`` bytes of the file, or the whole file.
  /// - Returns: `nil` if the bytes are not those of a block file at all.
  ///
  /// - Throws: ``FormatFault`` if the bytes are those of a block file, and damaged.
  package init?(_ bytes: [UInt8]) throws(FormatFault) {
    guard bytes.starts(with: BlockFile.magic) else { return nil }
    var reader = ByteReader(bytes, at: 0)
    try reader.skip(8)
    let majorVersion = try reader.next(UInt16.self)
    if majorVersion > BlockFile.majorVersion {
      // A later version may use the following bytes for anything.
      self.init(uuid: UUID(), salt: 0, isCompressed: false)
      self.majorVersion = majorVersion
      return
    }
    guard bytes.count >= BlockFile.headerByteCount, FileHeader.isSealed(bytes) else {
      throw FormatFault("The file's header does not match its checksum.")
    }
    try self.init(unchecked: bytes)
    guard majorVersion >= 1 else {
      throw FormatFault("The format version is 0, which is not valid.")
    }
    try readFeatures(bytes)
    // A feature that this version refuses may define further flags.
    guard hasKnownFlags || features.areRefused else {
      throw FormatFault("The header's flags \(flags) are unknown.")
    }
  }

  /// Reads the fields without checking them.
  package init(unchecked bytes: [UInt8]) throws(FormatFault) {
    var reader = ByteReader(bytes, at: 0)
    try reader.skip(8)
    majorVersion = try reader.next(UInt16.self)
    minorVersion = try reader.next(UInt16.self)
    flags = try reader.next(UInt16.self)
    try reader.skip(2)
    uuid = UUID(bytes: try reader.take(16))!
    salt = try reader.next(UInt64.self)
    try reader.skip(AcknowledgementSlots.range.count)
    slots = AcknowledgementSlots(inHeader: bytes, salt: salt)
    place = try reader.next(UInt32.self)
  }

  /// Reads the features, which follow the other bytes of the header (spec §4.2.5).
  ///
  /// - Parameter bytes: The first bytes of the file, at least ``BlockFile/headerByteCount``.
  package mutating func readFeatures(_ bytes: [UInt8]) throws(FormatFault) {
    let start = BlockFile.headerByteCount
    let byteCount = Int(bytes[14]) | Int(bytes[15]) << 8
    guard byteCount > 0 else { return }
    let limit = min(bytes.count, BlockFile.mostHeaderByteCount)
    guard byteCount % 8 == 0, start + byteCount <= limit else {
      throw FormatFault("The header's features can't have \(byteCount) bytes.")
    }
    let area = Array(bytes[start..<start + byteCount])
    guard BlockFile.isSealed(area) else {
      throw FormatFault("The header's features do not match their checksum.")
    }
    var found: [FormatFeature] = []
    var rest = area.dropLast(4)
    while let number = rest.first, number != 0 {
      rest = rest.dropFirst()
      let length = Int(rest.popFirst() ?? 0)
      let name = rest.prefix(length)
      let kind: FormatFeature.Class = number == 1 ? .ignore : number == 2 ? .read : .refuse
      guard name.count == length,
        let feature = FormatFeature(String(decoding: name, as: UTF8.self), kind)
      else { throw FormatFault("The header contains a feature without a valid name.") }
      found.append(feature)
      rest = rest.dropFirst(length)
    }
    guard rest.allSatisfy({ $0 == 0 }) else {
      throw FormatFault("Bytes after the header's features are not zero.")
    }
    (features, featureArea) = (found, area)
  }

  /// Whether this version knows the flags.
  package var hasKnownFlags: Bool { flags <= 1 }
}
