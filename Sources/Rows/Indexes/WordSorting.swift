// SAFETY: The bytes of texts are read while their block exists. The bytes of words are copied into a column while the table
// that contains them is lent.

import FullText
import ObjectModel

/// A sorter of the words of texts into the order of an index of words (spec §4.5.6): an entry for each different word of each
/// text.
struct WordSorting: ~Copyable {
  private let index: IndexLayout
  private var splitter = WordSplitter()
  private var table = WordTable()
  private var entries: [Entry] = []
  /// For each word, the number of the last text with it.
  private var lastTexts: [Int] = []
  private var textCount = 0

  private struct Entry: BitwiseCopyable {
    var object: Int64
    var word: UInt32
  }

  private init(_ index: IndexLayout) { self.index = index }

  /// Returns the entries for the texts in some blocks, as sorted blocks.
  static func blocks(of sources: [Block], _ index: IndexLayout) throws -> [Block] {
    var sorting = WordSorting(index)
    for block in sources {
      guard let texts = try block.column(index.columns[0].number) else { continue }
      let keys = try block.keys
      let raw = unsafe texts.raw
      for row in 0..<block.rowCount where unsafe !raw.isNull(row) {
        unsafe sorting.add(raw.bytes(row).bindMemory(to: UInt8.self).span, keys.integer(at: row))
      }
    }
    return sorting.blocks()
  }

  private mutating func add(_ text: Span<UInt8>, _ object: Int64) {
    textCount += 1
    // The closure must not use the splitter's owner.
    var splitter = WordSplitter()
    swap(&splitter, &self.splitter)
    splitter.split(text) { word, _ in
      let number = table.number(of: word)
      if number == lastTexts.count { lastTexts.append(0) }
      if lastTexts[number] != textCount {
        lastTexts[number] = textCount
        entries.append(Entry(object: object, word: UInt32(number)))
      }
      return true
    }
    swap(&splitter, &self.splitter)
  }

  private mutating func blocks() -> [Block] {
    let ends = sort()
    var writer = BlockWriter()
    var blocks: [Block] = []
    var start = 0
    var rank = 0
    while start < entries.count {
      let part = start..<end(ofBlockFrom: start, &rank, ends)
      start = part.upperBound
      writer.begin()
      writer.add(index.columns[0].number, .string) { values in
        unsafe table.withBytes { bytes, ends in
          for entry in entries[part] {
            let word = Int(entry.word)
            unsafe values.append(
              copying: UnsafeRawBufferPointer(rebasing: bytes[ends[word]..<ends[word + 1]]))
          }
        }
      }
      writer.add(LayoutColumn.Number.object, .int64) { values in
        for entry in entries[part] { values.append(word: entry.object) }
      }
      let keys = part.map { UInt64($0 + 1) }
      blocks.append(
        unsafe keys.withUnsafeBufferPointer {
          unsafe writer.finish(entity: index.number, flags: [], keys: $0)
        })
    }
    return blocks
  }

  /// The number of entries from which those of one word are blocks on their own. The objects ascend there, and take less
  /// room.
  private static let manyEntries = 512

  /// Returns the end of a block.
  ///
  /// - Parameters:
  ///   - rank: The place of the first entry's word in the order of the words; afterwards that of the next block.
  ///   - ends: For each place, the position after the word's last entry.
  private func end(ofBlockFrom start: Int, _ rank: inout Int, _ ends: [Int]) -> Int {
    var position = start
    var byteCount = 0
    let most = min(start + BlockFormat.targetRowCount, entries.count)
    while position < most {
      let isLong = ends[rank] - position >= WordSorting.manyEntries
      byteCount += table.byteCount(of: Int(entries[position].word))
      if position > start, isLong || byteCount > BlockFormat.targetByteCount { break }
      position = min(ends[rank], most)
      if position == ends[rank] { rank += 1 }
      if isLong { break }
    }
    return position
  }

  /// Sorts the entries by word, and those of a word by object.
  ///
  /// - Returns: For each place in the order of the words, the position after the word's last entry.
  private mutating func sort() -> [Int] {
    if !zip(entries, entries.dropFirst()).allSatisfy({ $0.object <= $1.object }) {
      entries.sort { $0.object < $1.object }
    }
    let ranks = table.ranks()
    var ends = [Int](repeating: 0, count: ranks.count)
    for entry in entries { ends[Int(ranks[Int(entry.word)])] += 1 }
    var sum = 0
    for rank in ends.indices { (ends[rank], sum) = (sum, sum + ends[rank]) }
    var sorted = entries
    for entry in entries {
      let rank = Int(ranks[Int(entry.word)])
      sorted[ends[rank]] = entry
      ends[rank] += 1
    }
    entries = sorted
    return ends
  }
}
