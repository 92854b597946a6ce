// SAFETY: There are at most as many entries and codes as rows, and at most `capacity` rows. The slots are at most
// twice the capacity, rounded up to a power of two.

/// An encoder that finds the distinct byte strings of a column and sorts them, so that rows can be codes.
///
/// The encoder gives up after a sample of the rows if most strings are distinct. So a column of notes costs only a
/// quarter of a full pass.
@safe
struct DictionaryEncoder: ~Copyable {
  /// The number of distinct strings.
  private(set) var count = 0
  private let capacity: Int
  /// The distinct strings, in the order of their first occurrence.
  private let entries: UnsafeMutablePointer<UnsafeRawBufferPointer>
  /// The position in `entries` of each row's string.
  private let codes: UnsafeMutablePointer<UInt32>
  /// The position of each entry in ascending order.
  private let ranks: UnsafeMutablePointer<UInt32>
  /// A hash table: the upper half of a slot is the hash, the lower half the entry's position plus 1.
  private let table: UnsafeMutablePointer<UInt64>
  private var order: [Ordered] = []

  /// An entry during sorting. Its first eight bytes as a number decide most comparisons.
  private struct Ordered {
    var prefix: UInt64
    var entry: UInt32
  }

  /// The number of rows after which a column with more than nine tenths of distinct strings is not worth a
  /// dictionary.
  private static let sampleCount = 1024

  /// Creates an encoder of columns of up to `capacity` rows.
  init(capacity: Int) {
    self.capacity = capacity
    unsafe entries = .allocate(capacity: capacity)
    unsafe codes = .allocate(capacity: capacity)
    unsafe ranks = .allocate(capacity: capacity)
    unsafe table = .allocate(capacity: DictionaryEncoder.slotCount(for: capacity))
  }

  deinit {
    unsafe entries.deallocate()
    unsafe codes.deallocate()
    unsafe ranks.deallocate()
    unsafe table.deallocate()
  }

  /// Returns the number of slots of a table for some strings: a power of two, and at least two for each string.
  private static func slotCount(for count: Int) -> Int {
    var slots = 64
    while slots < count * 2 { slots *= 2 }
    return slots
  }

  /// Builds the dictionary of `n` strings.
  ///
  /// - Returns: Whether codes, offsets and entries together take fewer than `limit` bytes. The dictionary is usable
  ///   only if they do.
  @unsafe mutating func build(
    _ spans: UnsafePointer<UnsafeRawBufferPointer>, count n: Int, worthBelow limit: Int
  ) -> Bool {
    precondition(n <= capacity, "The encoder has no room for the row.")
    // A small column uses, and clears, only a part of the table.
    let slots = DictionaryEncoder.slotCount(for: n)
    let mask = slots - 1
    // SAFETY: The table has room for `capacity` strings, so it has `slots` slots. There are at most `n` entries and
    // codes. The caller passes `n` spans whose memory is alive.
    unsafe table.initialize(repeating: 0, count: slots)
    var found = 0
    var heapByteCount = 0
    let most = max(n / 2, 1)
    for i in 0..<n {
      let span = unsafe spans[i]
      let hash = unsafe UInt64(ByteHash.hash(span))
      var slot = Int(truncatingIfNeeded: hash) & mask
      while true {
        let entry = unsafe table[slot]
        if entry == 0 {
          unsafe entries[found] = span
          unsafe codes[i] = UInt32(truncatingIfNeeded: found)
          found += 1
          heapByteCount += span.count
          if found > most || heapByteCount > limit { return false }
          unsafe table[slot] = hash << 32 | UInt64(found)
          break
        }
        let position = Int(entry & 0xFFFF_FFFF) - 1
        if entry >> 32 == hash, unsafe ByteHash.areEqual(entries[position], span) {
          unsafe codes[i] = UInt32(truncatingIfNeeded: position)
          break
        }
        slot = (slot + 1) & mask
      }
      if i == DictionaryEncoder.sampleCount, found * 10 > i * 9 { return false }
    }
    count = found
    let codeWidth = Int(IntegerEncoding.width(of: UInt64(found - 1)))
    let byteCount = codeWidth * n + 2 * found + heapByteCount + 16
    guard byteCount < limit else { return false }
    sort()
    return true
  }

  /// Sorts the entries in ascending order of their bytes.
  private mutating func sort() {
    order.removeAll(keepingCapacity: true)
    for i in 0..<count {
      // SAFETY: There are `count` entries.
      order.append(Ordered(prefix: unsafe ByteHash.prefix(entries[i]), entry: UInt32(i)))
    }
    let entries = unsafe entries
    order.sort { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return unsafe ByteHash.precedes(entries[Int(left.entry)], entries[Int(right.entry)])
    }
    for (rank, one) in order.enumerated() { unsafe ranks[Int(one.entry)] = UInt32(rank) }
  }

