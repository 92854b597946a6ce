import Rows
import StoreInterface

extension BlockCheck {
  /// Checks the directory (spec §3.3.4).
  ///
  /// - Returns: The columns with sound entries.
  func directory(_ header: Header) -> [ColumnEntry] {
    var sound: [ColumnEntry] = []
    var offset = BlockFormat.headerByteCount
    var last: UInt16?
    for _ in 0..<header.columnCount {
      guard offset + BlockFormat.entryByteCount <= header.headerByteCount else {
        findings.add(
          .directoryEnd, place,
          "\(header.columnCount) columns do not fit into the \(header.headerByteCount) bytes of the block's header."
        )
        return sound
      }
      let number = bytes.number(UInt16.self, at: offset + BlockFormat.Entry.number)
      guard let column = entry(at: &offset, number, end: header.headerByteCount) else {
        // The encoding determines the length of the entry, so the next entry can't be found without it.
        return sound
      }
      if let last, last >= number {
        findings.add(.columnOrder, at(column), "The column comes after column \(last).")
      }
      last = max(number, last ?? 0)
      if check(column, header) { sound.append(column) }
    }
    if offset != header.headerByteCount {
      findings.add(
        .directoryEnd, place,
        "The directory ends at \(offset), but the header gives \(header.headerByteCount).")
    } else if last != LayoutColumn.Number.key {
      findings.add(.keyColumn, place, "The block has no column of keys.")
    }
    return sound
  }

  func at(_ column: ColumnEntry, row: Int? = nil) -> Place { at(column.number, row: row) }

  func at(_ column: UInt16, row: Int? = nil) -> Place {
    var place = place
    place.column = column
    place.row = row
    return place
  }

  /// Parses the entry at an offset, and moves the offset behind the entry's parameters.
  private func entry(at offset: inout Int, _ number: UInt16, end: Int) -> ColumnEntry? {
    let kind = bytes[offset + BlockFormat.Entry.kind]
    let encoding = bytes[offset + BlockFormat.Entry.encoding]
    guard let kind = ColumnKind(rawValue: kind) else {
      findings.add(.columnKind, at(number), "The column's kind \(kind) is unknown.")
      return nil
    }
    guard let encoding = ColumnEncoding(rawValue: encoding), encoding != .slots else {
      findings.add(.columnEncoding, at(number), "The column's encoding \(encoding) is unknown.")
      return nil
    }
    var column = ColumnEntry(number: number, kind: kind)
    column.encoding = encoding
    column.width = bytes[offset + BlockFormat.Entry.width]
    column.offsetWidth = bytes[offset + BlockFormat.Entry.offsetWidth]
    column.flags = ColumnFlags(rawValue: bytes[offset + BlockFormat.Entry.flags])
    column.scale = bytes[offset + BlockFormat.Entry.scale]
    column.chunkOffset = bytes.number(UInt32.self, at: offset + BlockFormat.Entry.chunkOffset)
    column.bodyByteCount = bytes.number(UInt32.self, at: offset + BlockFormat.Entry.bodyByteCount)
    column.checksum = bytes.number(UInt32.self, at: offset + BlockFormat.Entry.checksum)
    column.dictionaryCount = bytes.number(
      UInt32.self, at: offset + BlockFormat.Entry.dictionaryCount)
    guard offset + column.byteCount <= end else {
      findings.add(.directoryEnd, at(number), "The directory ends within the column's parameters.")
      return nil
    }
    offset += BlockFormat.entryByteCount
    func parameter() -> Int64 {
      defer { offset += 8 }
      return bytes.number(Int64.self, at: offset)
    }
    if column.hasBase { column.base = parameter() }
    if column.hasStep { column.step = parameter() }
    if column.hasOffsets {
      column.offsetBase = parameter()
      column.offsetStep = parameter()
    }
    return column
  }

