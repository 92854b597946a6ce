// SAFETY: Rows are counted against the capacity before they are written, and every array has `capacity` places.

import Foundation
import ObjectModel

/// The values of one column that were gathered from drafts and blocks and are not yet encoded.
///
/// The scratch memory has room for the rows of one block and is reused for each column. Integers and bit patterns
/// lie in `words`. Byte strings are spans that point into their original memory, which must stay alive until the
/// column is encoded.
@safe
struct ColumnValues: ~Copyable {
  let capacity: Int
  private(set) var kind = ColumnKind.int64
  private(set) var count = 0
  private(set) var nullCount = 0
  private(set) var absentCount = 0
  let words: UnsafeMutablePointer<Int64>
  let spans: UnsafeMutablePointer<UnsafeRawBufferPointer>
  /// One byte for each row, 1 where the row has a value.
  let present: UnsafeMutablePointer<UInt8>
  /// One byte for each row, 1 where the change gives the value.
  let given: UnsafeMutablePointer<UInt8>
  /// One byte for each row, 1 where the span is a reference to a value outside of the block. Valid only for a
  /// column of bytes.
  let outside: UnsafeMutablePointer<UInt8>
  /// The number of values outside of the block.
  private(set) var outsideCount = 0
  private var arena = Arena()

  init(capacity: Int) {
    self.capacity = capacity
    unsafe words = .allocate(capacity: capacity)
    unsafe spans = .allocate(capacity: capacity)
    unsafe present = .allocate(capacity: capacity)
    unsafe given = .allocate(capacity: capacity)
    unsafe outside = .allocate(capacity: capacity)
  }

  deinit {
    unsafe words.deallocate()
    unsafe spans.deallocate()
    unsafe present.deallocate()
    unsafe given.deallocate()
    unsafe outside.deallocate()
  }

  mutating func begin(_ kind: ColumnKind) {
    self.kind = kind
    count = 0
    nullCount = 0
    absentCount = 0
    outsideCount = 0
    if kind == .binary { unsafe outside.initialize(repeating: 0, count: capacity) }
    arena.removeAll()
  }

  /// Whether no row has a value.
  var isNothing: Bool { nullCount + absentCount == count }

  private mutating func next(isPresent: Bool, isGiven: Bool = true) -> Int {
    precondition(count < capacity, "The block has no room for the rows.")
    // SAFETY: The row is below the capacity.
    unsafe present[count] = isPresent ? 1 : 0
    unsafe given[count] = isGiven ? 1 : 0
    if !isPresent {
      unsafe words[count] = 0
      unsafe spans[count] = UnsafeRawBufferPointer(start: nil, count: 0)
      if isGiven { nullCount += 1 } else { absentCount += 1 }
    }
    count += 1
    return count - 1
  }

  /// Adds rows without a value.
  mutating func appendNull(_ n: Int = 1) {
    for _ in 0..<n { _ = next(isPresent: false) }
  }

  /// Adds rows for which the change gives no value.
  mutating func appendAbsent(_ n: Int = 1) {
    for _ in 0..<n { _ = next(isPresent: false, isGiven: false) }
  }

  /// Adds an integer or a bit pattern.
  mutating func append(word: Int64) {
    let row = next(isPresent: true)
    unsafe words[row] = word
  }

  @unsafe mutating func append(words source: UnsafeBufferPointer<Int64>) {
    precondition(count + source.count <= capacity, "The block has no room for the rows.")
    guard let start = source.baseAddress else { return }
    // SAFETY: The count was checked above.
    unsafe (words + count).update(from: start, count: source.count)
    unsafe (present + count).initialize(repeating: 1, count: source.count)
    unsafe (given + count).initialize(repeating: 1, count: source.count)
    count += source.count
  }

  /// Adds one value.
  ///
  /// - Precondition: The value is of the column's kind, or null.
  mutating func append(_ value: Value) {
    switch (value, kind) {
    case (.null, _): appendNull()
    case (.boolean(let value), .boolean): append(word: value ? 1 : 0)
    case (.integer(let value), _) where kind.content == .integer:
      precondition(kind.integerRange.contains(value), "The number does not fit the column.")
      append(word: value)
    case (.float(let value), .float): append(word: Int64(value.bitPattern))
    case (.double(let value), .double): append(word: Int64(bitPattern: value.bitPattern))
    case (.date(let value), .date):
      append(word: Int64(bitPattern: value.timeIntervalSinceReferenceDate.bitPattern))
    case (.object(let key), .reference): append(word: Int64(bitPattern: key.rawValue))
    case (.string(var text), .string), (.uri(var text), .uri):
      text.withUTF8 { unsafe append(copying: UnsafeRawBufferPointer($0)) }
    case (.binary(let data), .binary):
      unsafe data.withUnsafeBytes { unsafe append(copying: $0) }
    case (.uuid(let uuid), .uuid):
      unsafe withUnsafeBytes(of: uuid.uuid) { unsafe append(copying: $0) }
    case (.decimal(let decimal), .decimal): append(DecimalParts(decimal))
    default: preconditionFailure("The value \(value) is not of the column's kind, \(kind).")
    }
  }