  /// Writes the code of every row.
  func writeCodes(count n: Int, width: UInt8, into buffer: inout ByteBuffer) {
    switch width {
    case 0: break
    case 1: writeCodes(UInt8.self, n, &buffer)
    case 2: writeCodes(UInt16.self, n, &buffer)
    default: writeCodes(UInt32.self, n, &buffer)
    }
  }

  private func writeCodes<U: FixedWidthInteger & BitwiseCopyable>(
    _: U.Type, _ n: Int, _ buffer: inout ByteBuffer
  ) {
    // SAFETY: `grow` provides room for `n` codes, and every row's code is an entry's position.
    let target = unsafe buffer.grow(by: n * MemoryLayout<U>.size).assumingMemoryBound(to: U.self)
    for i in 0..<n { unsafe target[i] = U(truncatingIfNeeded: ranks[Int(codes[i])]) }
  }

  /// Writes the offset of each entry, and the end of the last entry.
  @unsafe func copyOffsets(into offsets: UnsafeMutablePointer<Int64>) {
    // SAFETY: The caller provides room for `count + 1` offsets. A dictionary never has more entries than half the
    // rows of its column.
    var end: Int64 = 0
    for (i, one) in order.enumerated() {
      unsafe offsets[i] = end
      end += unsafe Int64(entries[Int(one.entry)].count)
    }
    unsafe offsets[count] = end
  }

  /// Writes the entries' bytes, in order.
  func writeHeap(into buffer: inout ByteBuffer) {
    for one in order { unsafe buffer.append(entries[Int(one.entry)]) }
  }
}

/// Functions that hash and compare byte strings a word at a time.
package enum ByteHash {
  /// Returns a hash of the bytes, for tables in memory only.
  @inline(__always)
  @unsafe static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let n = bytes.count
    var state = UInt64(truncatingIfNeeded: n) &* 0x9E37_79B9_7F4A_7C15
    guard let start = bytes.baseAddress else { return fold(state) }
    // SAFETY: Every load ends within the `n` bytes.
    guard n >= 8 else { return unsafe n == 0 ? fold(state) : fold(mix(state ^ tail(start, n))) }
    // The last eight bytes overlap the bytes before them, which is cheaper than computing how many are left.
    var i = 0
    while i &+ 8 < n {
      state = unsafe mix(state ^ start.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      i &+= 8
    }
    return unsafe fold(
      mix(state ^ start.loadUnaligned(fromByteOffset: n &- 8, as: UInt64.self)))
  }

  /// Returns the first eight bytes as a number with the same order as the bytes.
  @unsafe package static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard let start = bytes.baseAddress else { return 0 }
    // SAFETY: The load ends within the bytes.
    if bytes.count >= 8 { return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) }
    return unsafe UInt64(bigEndian: tail(start, bytes.count))
  }

  /// Returns whether both buffers contain the same bytes.
  @inline(__always)
  @unsafe static func areEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    let n = left.count
    guard n == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    // SAFETY: Every load ends within the `n` bytes.
    guard n >= 8 else { return unsafe n == 0 || tail(a, n) == tail(b, n) }
    var i = 0
    while i &+ 8 < n {
      let one = unsafe a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let other = unsafe b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if one != other { return false }
      i &+= 8
    }
    return unsafe a.loadUnaligned(fromByteOffset: n &- 8, as: UInt64.self)
      == b.loadUnaligned(fromByteOffset: n &- 8, as: UInt64.self)
  }

  /// Returns whether the left bytes come before the right bytes, compared as unsigned bytes.
  @unsafe static func precedes(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    let n = min(left.count, right.count)
    var i = 0
    // SAFETY: Every load ends within the shorter of the two.
    if let a = left.baseAddress, let b = right.baseAddress {
      while i &+ 8 <= n {
        let one = unsafe UInt64(bigEndian: a.loadUnaligned(fromByteOffset: i, as: UInt64.self))
        let other = unsafe UInt64(bigEndian: b.loadUnaligned(fromByteOffset: i, as: UInt64.self))
        if one != other { return one < other }
        i &+= 8
      }
    }
    while i < n {
      if unsafe left[i] != right[i] { return unsafe left[i] < right[i] }
      i &+= 1
    }
    return left.count < right.count
  }

  /// Returns up to seven bytes as a number, the first byte lowest.
  @inline(__always)
  @unsafe private static func tail(_ start: UnsafeRawPointer, _ n: Int) -> UInt64 {
    // SAFETY: The caller passes `n` bytes; the loads overlap and never reach beyond the bytes.
    if n >= 4 {
      let low = unsafe UInt64(start.loadUnaligned(as: UInt32.self))
      let high = unsafe UInt64(start.loadUnaligned(fromByteOffset: n &- 4, as: UInt32.self))
      return low | high << (UInt64(n &- 4) &* 8)
    }
    var word: UInt64 = 0
    for i in 0..<n {
      word |= unsafe UInt64(start.load(fromByteOffset: i, as: UInt8.self)) << (UInt64(i) &* 8)
    }
    return word
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }

  @inline(__always)
  private static func fold(_ state: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (state ^ state >> 32) &* 0x9E37_79B9)
  }
}
