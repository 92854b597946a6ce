// SAFETY: The bytes of words lie in an array that is read within its bounds.

/// Different words, each with a number, in the order in which they were met.
struct WordTable: ~Copyable {
  /// The bytes of the words, one after another.
  private var bytes: [UInt8] = []
  private var ends: [Int] = [0]
  private var hashes: [UInt32] = []
  /// The number of a word plus 1, or 0, at the places that the hashes give. The count is a power of two.
  private var slots = [UInt32](repeating: 0, count: 1024)

  var count: Int { hashes.count }

  /// Returns the number of a word, which is added if it is new.
  mutating func number(of word: Span<UInt8>) -> Int {
    let hash = WordTable.hash(word)
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, isSame(number, word) { return number }
      slot = (slot + 1) & mask
    }
    for index in word.indices { bytes.append(word[index]) }
    ends.append(bytes.count)
    hashes.append(hash)
    slots[slot] = UInt32(hashes.count)
    if hashes.count * 2 > slots.count { grow() }
    return hashes.count - 1
  }

  /// Returns the number of bytes of a word.
  func byteCount(of number: Int) -> Int { ends[number + 1] - ends[number] }

  /// Calls `body` with the bytes of all words.
  @unsafe func withBytes<R>(_ body: (UnsafeRawBufferPointer, [Int]) throws -> R) rethrows -> R {
    try unsafe bytes.withUnsafeBytes { unsafe try body($0, ends) }
  }

  /// Returns the place of each word in the order of the words' bytes.
  func ranks() -> [UInt32] {
    var order = Array(UInt32(0)..<UInt32(count))
    unsafe withBytes { bytes, ends in
      order.sort { left, right in
        unsafe ByteHash.precedes(
          UnsafeRawBufferPointer(rebasing: bytes[ends[Int(left)]..<ends[Int(left) + 1]]),
          UnsafeRawBufferPointer(rebasing: bytes[ends[Int(right)]..<ends[Int(right) + 1]]))
      }
    }
    var ranks = [UInt32](repeating: 0, count: count)
    for (rank, word) in order.enumerated() { ranks[Int(word)] = UInt32(rank) }
    return ranks
  }

  private func isSame(_ number: Int, _ word: Span<UInt8>) -> Bool {
    let start = ends[number]
    guard ends[number + 1] - start == word.count else { return false }
    // Most words have few bytes, for which a loop is a tenth faster than ByteHash.areEqual.
    for index in word.indices where bytes[start + index] != word[index] { return false }
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    let mask = slots.count - 1
    for (number, hash) in hashes.enumerated() {
      var slot = Int(hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Returns a hash that differs from process to process, so that no text can make all its words collide.
  private static func hash(_ word: Span<UInt8>) -> UInt32 {
    var hasher = Hasher()
    unsafe word.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
