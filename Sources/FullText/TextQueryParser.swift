/// Reads the clauses of a full-text query.
struct TextQueryParser {
  private let bytes: [UInt8]
  private var place = 0
  private var splitter = WordSplitter()
  private var clauses: [TextQuery.Clause] = []
  private var wordCount = 0

  private static let quote = UInt8(ascii: "\"")
  private static let star = UInt8(ascii: "*")
  private static let minus = UInt8(ascii: "-")

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Reads the whole query.
  mutating func parse() throws(TextQueryError) -> [TextQuery.Clause] {
    while true {
      skipSpaces()
      guard place < bytes.count else { break }
      try readClause()
    }
    guard !clauses.isEmpty else { throw .noWord() }
    guard clauses.contains(where: { !$0.isExcluded }) else { throw .onlyExclusions() }
    return clauses
  }

  // MARK: - Clauses

  private mutating func readClause() throws(TextQueryError) {
    let start = place
    let isExcluded = bytes[place] == Self.minus
    if isExcluded { place += 1 }
    let clause: TextQuery.Clause?
    if place < bytes.count, bytes[place] == Self.quote {
      clause = try makeClause(readPhrase(), isPrefix: false, isExcluded: isExcluded, at: start)
    } else {
      var range = try readTerm()
      let isPrefix = !range.isEmpty && bytes[range.upperBound - 1] == Self.star
      if isPrefix { range = range.lowerBound..<range.upperBound - 1 }
      clause = try makeClause(range, isPrefix: isPrefix, isExcluded: isExcluded, at: start)
      if clause == nil, isPrefix { throw .loneStar(at: range.upperBound) }
    }
    guard let clause else {
      if isExcluded { throw .loneMinus(at: start) }
      return
    }
    guard !clauses.contains(clause) else { return }
    wordCount += clause.words.count
    guard wordCount <= TextQuery.wordLimit else { throw .tooManyWords(at: start) }
    clauses.append(clause)
  }

  /// Reads a phrase in quotation marks, and returns the place of its words.
  private mutating func readPhrase() throws(TextQueryError) -> Range<Int> {
    let start = place + 1
    guard let end = bytes[start...].firstIndex(of: Self.quote) else {
      throw .unclosedQuote(at: place)
    }
    place = end + 1
    return start..<end
  }

  /// Reads up to a space or to the start of a phrase.
  private mutating func readTerm() throws(TextQueryError) -> Range<Int> {
    let start = place
    var star: Int?
    // The last scalar that is not a mark.
    var last = ScalarClass.other
    while place < bytes.count {
      let (scalar, next) = WordSplitter.scalar(bytes.span, at: place)
      if Self.isSpace(scalar) { break }
      if bytes[place] == Self.quote, last != .hebrewLetter || !isHebrewLetter(at: next) { break }
      if let star { throw star == start ? .loneStar(at: star) : .innerStar(at: star) }
      if bytes[place] == Self.star { star = place }
      switch ScalarTable.shared[scalar].kind {
      case .mark, .spacingMark, .ignored: break
      case let kind: last = kind
      }
      place = next
    }
    return start..<place
  }

  /// Whether there is a Hebrew letter at a place. Between two of them a quotation mark can't begin a phrase.
  private func isHebrewLetter(at place: Int) -> Bool {
    guard place < bytes.count else { return false }
    return ScalarTable.shared[WordSplitter.scalar(bytes.span, at: place).scalar].kind
      == .hebrewLetter
  }

  private mutating func skipSpaces() {
    while place < bytes.count {
      let (scalar, next) = WordSplitter.scalar(bytes.span, at: place)
      guard Self.isSpace(scalar) else { return }
      place = next
    }
  }

  private static func isSpace(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar == 0x20 || 0x09...0x0D ~= scalar }
    return Unicode.Scalar(scalar)?.properties.isWhitespace ?? false
  }

  // MARK: - Words

  /// Returns the clause of the words in a part of the query, or `nil` if the part consists of punctuation.
  private mutating func makeClause(
    _ range: Range<Int>, isPrefix: Bool, isExcluded: Bool, at start: Int
  ) throws(TextQueryError) -> TextQuery.Clause? {
    var words: [TextQuery.Word] = []
    var kinds: [WordLocation.Kind] = []
    // The words of the text with a space between them, and the pairs of a run as the run.
    var text: [UInt8] = []
    let query = bytes
    splitter.split(query.span.extracting(range)) { word, location in
      if !words.isEmpty, kinds.last != .pair { text.append(0x20) }
      for index in 0..<location.headByteCount { text.append(word[index]) }
      words.append(.init(bytes: Array(copying: word), isPrefix: false))
      kinds.append(location.kind)
      return words.count <= TextQuery.wordLimit + 1
    }
    guard let last = kinds.last else { return nil }
    var hasStar = false
    if last == .last {
      if kinds.dropLast().last == .pair {
        // The pair before already requires the last character of the run, which may continue in a text.
        words.removeLast()
      } else {
        words[words.count - 1].isPrefix = true
      }
    } else if isPrefix {
      words[words.count - 1].isPrefix = true
      hasStar = true
    }
    guard words.count <= TextQuery.wordLimit else { throw .tooManyWords(at: start) }
    return TextQuery.Clause(
      words: words, isExcluded: isExcluded,
      text: Self.spelling(text, words.count, hasStar: hasStar, isExcluded: isExcluded))
  }

  /// Returns the shortest spelling of a clause.
  private static func spelling(
    _ text: [UInt8], _ wordCount: Int, hasStar: Bool, isExcluded: Bool
  ) -> String {
    var words = String(decoding: text, as: UTF8.self)
    if hasStar {
      // Quotation marks would make the star a part of the phrase.
      words = words.split(separator: " ").joined(separator: "-") + "*"
    } else if wordCount > 1 {
      words = "\"\(words)\""
    }
    return isExcluded ? "-" + words : words
  }
}

extension [UInt8] {
  /// Returns the bytes of a span.
  init(copying span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for index in span.indices { append(span[index]) }
  }
}
