/// Finds the distinct byte strings of a column and sorts them, so that rows can be codes.
///
/// Gives up early where most strings are distinct: a column of notes costs a quarter of a look.
@safe
struct DictionaryEncoder: ~Copyable {
  /// The number of distinct strings, in `entries` from the start.
  private(set) var count = 0
  private var entries: [UnsafeRawBufferPointer] = unsafe []
  private var hashes: [UInt32] = []
  private var codes: [UInt32] = []
  private var table: [UInt32] = []
  private var order: [UInt32] = []
  private var ranks: [UInt32] = []

  /// After this many rows with more than nine in ten distinct, the column is not worth a dictionary.
  private static let sampleCount = 1024

  /// Builds the dictionary of `n` strings.
  ///
  /// - Returns: Whether codes, offsets and entries together take fewer than `limit` bytes. The
  ///   dictionary is of use only then.
  @unsafe mutating func build(
    _ spans: UnsafePointer<UnsafeRawBufferPointer>, count n: Int, worthBelow limit: Int
  ) -> Bool {
    count = 0
    unsafe entries.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    var slots = 64
    while slots < n * 2 { slots *= 2 }
    if table.count == slots {
      for i in 0..<slots { table[i] = 0 }
    } else {
      table = [UInt32](repeating: 0, count: slots)
    }
    if codes.count < n { codes = [UInt32](repeating: 0, count: n) }
    var heapByteCount = 0
    let most = max(n / 2, 1)
    for i in 0..<n {
      // SAFETY: The caller gives `n` spans that are alive.
      let span = unsafe spans[i]
      let hash = unsafe ByteHash.hash(span)
      var slot = Int(hash) & (slots - 1)
      while true {
        let entry = Int(table[slot])
        if entry == 0 {
          unsafe entries.append(span)
          hashes.append(hash)
          count += 1
          heapByteCount += span.count
          if count > most || heapByteCount > limit { return false }
          table[slot] = UInt32(count)
          codes[i] = UInt32(count - 1)
          break
        }
        if hashes[entry - 1] == hash, unsafe ByteHash.areEqual(entries[entry - 1], span) {
          codes[i] = UInt32(entry - 1)
          break
        }
        slot = (slot + 1) & (slots - 1)
      }
      if i == DictionaryEncoder.sampleCount, count * 10 > i * 9 { return false }
    }
    let codeWidth = Int(IntegerEncoding.width(of: UInt64(count - 1)))
    let byteCount = codeWidth * n + 2 * count + heapByteCount + 16
    guard byteCount < limit else { return false }
    sort()
    return true
  }

  /// Puts the entries in ascending order of their bytes.
  private mutating func sort() {
    order.removeAll(keepingCapacity: true)
    order.append(contentsOf: 0..<UInt32(count))
    // Comparing the first eight bytes as a number settles most pairs without a call.
    var prefixes = [UInt64](repeating: 0, count: count)
    for i in 0..<count { prefixes[i] = unsafe ByteHash.prefix(entries[i]) }
    unsafe entries.withUnsafeBufferPointer { entries in
      order.sort { left, right in
        let (a, b) = (prefixes[Int(left)], prefixes[Int(right)])
        if a != b { return a < b }
        return unsafe ByteHash.precedes(entries[Int(left)], entries[Int(right)])
      }
    }
    if ranks.count < count { ranks = [UInt32](repeating: 0, count: count) }
    for (rank, entry) in order.enumerated() { ranks[Int(entry)] = UInt32(rank) }
  }

  /// Writes the code of every row.
  @unsafe func writeCodes(count n: Int, width: UInt8, into buffer: inout ByteBuffer) {
    // SAFETY: `grow` gives room for `n` codes of the width.
    switch width {
    case 0: break
    case 1:
      let target = unsafe buffer.grow(by: n).assumingMemoryBound(to: UInt8.self)
      for i in 0..<n { unsafe target[i] = UInt8(truncatingIfNeeded: ranks[Int(codes[i])]) }
    case 2:
      let target = unsafe buffer.grow(by: n * 2).assumingMemoryBound(to: UInt16.self)
      for i in 0..<n { unsafe target[i] = UInt16(truncatingIfNeeded: ranks[Int(codes[i])]) }
    default:
      let target = unsafe buffer.grow(by: n * 4).assumingMemoryBound(to: UInt32.self)
      for i in 0..<n { unsafe target[i] = ranks[Int(codes[i])] }
    }
  }

  /// Writes where each entry begins, and where the last one ends.
  @unsafe func copyOffsets(into offsets: UnsafeMutablePointer<Int64>) {
    // SAFETY: The caller gives room for one more than `count`; a dictionary is never larger than
    // half its column.
    var end: Int64 = 0
    for (i, entry) in order.enumerated() {
      unsafe offsets[i] = end
      end += unsafe Int64(entries[Int(entry)].count)
    }
    unsafe offsets[count] = end
  }

  /// Writes the entries' bytes, in order.
  @unsafe func writeHeap(into buffer: inout ByteBuffer) {
    for entry in order { unsafe buffer.append(entries[Int(entry)]) }
  }
}

/// Hashing and comparing byte strings a word at a time.
enum ByteHash {
  /// A hash of the bytes, for tables in memory only.
  @unsafe static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let n = bytes.count
    var state = UInt64(truncatingIfNeeded: n) &* 0x9E37_79B9_7F4A_7C15
    guard let start = bytes.baseAddress else { return fold(state) }
    // SAFETY: Every load ends within the `n` bytes.
    var i = 0
    while i &+ 8 <= n {
      state = unsafe mix(state ^ start.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      i &+= 8
    }
    if i < n { state = unsafe mix(state ^ tail(start + i, n &- i)) }
    return fold(state)
  }

  /// The first eight bytes as a number that orders as the bytes do.
  @unsafe static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard let start = bytes.baseAddress else { return 0 }
    // SAFETY: The load ends within the bytes.
    if bytes.count >= 8 { return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) }
    return unsafe UInt64(bigEndian: tail(start, bytes.count))
  }

  /// Whether both hold the same bytes.
  @unsafe static func areEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    let n = left.count
    guard n == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    // SAFETY: Every load ends within the `n` bytes.
    var i = 0
    while i &+ 8 <= n {
      let one = unsafe a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let other = unsafe b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if one != other { return false }
      i &+= 8
    }
    return unsafe i == n || tail(a + i, n &- i) == tail(b + i, n &- i)
  }

  /// Whether the left bytes come before the right ones, as unsigned bytes compare.
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

  /// Up to seven bytes as a number, the first byte lowest.
  @inline(__always)
  @unsafe private static func tail(_ start: UnsafeRawPointer, _ n: Int) -> UInt64 {
    // SAFETY: The caller gives `n` bytes; the loads overlap rather than reach beyond them.
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

  private static func fold(_ state: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (state ^ state >> 32) &* 0x9E37_79B9)
  }
}
