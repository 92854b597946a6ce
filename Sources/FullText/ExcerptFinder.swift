/// Chooses and cuts the excerpt of one text.
struct ExcerptFinder {
  private static let consideredHits = 1000
  /// The distance within which an excerpt ends at a space rather than within a word.
  private static let trimmedCharacters = 20

  /// A hit that begins and ends between characters.
  private struct Hit {
    var start: String.Index
    var end: String.Index
    var clauses: UInt64
    /// The number of characters from the first hit to the start and to the end of this one.
    var firstCharacter = 0
    var lastCharacter = 0
  }

  private let text: String
  private let characterLimit: Int
  private let byteLimit: Int
  private var hits: [Hit] = []
  private var start: String.Index
  private var end: String.Index
  private var charactersLeft: Int

  init(_ text: String, _ marks: [TextMark], characterLimit: Int) {
    precondition(characterLimit >= 0, "The limit of characters must not be negative.")
    self.text = text
    self.characterLimit = characterLimit
    byteLimit =
      characterLimit.multipliedReportingOverflow(by: 32).overflow ? .max : characterLimit * 32
    charactersLeft = characterLimit
    start = text.startIndex
    end = text.startIndex
    for mark in marks { add(mark) }
  }

  mutating func excerpt() -> TextExcerpt {
    if let best = bestHits() { place(at: best) } else { extendForward(to: text.endIndex) }
    let marks = hits.compactMap { hit -> Range<Int>? in
      let low = max(hit.start, start)
      let high = min(hit.end, end)
      guard low < high else { return nil }
      return offset(of: low)..<offset(of: high)
    }
    return TextExcerpt(
      text: String(text[start..<end]), marks: marks, isCutAtStart: start > text.startIndex,
      isCutAtEnd: end < text.endIndex)
  }

  private func offset(of index: String.Index) -> Int {
    text.utf8.distance(from: start, to: index)
  }

  // MARK: - Hits

  private mutating func add(_ mark: TextMark) {
    let first = text.utf8.index(text.startIndex, offsetBy: mark.range.lowerBound)
    let last = text.utf8.index(text.startIndex, offsetBy: mark.range.upperBound)
    var hit = Hit(start: characterStart(first), end: last, clauses: mark.clauses)
    if last < text.endIndex, characterStart(last) < last { hit.end = text.index(after: last) }
    if let before = hits.last, hit.start < before.end {
      // Two hits in one character are one.
      hits[hits.count - 1].clauses |= hit.clauses
      hits[hits.count - 1].end = max(before.end, hit.end)
      return
    }
    hits.append(hit)
  }

  /// Returns the start of the character that contains an index.
  private func characterStart(_ index: String.Index) -> String.Index {
    text.index(before: text.index(after: index))
  }

  /// Counts the characters up to the hits at which an excerpt can begin or end.
  private mutating func countCharacters() {
    var place = hits[0].start
    var count = 0
    for index in hits.indices.prefix(Self.consideredHits) {
      count += text.distance(from: place, to: hits[index].start)
      hits[index].firstCharacter = count
      count += text.distance(from: hits[index].start, to: hits[index].end)
      hits[index].lastCharacter = count
      place = hits[index].end
    }
  }

  /// Returns the hits of the best excerpt, or `nil` for a text without hits.
  private mutating func bestHits() -> ClosedRange<Int>? {
    guard !hits.isEmpty else { return nil }
    countCharacters()
    var best = 0...0
    var bestScore = (0, 0)
    for first in hits.indices.prefix(Self.consideredHits) {
      var last = first
      var clauses = hits[first].clauses
      while last + 1 < min(hits.count, Self.consideredHits), fits(first...last + 1) {
        last += 1
        clauses |= hits[last].clauses
      }
      let score = (clauses.nonzeroBitCount, last - first + 1)
      if score > bestScore {
        bestScore = score
        best = first...last
      }
    }
    return best
  }

  private func fits(_ range: ClosedRange<Int>) -> Bool {
    let (first, last) = (hits[range.lowerBound], hits[range.upperBound])
    return last.lastCharacter - first.firstCharacter <= characterLimit
      && text.utf8.distance(from: first.start, to: last.end) <= byteLimit
  }

  // MARK: - Cutting

  /// Places the excerpt around hits, with about as much text before them as after them.
  private mutating func place(at range: ClosedRange<Int>) {
    let (first, last) = (hits[range.lowerBound].start, hits[range.upperBound].end)
    start = first
    end = first
    extendForward(to: last)
    guard end == last else { return }
    let total = charactersLeft
    extendBackward(by: total / 2)
    extendForward(to: text.endIndex)
    extendBackward(by: charactersLeft)
    trim(first, last)
  }

  private mutating func extendForward(to limit: String.Index) {
    while charactersLeft > 0, end < limit {
      let next = text.index(after: end)
      guard text.utf8.distance(from: start, to: next) <= byteLimit else { return }
      end = next
      charactersLeft -= 1
    }
  }

  private mutating func extendBackward(by count: Int) {
    for _ in 0..<count where start > text.startIndex {
      let next = text.index(before: start)
      guard text.utf8.distance(from: next, to: end) <= byteLimit else { return }
      start = next
      charactersLeft -= 1
    }
  }

  /// Leaves out the parts of words at both ends, unless they belong to the hits.
  private mutating func trim(_ first: String.Index, _ last: String.Index) {
    if start > text.startIndex, !text[text.index(before: start)].isWhitespace {
      var place = start
      for _ in 0..<Self.trimmedCharacters where place < first {
        let character = text[place]
        place = text.index(after: place)
        if character.isWhitespace {
          start = place
          break
        }
      }
    }
    if end < text.endIndex, !text[end].isWhitespace {
      var place = end
      for _ in 0..<Self.trimmedCharacters where place > last {
        place = text.index(before: place)
        if text[place].isWhitespace {
          end = place
          break
        }
      }
    }
  }
}
