extension WordSplitter {
  /// Splits off the next word or run of a script without spaces, or passes over other scalars up to the next ASCII.
  ///
  /// Returns the place to go on, or `nil` if the closure ends the splitting.
  mutating func splitScalars(
    _ text: Span<UInt8>, from start: Int, _ body: (Span<UInt8>, WordLocation) -> Bool
  ) -> Int? {
    let table = ScalarTable.shared
    var place = start
    repeat {
      let (scalar, next) = Self.scalar(text, at: place)
      switch table[scalar].kind {
      case .letter, .hebrewLetter, .digit: return splitWord(text, from: place, table, body)
      case .unspaced: return splitRun(text, from: place, table, body)
      default: place = next
      }
    } while place < text.count && text[place] >= 0x80
    return place
  }

  /// Returns the scalar at a place and the place after it. An invalid byte counts as U+FFFD.
  @inline(__always)
  static func scalar(_ text: Span<UInt8>, at place: Int) -> (scalar: UInt32, next: Int) {
    let first = text[place]
    if first < 0x80 { return (UInt32(first), place + 1) }
    return longScalar(text, at: place, first)
  }

  @inline(__always)
  private static func longScalar(
    _ text: Span<UInt8>, at place: Int, _ first: UInt8
  ) -> (scalar: UInt32, next: Int) {
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    guard 0xC2..<0xF5 ~= first, place + count < text.count else { return (0xFFFD, place + 1) }
    var scalar = UInt32(first) & (count == 3 ? 0x07 : count == 2 ? 0x0F : 0x1F)
    for index in 1...count {
      let byte = text[place + index]
      guard byte & 0xC0 == 0x80 else { return (0xFFFD, place + 1) }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    // A scalar in more bytes than it needs must not be found, and surrogates and numbers above the last scalar neither.
    let least: UInt32 = count == 3 ? 0x1_0000 : count == 2 ? 0x800 : 0x80
    guard scalar >= least, scalar < 0x11_0000, !(0xD800..<0xE000 ~= scalar) else {
      return (0xFFFD, place + 1)
    }
    return (scalar, place + count + 1)
  }

  // MARK: - Words

  private mutating func splitWord(
    _ text: Span<UInt8>, from start: Int, _ table: ScalarTable,
    _ body: (Span<UInt8>, WordLocation) -> Bool
  ) -> Int? {
    buffer.clear()
    var place = start
    var end = start
    // The last letter, digit or connector, and the punctuation after it.
    var last = ScalarClass.connector
    var joint: ScalarClass?
    scan: while place < text.count {
      let (scalar, next) = Self.scalar(text, at: place)
      let entry = table[scalar]
      switch entry.kind {
      case .letter, .hebrewLetter, .digit:
        if let joint, !Self.joins(last, joint, entry.kind) { break scan }
        buffer.add(scalar, entry, table)
        buffer.markSolid()
        last = entry.kind
        joint = nil
        end = next
      case .mark, .spacingMark, .ignored:
        // Marks on punctuation within a word are left out.
        if joint == nil, last != .connector {
          if entry.kind != .ignored { buffer.addMark(scalar, entry, table) }
          buffer.markSolid()
          end = next
        }
      case .connector:
        if joint != nil { break scan }
        buffer.add(scalar, entry, table)
        last = .connector
      case .apostrophe, .letterDot, .numberSeparator, .quotationMark:
        guard joint == nil, Self.accepts(entry.kind, after: last) else { break scan }
        buffer.add(scalar, entry, table)
        joint = entry.kind
      case .unspaced, .other: break scan
      }
      place = next
    }
    let byteCount = buffer.write(Self.scalarLimit, into: &bytes, at: 0, table)
    guard body(bytes.span.extracting(first: byteCount), location(start..<end, byteCount)) else {
      return nil
    }
    position += 1
    return place
  }

  /// Returns whether punctuation may join a class to another one.
  @inline(__always)
  private static func accepts(_ joint: ScalarClass, after last: ScalarClass) -> Bool {
    switch joint {
    case .apostrophe: last != .connector
    case .letterDot: last == .letter || last == .hebrewLetter
    case .numberSeparator: last == .digit
    default: last == .hebrewLetter
    }
  }

  /// Returns whether punctuation, which is accepted after one class, joins it to the next class.
  private static func joins(
    _ last: ScalarClass, _ joint: ScalarClass, _ next: ScalarClass
  ) -> Bool {
    if joint == .quotationMark { return next == .hebrewLetter }
    return (last == .digit) == (next == .digit)
  }

  // MARK: - Scripts without spaces

  private mutating func splitRun(
    _ text: Span<UInt8>, from start: Int, _ table: ScalarTable,
    _ body: (Span<UInt8>, WordLocation) -> Bool
  ) -> Int? {
    var place = start
    // The character before this one. Its bytes are at the start of the buffer.
    var head = start..<start
    var headByteCount = 0
    while place < text.count {
      let unitStart = place
      let (scalar, next) = Self.scalar(text, at: place)
      let entry = table[scalar]
      guard entry.kind == .unspaced else { break }
      place = readUnit(text, from: next, scalar, entry, table)
      let byteCount = buffer.write(Self.unitScalarLimit, into: &bytes, at: headByteCount, table)
      if headByteCount > 0 {
        let location = WordLocation(
          position: position, range: head.lowerBound..<place, kind: .pair,
          headEnd: head.upperBound, headByteCount: headByteCount)
        guard body(bytes.span.extracting(first: byteCount), location) else { return nil }
        position += 1
        for index in headByteCount..<byteCount { bytes[index - headByteCount] = bytes[index] }
      }
      headByteCount = byteCount - headByteCount
      head = unitStart..<place
    }
    let location = WordLocation(
      position: position, range: head, kind: .last, headEnd: head.upperBound,
      headByteCount: headByteCount)
    guard body(bytes.span.extracting(first: headByteCount), location) else { return nil }
    position += 1
    return place
  }

  /// Reads a character and its marks into the buffer, and returns the place after them.
  private mutating func readUnit(
    _ text: Span<UInt8>, from start: Int, _ scalar: UInt32, _ entry: ScalarTable.Entry,
    _ table: ScalarTable
  ) -> Int {
    buffer.clear()
    buffer.add(scalar, entry, table)
    var place = start
    while place < text.count {
      let (scalar, next) = Self.scalar(text, at: place)
      let entry = table[scalar]
      switch entry.kind {
      case .mark, .spacingMark: buffer.addMark(scalar, entry, table)
      case .ignored: break
      default:
        buffer.markSolid()
        return place
      }
      place = next
    }
    buffer.markSolid()
    return place
  }
}
