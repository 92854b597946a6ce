// SAFETY: The offsets ascend, and the last one is the heap's size. A name is compared only with its own span
// length.

import ObjectModel

/// The names that a document may use, each with its position in a list.
///
/// The bytes of a writer's usual spelling are compared first. A string is created only for a different spelling (spec
/// §5.3.1).
struct NameTable {
  /// The names of the model.
  let names: [String]
  private let heap: [UInt8]
  private let offsets: [Int]
  private let spellings: NameSpellings
  /// Spellings found in the document that no writer uses, with the positions of their names.
  private var others: [String: Int] = [:]

  /// Creates a table of the given names, which writers write in the given case.
  init(_ names: [String], in letters: NameSpellings.Letters) {
    self.names = names
    spellings = NameSpellings(names, in: letters)
    var heap: [UInt8] = []
    var offsets = [0]
    for spelling in spellings.written {
      heap += TextEscapes.attribute(spelling)
      offsets.append(heap.count)
    }
    self.heap = heap
    self.offsets = offsets
  }

  /// Returns whether the given bytes are the usual spelling of a name.
  @inline(__always)
  func matches(_ index: Int, _ text: Span<UInt8>) -> Bool {
    let start = offsets[index]
    let count = text.count
    guard offsets[index + 1] - start == count else { return false }
    return unsafe heap.withUnsafeBufferPointer { heap in
      unsafe text.withUnsafeBufferPointer { text in
        var place = 0
        while place < count {
          if unsafe heap[start &+ place] != text[place] { return false }
          place &+= 1
        }
        return true
      }
    }
  }

  /// Returns the position of the name that the bytes spell, or `nil`.
  ///
  /// - Parameter guess: The probable position of the name.
  mutating func index(of text: Span<UInt8>, guess: Int) -> Int? {
    if guess < names.count, matches(guess, text) { return guess }
    if names.count <= 24 {
      for index in names.indices where matches(index, text) { return index }
    }
    return index(of: String(decodingBytes: text))
  }

  private mutating func index(of spelling: String) -> Int? {
    if let known = others[spelling] { return known }
    let found = spellings.index(of: TextEscapes.unescaped(spelling))
    if let found, others.count < 65_536 { others[spelling] = found }
    return found
  }
}

extension TextEscapes {
  /// Returns the text with all escapes replaced, or unchanged if an escape is half of a character.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(0x5C) else { return text }
    let bytes = Array(text.utf8)
    return unescaped(bytes.span).map { String(decoding: $0, as: UTF8.self) } ?? text
  }
}

extension String {
  /// Creates a text from its bytes in UTF-8.
  init(decodingBytes bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