  /// Checks a column's entry on its own.
  private func check(_ column: ColumnEntry, _ header: Header) -> Bool {
    let before = findings.errorCount
    let known: ColumnFlags = [.presence, .nothing, .sloped, .given, .outside]
    if !column.flags.isSubset(of: known) {
      findings.add(.columnFlags, at(column), "The flags are \(column.flags.rawValue).")
    } else if column.flags.contains(.given), !header.flags.contains(.changes) {
      findings.add(
        .columnFlags, at(column),
        "The column leaves values to the rows beneath, but the block's rows are whole.")
    } else if column.flags.contains(.outside), column.kind != .binary || column.encoding != .bytes {
      findings.add(
        .columnFlags, at(column),
        "The column's values are outside of the block, but its kind is \(column.kind.rawValue) "
          + "with encoding \(column.encoding.rawValue).")
    }
    if column.flags.contains(.nothing) {
      if !column.flags.isDisjoint(with: [.presence, .sloped, .outside])
        || column.encoding != .integer
        || column.width != 0 || column.offsetWidth != 0 || column.scale != 0
        || column.dictionaryCount != 0
      {
        findings.add(
          .emptyColumn, at(column),
          "No row has a value, but the column has encoding \(column.encoding.rawValue), width "
            + "\(column.width) and flags \(column.flags.rawValue).")
      }
    } else {
      checkEncoding(column, header)
    }
    checkNumber(column)
    checkChunk(column, header)
    return findings.errorCount == before
  }

  private func checkNumber(_ column: ColumnEntry) {
    if column.number > LayoutColumn.Number.highestProperty,
      column.number >= LayoutColumn.Number.object
    {
      if column.kind != .int64 || !column.flags.isDisjoint(with: [.presence, .nothing, .given]) {
        findings.add(
          .ownColumns, at(column),
          "The column has the kind \(column.kind.rawValue) and the flags \(column.flags.rawValue).")
      }
    } else if column.number == 0 || column.number > LayoutColumn.Number.highestProperty {
      findings.add(.columnNumber, at(column), "No property has the number \(column.number).")
    }
  }

  private func checkChunk(_ column: ColumnEntry, _ header: Header) {
    let start = Int(column.chunkOffset)
    let isInPlace =
      column.bodyByteCount == 0
      ? start == 0
      : start >= header.headerByteCount && start % 8 == 0
        && start + column.chunkByteCount <= bytes.count
    if !isInPlace {
      findings.add(
        .chunkPlace, at(column),
        "The column's \(column.bodyByteCount == 0 ? 0 : column.chunkByteCount) bytes can't be at "
          + "\(start) of the block's \(bytes.count) bytes.")
    }
  }

  /// Checks that a column's encoding is legal for its kind (spec §3.4).
  private func checkEncoding(_ column: ColumnEntry, _ header: Header) {
    let kind = column.kind
    let isInteger = [0, 1, 2, 4, 8].contains(column.width)
    let isLegal: Bool =
      switch column.encoding {
      case .integer:
        kind.family == .integers && isInteger
          && (kind != .boolean
            || (column.width == 0 && !column.hasStep && (0...1).contains(column.base)))
      case .scaled:
        isInteger
          && (kind == .decimal ? column.scale <= 18 : kind.family == .reals && column.scale <= 4)
      case .real: kind.family == .reals && column.width == (kind == .float ? 4 : 8)
      case .bits: kind == .boolean && column.width == 0
      case .bytes: kind.family == .bytes && kind != .uuid && column.width == 0
      case .dictionary:
        kind.family == .bytes && kind != .uuid && [0, 1, 2, 4].contains(column.width)
          && column.dictionaryCount >= 1 && Int(column.dictionaryCount) <= header.rowCount
      case .fixed: kind == .uuid && column.width == 16
      case .slots: false
      }
    if !isLegal || (column.hasOffsets && ![0, 1, 2, 4, 8].contains(column.offsetWidth)) {
      findings.add(
        .columnEncoding, at(column),
        "Encoding \(column.encoding.rawValue) with width \(column.width), offset width "
          + "\(column.offsetWidth), scale \(column.scale) and \(column.dictionaryCount) entries is "
          + "not legal for kind \(kind.rawValue).")
    }
    if (column.encoding != .scaled && column.scale != 0)
      || (column.encoding != .dictionary && column.dictionaryCount != 0)
      || (!column.hasOffsets && column.offsetWidth != 0)
      || (!column.hasBase && column.flags.contains(.sloped))
    {
      findings.add(
        .columnFields, at(column),
        "The column has scale \(column.scale), offset width \(column.offsetWidth), "
          + "\(column.dictionaryCount) entries and flags \(column.flags.rawValue), but some of "
          + "them have no meaning for encoding \(column.encoding.rawValue).")
    }
  }
}
