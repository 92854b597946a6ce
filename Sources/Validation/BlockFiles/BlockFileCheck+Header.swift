import BlockFileFormat
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks the first bytes (spec §4.2).
  ///
  /// - Returns: The header; `nil` if the bytes behind the header can't be interpreted.
  func header() throws -> FileHeader? {
    let bytes = try bytes(0..<UInt64(min(byteCount, BlockFile.mostHeaderByteCount)))
    let place = Place("header", at: 0)
    guard bytes.starts(with: BlockFile.magic) else {
      format = .unknown
      findings.add(.unknownFormat, Place(), "The first bytes do not belong to a known format.")
      return nil
    }
    guard bytes.count >= BlockFile.headerByteCount,
      var header = try? FileHeader(unchecked: bytes)
    else {
      findings.add(
        .headerChecksum, place,
        "The file has \(bytes.count) bytes, fewer than the \(BlockFile.headerByteCount) bytes of a header."
      )
      return nil
    }
    guard header.majorVersion <= BlockFile.majorVersion else {
      format = .newer
      findings.add(
        .newerFormat, place,
        "The file has format version \(header.majorVersion), but this program knows version "
          + "\(BlockFile.majorVersion).")
      return nil
    }
    guard FileHeader.isSealed(bytes) else {
      findings.add(
        .headerChecksum, place,
        "The stored checksum \(hex(bytes, at: BlockFile.headerByteCount - 4)) differs from the computed "
          + "\(hex(FileHeader.checksum(of: bytes))).")
      // Some fields of the header may be wrong, but most are probably right.
      return header
    }
    if header.majorVersion == 0 {
      findings.add(.majorVersion, place, "The version is 0.")
    }
    guard readFeatures(of: &header, bytes, place) else { return nil }
    if !header.hasKnownFlags {
      findings.add(
        .headerFlags, place, "The flags are \(header.flags), but only the flag 1 is known.")
    }
    for (index, slot) in header.slots.slots.enumerated() where slot == .damaged {
      findings.add(
        .slotChecksum, place,
        "Slot \(index) does not match its checksum. The next save writes the slot again.")
    }
    if let fault = header.slots.fault { findings.add(.emptySlots, place, fault.description) }
    return header
  }

  /// Checks the features of the header (spec §4.2.5).
  ///
  /// - Returns: Whether a program that knows none of the features may read the file.
  private func readFeatures(of header: inout FileHeader, _ bytes: [UInt8], _ place: Place) -> Bool {
    do { try header.readFeatures(bytes) } catch {
      findings.add(.headerFeatures, place, "\(error)")
      return false
    }
    if let objection = header.features.objection(isReading: true) {
      format = .newer
      findings.add(.newerFormat, place, objection)
      return false
    }
    for feature in header.features {
      findings.add(.unknownFeature, place, feature.explanation)
    }
    if !header.featureArea.isEmpty {
      parts.add(.header, UInt64(BlockFile.headerByteCount)..<UInt64(header.byteCount), commit: 0)
    }
    return true
  }
}

extension FormatFeature {
  /// The sentences about an unknown feature in a report.
  var explanation: String {
    let permission = `class` == .read ? "It only reads the file" : "It can ignore the feature"
    return "This program does not know the feature \"\(name)\". \(permission)."
  }
}

/// Returns a checksum in hexadecimal.
func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}

private func hex(_ bytes: [UInt8], at offset: Int) -> String {
  hex((0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) })
}
