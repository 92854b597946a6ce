import BlockFileFormat
import DurableFiles
import ObjectModel
import Rows
import StoreInterface

/// The check of one block's bytes (spec §3.3) against its entry and the clauses of the specification.
struct BlockCheck {
  let bytes: [UInt8]
  let entry: BlockEntry
  let place: Place
  let findings: Findings
  /// The valid references to values outside of the block.
  private(set) var references: [OutsideReference] = []
  /// The number of bytes that these values have in the file.
  private(set) var outsideByteCount: UInt64 = 0

  init(_ bytes: [UInt8], _ entry: BlockEntry, _ place: Place, _ findings: Findings) {
    self.bytes = bytes
    self.entry = entry
    self.place = place
    self.findings = findings
  }

  /// Checks the whole block.
  ///
  /// - Parameters:
  ///   - isIndex: Whether the rows are entries of an index.
  ///   - checksColumns: Whether the bytes of columns are checked.
  ///   - newest: The number of the newest commit.
  /// - Returns: The columns with sound entries.
  mutating func run(isIndex: Bool, checksColumns: Bool, newest: Int64) -> [ColumnEntry] {
    guard let header = header() else { return [] }
    let columns = directory(header)
    for column in columns where checksColumns {
      let found = ColumnCheck(self, column, rowCount: header.rowCount).run(
        header, versions: 1...max(1, entry.version > 0 ? entry.version : newest))
      references += found
      for reference in found { outsideByteCount += UInt64(reference.storedByteCount) }
    }
    // Index entries are not versioned (spec §4.5.6).
    if entry.version == 0, !isIndex,
      !columns.contains(where: { $0.number == LayoutColumn.Number.version })
    {
      findings.add(
        .rowVersion, place,
        "The block's rows have no version, and its entry has no version for them.")
    }
    return columns
  }

  /// The fields of a block's header.
  struct Header {
    var headerByteCount: Int
    var columnCount: Int
    var rowCount: Int
    var minimumKey: UInt64
    var maximumKey: UInt64
    var flags: BlockFlags
  }

  /// Checks the header (spec §3.3.1).
  ///
  /// - Returns: The header; `nil` if the bytes behind the header can't be interpreted.
  private func header() -> Header? {
    typealias Field = BlockFormat.Header
    guard bytes.count >= BlockFormat.headerByteCount else {
      findings.add(.blockCounts, place, "The block has \(bytes.count) bytes, fewer than a header.")
      return nil
    }
    guard bytes.number(UInt32.self, at: Field.magic) == BlockFormat.magic else {
      findings.add(.blockMagic, place, "The block does not begin with the bytes 51 42 4c 4b.")
      return nil
    }
    let headerByteCount = Int(bytes.number(UInt32.self, at: Field.headerByteCount))
    guard headerByteCount >= BlockFormat.headerByteCount, headerByteCount <= bytes.count else {
      findings.add(
        .blockCounts, place,
        "A header of \(headerByteCount) bytes does not fit a block of \(bytes.count) bytes.")
      return nil
    }
    let stored = bytes.number(UInt32.self, at: Field.checksum)
    var sealed = Array(bytes[..<headerByteCount])
    for index in 0..<4 { sealed[Field.checksum + index] = 0 }
    guard sealed.checksum == stored else {
      findings.add(
        .blockChecksum, place,
        "The stored checksum \(hex(stored)) differs from the computed \(hex(sealed.checksum)).")
      return nil
    }
    let header = Header(
      headerByteCount: headerByteCount,
      columnCount: Int(bytes.number(UInt16.self, at: Field.columnCount)),
      rowCount: Int(bytes.number(UInt32.self, at: Field.rowCount)),
      minimumKey: bytes.number(UInt64.self, at: Field.minimumKey),
      maximumKey: bytes.number(UInt64.self, at: Field.maximumKey),
      flags: BlockFlags(rawValue: bytes.number(UInt32.self, at: Field.flags)))
    return check(header) ? header : nil
  }

  private func check(_ header: Header) -> Bool {
    typealias Field = BlockFormat.Header
    if bytes.number(UInt32.self, at: 44) != 0 {
      findings.add(.reservedBytes, place, "Reserved bytes from 44 to 47 of the block are not zero.")
    }
    guard (1...BlockFormat.maximumRowCount).contains(header.rowCount),
      (1...BlockFormat.maximumColumnCount).contains(header.columnCount)
    else {
      findings.add(
        .blockCounts, place,
        "The block has \(header.rowCount) rows and \(header.columnCount) columns.")
      return false
    }
    guard header.minimumKey <= header.maximumKey, header.maximumKey <= ObjectKey.highestNumber,
      header.maximumKey - header.minimumKey >= UInt64(header.rowCount - 1)
    else {
      findings.add(
        .blockKeys, place,
        "The keys \(header.minimumKey) to \(header.maximumKey) have no room for \(header.rowCount) rows."
      )
      return false
    }
    let known: BlockFlags = [.changes, .removals]
    guard header.flags.isSubset(of: known), header.flags != known else {
      findings.add(.blockFlags, place, "The flags are \(header.flags.rawValue).")
      return false
    }
    let entity = bytes.number(UInt16.self, at: Field.entityNumber)
    let byteCount = Int(bytes.number(UInt32.self, at: Field.blockByteCount))
    guard entity == entry.entity, byteCount == Int(entry.blockByteCount),
      header.rowCount == Int(entry.rowCount), header.minimumKey == entry.minimumKey,
      header.maximumKey == entry.maximumKey, header.flags == entry.run.flags
    else {
      findings.add(
        .entryAndHeader, place,
        "The header gives \(header.rowCount) rows of entity \(entity) from \(header.minimumKey) to "
          + "\(header.maximumKey), flags \(header.flags.rawValue), \(byteCount) bytes. The entry "
          + "gives \(entry.rowCount) rows of entity \(entry.entity) from \(entry.minimumKey) to "
          + "\(entry.maximumKey), run \(entry.run.rawValue), \(entry.blockByteCount) bytes.")
      return false
    }
    return true
  }
}

extension [UInt8] {
  /// Returns the little-endian number at an offset. The array must contain all of the number's bytes.
  @inline(__always)
  func number<T: FixedWidthInteger>(_: T.Type, at offset: Int) -> T {
    var value: T = 0
    for index in 0..<T.bitWidth / 8 {
      value |= T(truncatingIfNeeded: self[offset + index]) << T(8 * index)
    }
    return value
  }
}
