/// Finds the words of a query that a word of a text equals or begins with.
///
/// Nearly every word of a text differs from all words of the query in its first byte or in its length, so these are
/// compared first.
struct WordLookup: Sendable {
  private struct Candidate {
    var start: Int
    var count: Int
    var isPrefix: Bool
    /// The words of the query, as bits.
    var bits: UInt64
  }

  /// The candidates, sorted by their first bytes.
  private var candidates: [Candidate] = []
  /// For each first byte, the start of its candidates.
  private var starts = [UInt8](repeating: 0, count: 257)
  private var bytes: [UInt8] = []

  /// Prepares at most 64 words, each of which has at least one byte.
  init(_ words: [TextQuery.Word]) {
    precondition(words.count <= TextQuery.wordLimit, "The words must fit into 64 bits.")
    var bits: [TextQuery.Word: UInt64] = [:]
    for (index, word) in words.enumerated() { bits[word, default: 0] |= 1 << UInt64(index) }
    // The bits make the order of the candidates the same in each process.
    for (word, bits) in bits.sorted(by: {
      ($0.key.bytes[0], $0.value) < ($1.key.bytes[0], $1.value)
    }) {
      candidates.append(
        Candidate(
          start: bytes.count, count: word.bytes.count, isPrefix: word.isPrefix, bits: bits))
      bytes += word.bytes
      for byte in Int(word.bytes[0]) + 1...256 { starts[byte] += 1 }
    }
  }

  /// Returns the words of the query that a word equals or begins with, as bits.
  @inline(__always)
  func matches(_ word: Span<UInt8>) -> UInt64 {
    let first = Int(word[0])
    let start = starts[first]
    let end = starts[first + 1]
    return start == end ? 0 : matches(word, Int(start)..<Int(end))
  }

  private func matches(_ word: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var result: UInt64 = 0
    next: for index in range {
      let candidate = candidates[index]
      guard
        candidate.isPrefix ? word.count >= candidate.count : word.count == candidate.count
      else { continue }
      for offset in 1..<candidate.count
      where word[offset] != bytes[candidate.start + offset] { continue next }
      result |= candidate.bits
    }
    return result
  }
}
