/// The scalars of one word while it is folded, and then its bytes.
///
/// The buffer has a fixed size, so that a word of a megabyte needs no more memory than any other. It keeps the first
/// 256 decomposed scalars. A composed scalar consists of at most three of them, so they suffice for the first 64
/// composed scalars, whichever form the text has.
struct WordBuffer: Sendable {
  private static let capacity = 256
  /// The end of the Latin, Greek and Cyrillic letters after their folding. Only these letters lose all their marks.
  private static let lowLimit: UInt32 = 0x510

  private var scalars = InlineArray<256, UInt32>(repeating: 0)
  private var orders = InlineArray<256, UInt8>(repeating: 0)
  private var count = 0
  /// The number of scalars up to the last one with which a word may end.
  private var solidCount = 0
  private var isFull = false
  private var hasLowBase = false
  private var mayCompose = false

  @inline(__always)
  mutating func clear() {
    count = 0
    solidCount = 0
    isFull = false
    mayCompose = false
  }

  // MARK: - Adding

  /// Adds a scalar that is not a mark.
  @inline(__always)
  mutating func add(_ scalar: UInt32, _ entry: ScalarTable.Entry, _ table: ScalarTable) {
    let parts = entry.foldingCount
    if parts == 0 {
      hasLowBase = scalar < Self.lowLimit
      if entry.mayCompose { mayCompose = true }
      append(scalar)
    } else {
      for index in 0..<parts { addPart(table.folding(entry, index), table) }
    }
  }

  /// Adds a mark, unless the folding drops it after the scalar before it.
  mutating func addMark(_ scalar: UInt32, _ entry: ScalarTable.Entry, _ table: ScalarTable) {
    let parts = entry.foldingCount
    if parts == 0 {
      addMarkPart(scalar, entry)
    } else {
      for index in 0..<parts {
        let part = table.folding(entry, index)
        addMarkPart(part, table[part])
      }
    }
  }

  private mutating func addMarkPart(_ scalar: UInt32, _ entry: ScalarTable.Entry) {
    if scalar < Self.lowLimit || hasLowBase && entry.kind == .mark { return }
    add(scalar, entry)
  }

  private mutating func addPart(_ part: UInt32, _ table: ScalarTable) {
    let entry = table[part]
    switch entry.kind {
    case .mark, .spacingMark: break
    default: hasLowBase = part < Self.lowLimit
    }
    add(part, entry)
  }

  private mutating func add(_ scalar: UInt32, _ entry: ScalarTable.Entry) {
    if entry.mayCompose { mayCompose = true }
    entry.order == 0 ? append(scalar) : insert(scalar, entry.order)
  }

  @inline(__always)
  private mutating func append(_ scalar: UInt32) {
    guard count < Self.capacity else {
      // The marks of this scalar must not be added to the scalar before it.
      isFull = true
      return
    }
    scalars[count] = scalar
    orders[count] = 0
    count += 1
  }

  /// Inserts a mark into the canonical order of the marks before it. A full buffer loses its last mark, so that texts
  /// with the same marks in another order still have the same word.
  private mutating func insert(_ scalar: UInt32, _ order: UInt8) {
    if isFull { return }
    var place = count
    while place > 0, orders[place - 1] > order { place -= 1 }
    guard place < Self.capacity else { return }
    if count < Self.capacity { count += 1 }
    var index = count - 1
    while index > place {
      scalars[index] = scalars[index - 1]
      orders[index] = orders[index - 1]
      index -= 1
    }
    scalars[place] = scalar
    orders[place] = order
  }

  /// Records that the word may end with the last scalar.
  @inline(__always)
  mutating func markSolid() { solidCount = count }

  // MARK: - Bytes

  /// Writes the folded word in UTF-8 and returns the end of its bytes.
  ///
  /// - Parameter limit: The number of scalars to which the word is cut.
  mutating func write(
    _ limit: Int, into bytes: inout InlineArray<256, UInt8>, at start: Int, _ table: ScalarTable
  ) -> Int {
    var count = mayCompose ? compose(solidCount, table) : solidCount
    if count > limit {
      count = limit
      while count > 0, !table[scalars[count - 1]].kind.endsWords { count -= 1 }
    }
    var end = start
    for index in 0..<count { Self.write(scalars[index], into: &bytes, at: &end) }
    return end
  }

  /// Composes the first scalars as Unicode's form C does, and returns their new number.
  private mutating func compose(_ count: Int, _ table: ScalarTable) -> Int {
    var end = 0
    var starter = -1
    for index in 0..<count {
      let scalar = scalars[index]
      let order = orders[index]
      // A mark composes with a starter unless a mark of the same or a higher class is between them.
      if starter >= 0, end == starter + 1 || orders[end - 1] < order,
        let composed = table.composition(scalars[starter], scalar)
      {
        scalars[starter] = composed
        continue
      }
      if order == 0 { starter = end }
      scalars[end] = scalar
      orders[end] = order
      end += 1
    }
    return end
  }

  @inline(__always)
  private static func write(
    _ scalar: UInt32, into bytes: inout InlineArray<256, UInt8>, at end: inout Int
  ) {
    func put(_ byte: UInt32) {
      bytes[end] = UInt8(truncatingIfNeeded: byte)
      end += 1
    }
    switch scalar {
    case ..<0x80: put(scalar)
    case ..<0x800:
      put(0xC0 | scalar >> 6)
      put(0x80 | scalar & 0x3F)
    case ..<0x1_0000:
      put(0xE0 | scalar >> 12)
      put(0x80 | scalar >> 6 & 0x3F)
      put(0x80 | scalar & 0x3F)
    default:
      put(0xF0 | scalar >> 18)
      put(0x80 | scalar >> 12 & 0x3F)
      put(0x80 | scalar >> 6 & 0x3F)
      put(0x80 | scalar & 0x3F)
    }
  }
}
