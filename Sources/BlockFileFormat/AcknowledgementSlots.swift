package import Rows

/// The two slots of the header, which name acknowledged commits and the size of the file (spec §4.2.4).
///
/// A writer names a commit in one of the slots when it makes, lengthens or closes the file. A slot may therefore be
/// behind the last acknowledged commit, and never ahead of it.
package struct AcknowledgementSlots: Equatable {
  /// The name of a commit in a slot, with the size of the file.
  package struct Name: Equatable {
    /// The offset of the trailer of an acknowledged commit.
    package var trailer: UInt64
    /// The number of bytes that the file has at least.
    package var fileByteCount: UInt64

    package init(trailer: UInt64, fileByteCount: UInt64) {
      self.trailer = trailer
      self.fileByteCount = fileByteCount
    }

    /// Returns the bytes of a slot with this name.
    ///
    /// - Parameter salt: The salt of the header, so that a slot of another file does not match.
    package func bytes(salt: UInt64) -> [UInt8] {
      var checked = ByteWriter()
      checked.append(salt)
      for number in [trailer, fileByteCount] {
        checked.append(UInt32(truncatingIfNeeded: number))
        checked.append(UInt16(truncatingIfNeeded: number >> 32))
      }
      var slot = ByteWriter()
      slot.append(Array(checked.bytes[8...]))
      slot.append(checked.bytes.checksum)
      return slot.bytes
    }
  }

  /// The contents of one slot.
  package enum Slot: Equatable {
    case empty
    /// The name of an acknowledged commit.
    case name(Name)
    /// Bytes that do not match their checksum.
    case damaged
  }

  /// The slots in the order of the file.
  package private(set) var slots: [Slot]

  /// The offset of the first slot in the file.
  package static let offset = 40
  package static let slotByteCount = 16
  package static let slotCount = 2
  /// The bytes of the header that contain the slots.
  package static let range = offset..<offset + slotCount * slotByteCount
  /// The highest offset that a slot can contain.
  package static let highestOffset: UInt64 = 1 << 48 - 1

  package init() { slots = Array(repeating: .empty, count: Self.slotCount) }

  /// Parses the slots.
  ///
  /// - Parameter header: The bytes of the whole header.
  package init(inHeader header: [UInt8], salt: UInt64) {
    slots = (0..<Self.slotCount).map { index in
      let start = Self.offset + index * Self.slotByteCount
      let bytes = header[start..<start + Self.slotByteCount]
      if bytes.allSatisfy({ $0 == 0 }) { return .empty }
      func number(at place: Int) -> UInt64 {
        bytes.dropFirst(place).prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      let name = Name(trailer: number(at: 0), fileByteCount: number(at: 6))
      let isPossible = name.trailer + UInt64(BlockFile.trailerByteCount) <= name.fileByteCount
      return isPossible && bytes.elementsEqual(name.bytes(salt: salt)) ? .name(name) : .damaged
    }
  }

  /// The newest commit that a slot names, and the least size of the file then; `nil` if no slot names a commit. Of two
  /// slots that name the same commit, the one with the smaller size was written later: the file lost its tail.
  package var newest: Name? {
    slots.compactMap { slot in
      if case .name(let name) = slot { name } else { nil }
    }.max {
      $0.trailer == $1.trailer ? $0.fileByteCount > $1.fileByteCount : $0.trailer < $1.trailer
    }
  }

  /// Whether the slots can distinguish a save that a crash cut off from a damaged one.
  ///
  /// A damaged slot may have named a newer commit than the intact slot.
  package var areSound: Bool { newest != nil && !slots.contains(.damaged) }

  /// The reason why a reader refuses the file; `nil` if at least one slot is not empty (spec §4.2.4).
  package var fault: FormatFault? {
    guard slots.allSatisfy({ $0 == .empty }) else { return nil }
    return FormatFault(
      "Both slots of the header are empty, but every file names its first commit in a slot.")
  }

  /// The offset in the file of the slot for the next acknowledged commit. The slot with the newest name is never
  /// replaced.
  package var offsetOfNext: Int {
    let newest = newest.map { Slot.name($0) }
    let index =
      slots.firstIndex(of: .damaged) ?? slots.firstIndex(of: .empty)
      ?? slots.firstIndex { $0 != newest } ?? 0
    return Self.offset + index * Self.slotByteCount
  }
}
