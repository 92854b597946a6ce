import BlockFileFormat
import Deflate
import Rows
import StoreInterface

extension ColumnCheck {
  /// Checks the references in place of values outside of the block (spec §3.4.9).
  ///
  /// - Returns: The references; empty if any reference has an error.
  func checkReferences(
    _ bitmaps: Bitmaps, _ values: (Int) -> Range<Int>
  ) -> [OutsideReference] {
    func bit(_ bitmap: Range<Int>, _ row: Int) -> Bool {
      block.bytes[bitmap.lowerBound + row / 8] >> UInt8(row % 8) & 1 != 0
    }
    guard !bitmaps.outside.isEmpty else { return [] }
    let before = block.findings.errorCount
    var references: [OutsideReference] = []
    var byteCount = 0
    for row in 0..<rowCount where bit(bitmaps.outside, row) {
      if !bitmaps.presence.isEmpty && !bit(bitmaps.presence, row)
        || !bitmaps.given.isEmpty && !bit(bitmaps.given, row)
      {
        add(
          .outsideNothing, row: row,
          "The row has no value, but is marked as a row with a value outside of the block.")
        continue
      }
      guard let reference = reference(values(row), row) else { continue }
      references.append(reference)
      byteCount += reference.byteCount
    }
    if references.count > 1, byteCount > OutsideReference.maximumColumnByteCount {
      add(
        .outsideMeasure,
        "The column's \(references.count) values outside of the block have \(byteCount) bytes.")
    }
    return block.findings.errorCount == before ? references : []
  }

  private func reference(_ place: Range<Int>, _ row: Int) -> OutsideReference? {
    let bytes = Array(block.bytes[place])
    guard bytes.count == OutsideReference.referenceByteCount else {
      add(.outsideReference, row: row, "The reference has \(bytes.count) bytes.")
      return nil
    }
    let offset = bytes.number(UInt64.self, at: 0)
    let byteCount = bytes.number(UInt64.self, at: 8)
    let stored = bytes.number(UInt64.self, at: 16)
    let most = UInt64(OutsideReference.maximumByteCount)
    guard let codec = OutsideReference.Codec(rawValue: bytes[28]), byteCount <= most,
      stored <= most,
      codec == .zlib
        ? byteCount <= UInt64(Deflate.mostBytes(from: Int(stored))) : byteCount == stored
    else {
      add(
        .outsideReference, row: row,
        "A value of \(byteCount) bytes can't have \(stored) stored bytes with codec \(bytes[28]).")
      return nil
    }
    if bytes[29...].contains(where: { $0 != 0 }) {
      add(.reservedBytes, row: row, "Reserved bytes of the reference are not zero.")
    }
    let limit = block.entry.offset
    guard offset % 8 == 0, offset >= UInt64(BlockFile.headerByteCount), offset <= limit,
      stored <= limit - offset
    else {
      add(
        .outsidePlace, row: row,
        "A value of \(stored) bytes at \(offset) is not between the header and the block at \(limit)."
      )
      return nil
    }
    return OutsideReference(
      offset: offset, byteCount: Int(byteCount), storedByteCount: Int(stored),
      checksum: bytes.number(UInt32.self, at: 24), codec: codec)
  }
}
