import Checksums
package import Rows

/// The two slots of the header, which name acknowledged commits (spec §4.2.4).
///
/// After the sync of each commit, a writer writes one of the slots in turn. A slot may therefore be behind the last
/// acknowledged commit, and never ahead of it.
package struct AcknowledgementSlots: Equatable {
  /// The contents of one slot.
  package enum Slot: Equatable {
    /// Ten zero bytes.
    case empty
    /// The offset of the trailer of an acknowledged commit.
    case trailer(UInt64)
    /// Bytes that do not match their checksum.
    case damaged
  }

  /// The slots in the order of the file.
  package private(set) var slots: [Slot]

  /// The offset of the first slot in the file.
  package static let offset = 40
  package static let slotByteCount = 10
  package static let slotCount = 2
  /// The bytes of the header that contain the slots.
  package static let range = offset..<offset + slotCount * slotByteCount
  /// The highest offset that a slot can contain.
  package static let highestOffset: UInt64 = 1 << 48 - 1

  /// Creates empty slots.
  package init() { slots = Array(repeating: .empty, count: Self.slotCount) }

  /// Parses the slots.
  ///
  /// - Parameter header: The bytes of the whole header.
  package init(inHeader header: [UInt8], salt: UInt64) {
    slots = (0..<Self.slotCount).map { index in
      let start = Self.offset + index * Self.slotByteCount
      let bytes = header[start..<start + Self.slotByteCount]
      if bytes.allSatisfy({ $0 == 0 }) { return .empty }
      let offset = bytes.prefix(6).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return bytes.elementsEqual(Self.bytes(namingTrailerAt: offset, salt: salt))
        ? .trailer(offset) : .damaged
    }
  }

  /// Returns the bytes of a slot that names the commit with the given trailer.
  ///
  /// - Parameter salt: The salt of the header, so that a slot of another file does not match.
  package static func bytes(namingTrailerAt offset: UInt64, salt: UInt64) -> [UInt8] {
    var checked = ByteWriter()
    checked.append(salt)
    checked.append(UInt32(truncatingIfNeeded: offset))
    checked.append(UInt16(truncatingIfNeeded: offset >> 32))
    var slot = ByteWriter()
    slot.append(Array(checked.bytes[8...]))
    slot.append(checked.bytes.checksum)
    return slot.bytes
  }

  /// The offset of the newest trailer that a slot names; `nil` if no slot names one.
  package var newestTrailer: UInt64? {
    slots.compactMap { slot in
      if case .trailer(let offset) = slot { offset } else { nil }
    }.max()
  }

  /// Whether the slots can distinguish a save that a crash cut off from a damaged one.
  ///
  /// A damaged slot may have named a newer commit than the intact slot.
  package var areSound: Bool { newestTrailer != nil && !slots.contains(.damaged) }

  /// The reason why a reader refuses the file; `nil` if there is none (spec §4.2.4).
  package var fault: FormatFault? {
    guard slots.allSatisfy({ $0 == .empty }) else { return nil }
    return FormatFault(
      "Both slots of the header are empty, but every file names its first commit in a slot.")
  }

  /// The offset in the file of the slot for the next acknowledged commit. The slot that names the newest commit is
  /// never replaced.
  package var offsetOfNext: Int {
    let newest = newestTrailer
    let index =
      slots.firstIndex(of: .damaged) ?? slots.firstIndex(of: .empty)
      ?? slots.firstIndex { $0 != .trailer(newest!) } ?? 0
    return Self.offset + index * Self.slotByteCount
  }
}