  /// Adds a copy of the given bytes.
  @unsafe mutating func append(copying bytes: UnsafeRawBufferPointer) {
    let row = next(isPresent: true)
    unsafe spans[row] = arena.copy(bytes)
  }

  /// Adds a value that lies outside of the block.
  mutating func append(outside reference: OutsideReference) {
    precondition(kind == .binary, "Only columns of bytes can have values outside of blocks.")
    let row = count
    unsafe reference.bytes.withUnsafeBytes { unsafe append(copying: $0) }
    unsafe outside[row] = 1
    outsideCount += 1
  }

  /// Adds a decimal; `nil` is "not a number".
  mutating func append(_ parts: DecimalParts?) {
    var bytes: [UInt8] = []
    parts?.write(into: &bytes)
    unsafe bytes.withUnsafeBytes { unsafe append(copying: $0) }
  }

  /// Adds `rows` of a column of the same kind, or of a kind that widens to this kind.
  ///
  /// The memory behind `raw` must stay alive until the column is encoded.
  @unsafe mutating func append(from raw: RawColumn, rows: Range<Int>) {
    precondition(count + rows.count <= capacity, "The block has no room for the rows.")
    guard unsafe raw.kind == kind else {
      for row in rows { unsafe appendWidened(raw, row) }
      return
    }
    guard unsafe raw.allHaveValues(rows), unsafe raw.outside == nil,
      unsafe !(kind == .decimal && raw.encoding == .scaled)
    else {
      for row in rows { unsafe appendOne(raw, row) }
      return
    }
    // Every row has a value, so whole runs are copied.
    // SAFETY: The count was checked above, and `rows` are rows of `raw`.
    let first = count
    unsafe (present + first).initialize(repeating: 1, count: rows.count)
    unsafe (given + first).initialize(repeating: 1, count: rows.count)
    count += rows.count
    switch kind.family {
    case .integers: unsafe raw.copyIntegers(rows, into: words + first)
    case .reals: unsafe raw.copyPatterns(rows, into: words + first)
    case .bytes: unsafe raw.copySpans(rows, into: spans + first)
    }
  }

  @unsafe private mutating func appendOne(_ raw: RawColumn, _ row: Int) {
    if unsafe !raw.isGiven(row) { return appendAbsent() }
    if unsafe raw.isNull(row) { return appendNull() }
    precondition(
      unsafe !raw.isOutside(row),
      "The value is outside of the block, and only its reference can be read.")
    switch kind.family {
    case .integers: unsafe append(word: raw.integer(row))
    case .reals: unsafe append(word: raw.pattern(row))
    case .bytes:
      if unsafe raw.encoding == .scaled {
        return unsafe append(DecimalParts(raw.decimal(row)))
      }
      let row = (unsafe raw.bytes(row), next(isPresent: true))
      unsafe spans[row.1] = row.0
    }
  }

  /// Adds a value of a kind that widens to this column's kind.
  @unsafe private mutating func appendWidened(_ raw: RawColumn, _ row: Int) {
    if unsafe !raw.isGiven(row) { return appendAbsent() }
    if unsafe raw.isNull(row) { return appendNull() }
    precondition(unsafe raw.kind.widens(to: kind), "The column's kind widens to the wanted one.")
    switch (unsafe raw.kind.family, kind.family) {
    case (.integers, .integers): unsafe append(word: raw.integer(row))
    case (.integers, .reals):
      let number = unsafe raw.integer(row)
      append(
        word: kind == .float
          ? Int64(Float(number).bitPattern) : Int64(bitPattern: Double(number).bitPattern))
    case (.reals, .reals):
      unsafe append(word: Int64(bitPattern: raw.double(row).bitPattern))
    case (.integers, .bytes): unsafe append(DecimalParts(raw.integer(row), exponent: 0))
    default: unsafe append(copying: raw.bytes(row))
    }
  }
}

/// Memory for byte strings that are needed until a column is encoded. The byte strings in it never move.
@safe
private struct Arena: ~Copyable {
  private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
  private var used = 0

  deinit { free() }

  mutating func removeAll() {
    free()
    unsafe chunks.removeAll(keepingCapacity: true)
    used = 0
  }

  private func free() {
    for index in 0..<(unsafe chunks.count) { unsafe chunks[index].deallocate() }
  }

  @unsafe mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let source = bytes.baseAddress, bytes.count > 0 else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if unsafe used + bytes.count > chunks.last?.count ?? 0 {
      unsafe chunks.append(
        .allocate(byteCount: max(16_384, bytes.count), alignment: 16))
      used = 0
    }
    // SAFETY: The last chunk has room for the bytes after the used bytes.
    let place = unsafe chunks[chunks.count - 1].baseAddress.unsafelyUnwrapped + used
    unsafe place.copyMemory(from: source, byteCount: bytes.count)
    used += bytes.count
    return unsafe UnsafeRawBufferPointer(start: place, count: bytes.count)
  }
}
