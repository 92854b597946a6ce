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
