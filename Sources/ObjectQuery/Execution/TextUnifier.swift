// SAFETY: Bytes are copied when a text is new, so nothing here outlives what lends them.

import Foundation
import ObjectModel
import Rows

/// Gives each different text a number, whatever block it comes from.
struct TextUnifier {
  /// The bytes of all texts, one behind the other.
  private var heap: [UInt8] = []
  private var starts: [Int] = [0]
  private var hashes: [UInt64] = []
  /// For each hash the number of a text, plus 1; 0 where there is none. A power of two.
  private var table: [Int32] = Array(repeating: 0, count: 64)

  /// How many texts there are.
  var count: Int { hashes.count }

  /// The number of a text.
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

  /// The text with a number.
  func text(_ id: Int) -> String {
    String(decoding: heap[starts[id]..<starts[id + 1]], as: UTF8.self)
  }

  /// For each number its place among all texts in the order of their bytes.
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

  /// A different start each time the process runs, so that nobody can prepare texts that collide.
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

/// Finds the numbers of the texts of dictionaries, one dictionary after the other.
///
/// Dictionaries are sorted, and those of one property are nearly the same in every block. So the next
/// text is looked for behind the last one found, where it nearly always is, and only new ones are
/// looked up by their hash.
struct DictionaryMatcher {
  /// A text's first sixteen bytes as numbers that order as they do, its length, and its number.
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

    /// Whether the whole text is in the entry.
    var isWhole: Bool { byteCount <= 16 }
  }

  private var entries: [Entry] = []

  /// The number of each text of a dictionary.
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
        // SAFETY: Offsets were verified to ascend within the heap.
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

  @inline(__always)
  private static func same(_ left: Entry, _ right: Entry) -> Bool {
    (left.first ^ right.first) | (left.second ^ right.second)
      | UInt64(UInt32(bitPattern: left.byteCount ^ right.byteCount)) == 0
  }

  private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    return left.byteCount < right.byteCount
  }

  /// Adds texts that were not known, which are sorted.
  ///
  /// Where every dictionary brings many there is nothing to be gained by keeping them.
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
  /// Eight bytes as a number that orders as they do; zeros where there are fewer.
  ///
  /// Eight bytes behind the end must be readable, as they are in a ``BlockMemory``. Nothing here
  /// branches: lengths of texts can't be guessed.
  @inline(__always)
  func orderedWord(at offset: Int) -> UInt64 {
    let start = Swift.min(offset, count)
    let byteCount = Swift.min(count &- start, 8)
    // SAFETY: The start is at most the end, behind which eight bytes are readable.
    let word = unsafe UInt64(
      bigEndian: baseAddress.unsafelyUnwrapped.loadUnaligned(
        fromByteOffset: start, as: UInt64.self))
    // Two shifts, as one by 64 would be none.
    let shift = UInt64(truncatingIfNeeded: byteCount &* 4)
    return word & ~((UInt64.max &>> shift) &>> shift)
  }
}

extension RawColumn {
  /// Where an entry of the heap begins; that behind the last is the heap's end.
  @inline(__always)
  fileprivate func heapOffset(_ i: Int) -> Int {
    unsafe Int(
      RawColumn.decode(offsets, width: offsetWidth, base: offsetBase, step: offsetStep, i))
  }
}

extension Column {
  /// Whether texts are kept once each, and rows hold their codes.
  var isDictionary: Bool { unsafe raw.isNothing || raw.encoding == .dictionary }

  /// How many different texts there are.
  var dictionaryCount: Int { unsafe raw.isNothing ? 0 : Int(raw.dictionaryCount) }

  /// The code of the text of a row that has one.
  func dictionaryCode(at row: Int) -> Int {
    precondition(row >= 0 && row < rowCount, "The row is out of range.")
    return unsafe Int(RawColumn.decode(raw.data, width: raw.width, base: raw.base, step: 0, row))
  }

  /// The bytes of the text with a code.
  @unsafe func dictionaryBytes(_ code: Int) -> UnsafeRawBufferPointer {
    precondition(code >= 0 && code < dictionaryCount, "The code is out of range.")
    return unsafe raw.heapBytes(code)
  }
}
