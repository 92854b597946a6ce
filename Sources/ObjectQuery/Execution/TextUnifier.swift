// SAFETY: The bytes of a new text are copied, so nothing here outlives the memory that lends them.

import Foundation
import ObjectModel
import Rows

/// Gives each distinct text a number, across all blocks.
struct TextUnifier {
  /// The bytes of all texts, one after another.
  private var heap: [UInt8] = []
  private var starts: [Int] = [0]
  private var hashes: [UInt64] = []
  /// A hash table with the number of each text, plus 1; 0 marks a free slot. Its size is a power of two.
  private var table: [Int32] = Array(repeating: 0, count: 64)

  var count: Int { hashes.count }

  /// Returns the number of a text. A new text gets a new number.
  mutating func id(of text: UnsafeRawBufferPointer) -> Int32 {
    let hash = unsafe TextUnifier.hash(text)
    var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
    while table[place] != 0 {
      let id = Int(table[place]) - 1
      if hashes[id] == hash, unsafe isSame(id, text) { return Int32(id) }
      place = (place + 1) & (table.count - 1)
    }
    unsafe heap.append(contentsOf: text)
    starts.append(heap.count)
    hashes.append(hash)
    table[place] = Int32(hashes.count)
    if hashes.count * 2 > table.count { grow() }
    return Int32(hashes.count - 1)
  }

  /// Returns the text with the given number.
  func text(_ id: Int) -> String {
    String(decoding: heap[starts[id]..<starts[id + 1]], as: UTF8.self)
  }

  /// For each number, the position of the text in the order of the texts' bytes.
  var places: [Int32] {
    let order = hashes.indices.sorted { left, right in
      unsafe heap.withUnsafeBytes { heap in
        unsafe orderOfBytes(
          UnsafeRawBufferPointer(rebasing: heap[starts[left]..<starts[left + 1]]),
          UnsafeRawBufferPointer(rebasing: heap[starts[right]..<starts[right + 1]])) == .less
      }
    }
    var places = [Int32](repeating: 0, count: order.count)
    for (place, id) in order.enumerated() { places[id] = Int32(place) }
    return places
  }

  private func isSame(_ id: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    unsafe heap.withUnsafeBytes { heap in
      unsafe sameBytes(UnsafeRawBufferPointer(rebasing: heap[starts[id]..<starts[id + 1]]), text)
    }
  }

  private mutating func grow() {
    table = Array(repeating: 0, count: table.count * 2)
    for (id, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
      while table[place] != 0 { place = (place + 1) & (table.count - 1) }
      table[place] = Int32(id + 1)
    }
  }

  /// A random seed for each process, so that no attacker can prepare colliding texts.
  private static let seed = UInt64.random(in: 1 ... .max)

  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hash = seed ^ UInt64(text.count)
    func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      hash = product.high ^ product.low
    }
    var index = 0
    while index &+ 8 <= text.count {
      mix(unsafe text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index &+= 8
    }
    var rest: UInt64 = 0
    while index < text.count {
      rest = unsafe rest << 8 | UInt64(text[index])
      index &+= 1
    }
    mix(rest)
    mix(0x2545_F491_4F6C_DD1D)
    return hash
  }
}

/// Finds the numbers of the texts of dictionaries, one dictionary after another.
///
/// Dictionaries are sorted, and the dictionaries of one property are nearly the same in every block. So each text is
/// first compared with the entry after the last match, which is nearly always right. Only new texts are looked up by
/// their hash.
struct DictionaryMatcher {
  /// The first sixteen bytes of a text as numbers with the same order, its length, and its number.
  private struct Entry: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
    var byteCount: Int32
    var id: Int32

    init(_ bytes: UnsafeRawBufferPointer, id: Int32) {
      unsafe first = bytes.orderedWord(at: 0)
      unsafe second = bytes.orderedWord(at: 8)
      byteCount = Int32(truncatingIfNeeded: bytes.count)
      self.id = id
    }

    /// Whether the entry contains the whole text.
    var isWhole: Bool { byteCount <= 16 }
  }

  private var entries: [Entry] = []

  /// Returns the number of each text of a dictionary.
  @unsafe mutating func ids(of column: RawColumn, _ texts: inout TextUnifier) -> [Int32] {
    let count = unsafe Int(column.dictionaryCount)
    var ids = [Int32](repeating: -1, count: count)
    var fresh: [Entry] = []
    unsafe entries.withUnsafeBufferPointer { entries in
      var next = 0
      var end = unsafe column.heapOffset(0)
      for code in 0..<count {
        let start = end
        unsafe end = column.heapOffset(code &+ 1)
        // SAFETY: Offsets were verified to ascend within the heap, which has an address even if all texts are empty.
        let bytes = unsafe UnsafeRawBufferPointer(
          start: column.heap.unsafelyUnwrapped + start, count: end &- start)
        var entry = unsafe Entry(bytes, id: -1)
        while next < entries.count, unsafe DictionaryMatcher.precedes(entries[next], entry) {
          next &+= 1
        }
        if entry.isWhole, next < entries.count, unsafe entries[next].first == entry.first,
          unsafe entries[next].second == entry.second,
          unsafe entries[next].byteCount == entry.byteCount
        {
          unsafe ids[code] = entries[next].id
          next &+= 1
          continue
        }
        ids[code] = unsafe texts.id(of: bytes)
        if entry.isWhole {
          entry.id = ids[code]
          fresh.append(entry)
        }
      }
    }
    if !fresh.isEmpty { merge(fresh) }
    return ids
  }

  private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    return left.byteCount < right.byteCount
  }

  /// Adds new texts, which must be sorted.
  ///
  /// Keeping texts pays only if later dictionaries repeat them, so the number of entries is limited.
  private mutating func merge(_ fresh: [Entry]) {
    guard entries.count < 1 << 14 else { return }
    var merged: [Entry] = []
    merged.reserveCapacity(entries.count + fresh.count)
    var next = 0
    for entry in fresh {
      while next < entries.count, DictionaryMatcher.precedes(entries[next], entry) {
        merged.append(entries[next])
        next += 1
      }
      merged.append(entry)
    }
    merged.append(contentsOf: entries[next...])
    entries = merged
  }
}

extension UnsafeRawBufferPointer {
  /// Returns up to eight bytes from an offset on as a number with the same order; missing bytes are zero.
  func orderedWord(at offset: Int) -> UInt64 {
    unsafe ByteHash.prefix(UnsafeRawBufferPointer(rebasing: dropFirst(offset)))
  }
}

extension RawColumn {
  /// Returns the offset of an entry in the heap; the offset after the last entry is the heap's end.
  @inline(__always)
  fileprivate func heapOffset(_ i: Int) -> Int {
    unsafe Int(
      RawColumn.decode(offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i))
  }
}

extension Column {
  /// Whether the column stores each text once, and the rows contain codes.
  var isDictionary: Bool { unsafe raw.isNothing || raw.encoding == .dictionary }

  /// Returns the code of the text in a row, which must have a value.
  func dictionaryCode(at row: Int) -> Int {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    return unsafe Int(RawColumn.decode(raw.data, width: raw.width, base: raw.base, step: 0, row))
  }
}
