import TestEffort
import Testing

@testable import FullText

@Suite("Hostile texts")
struct HostileTextTests {
  /// A megabyte in the full work, and less in the ordinary work.
  private let megabyte = Effort.factor < 1 ? 100_000 : 1_000_000

  /// Does all that the module can do with a text, and returns the text's number of words.
  @discardableResult
  private func use(_ text: String) throws -> Int {
    var matcher = TextMatcher(try TextQuery("zz* \"b c\" -\"d e\" 東"))
    var splitter = WordSplitter()
    var wordCount = 0
    _ = matcher.matches(text)
    splitter.split(text.utf8.span) { _, location in
      wordCount = location.position + 1
      return true
    }
    #expect(matcher.excerpt(of: text, characterLimit: 100).text.utf8.count <= 3200)
    return wordCount
  }

  @Test(
    "A megabyte of one kind is split in a bounded time",
    arguments: [
      ("a", 1), ("é", 1), ("ß", 1), ("a_", 1), ("a'", 1), ("1.", 1), ("a\u{301}", 1),
      ("ա\u{5B0}", 1),
      ("\u{301}", 0), ("ա\u{93C}\u{5B0}", 1), ("_", 0), ("'", 0), ("\"", 0), ("👍🏽", 0), ("🇵", 0),
      ("\u{200D}", 0), ("각", 1),
      ("\u{1100}\u{1161}\u{11A8}", 1), ("\u{5B0}\u{93C}", 0), ("\n", 0), ("\u{0}", 0),
    ])
  func megabyte(_ piece: String, _ words: Int) throws {
    let text = String(repeating: piece, count: megabyte / piece.utf8.count)

    var found = 0
    let time = try ContinuousClock().measure { found = try use(text) }

    #expect(found == words)
    // A slow machine takes a second without optimization. A quadratic algorithm takes hours.
    #expect(time < .seconds(60))
  }

  @Test("A letter with a megabyte of marks in the worst order has one bounded word")
  func marks() throws {
    for marks in ["\u{5B0}\u{93C}", "\u{64B}", "\u{3099}"] {
      let text = "東" + String(repeating: marks, count: megabyte / marks.utf8.count) + "京"
      #expect(try use(text) == 2)
      #expect(words(text).allSatisfy { $0.unicodeScalars.count <= 64 })
    }
    let descending =
      "ա" + String(repeating: "\u{651}", count: 300)
      + String(repeating: "\u{5B0}", count: megabyte / 2)
    #expect(try use(descending) == 1)
  }

  @Test("A run of a megabyte gives one word for each character")
  func run() throws {
    #expect(try use(String(repeating: "東", count: megabyte / 3)) == megabyte / 3)
    #expect(try use(String(repeating: "か\u{3099}", count: megabyte / 6)) == megabyte / 6)
  }

  @Test("A text of all scalars has words that are valid and within the limit")
  func allScalars() throws {
    var text = ""
    for number in UInt32(0)...0x10FFFF {
      if let scalar = Unicode.Scalar(number) { text.unicodeScalars.append(scalar) }
    }

    try use(text)

    let wrong = located(text).filter { word, location in
      word.isEmpty || word.unicodeScalars.count > 64 || word.contains("\u{FFFD}")
        || location.headByteCount > word.utf8.count || location.headEnd > location.range.upperBound
    }
    #expect(wrong.isEmpty)
  }

  @Test("All bytes and all pairs of bytes are split without a trap")
  func allBytes() {
    var splitter = WordSplitter()
    var bytes: [UInt8] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max { bytes += [first, second, 0x61, first, 0xE6, second] }
    }
    var end = 0

    var isOrdered = true
    splitter.split(bytes.span) { _, location in
      if location.range.lowerBound < end, location.kind == .ordinary { isOrdered = false }
      end = location.range.upperBound
      return true
    }

    #expect(isOrdered && end > 0)
  }

  @Test(
    "A query of a megabyte is read or refused in a bounded time",
    arguments: [
      ("\"", TextQueryError.Code.noWord), ("-", .loneMinus), ("\" ", .noWord), ("- ", .loneMinus),
      ("-\"\"", .loneMinus),
      ("\"-", .loneMinus), ("*", .loneStar), ("a ", nil), ("-a ", .onlyExclusions),
      ("ab\"c\"", nil), ("a*", .innerStar),
      ("a", nil), ("東", .tooManyWords), ("a-", .tooManyWords), ("\u{301}", .noWord),
      ("צ\"", .unclosedQuote), ("\"a", nil),
    ])
  func query(_ piece: String, _ code: TextQueryError.Code?) throws {
    let text = String(repeating: piece, count: megabyte / piece.utf8.count & ~1)
    var found: TextQueryError.Code?

    let time = ContinuousClock().measure {
      do throws(TextQueryError) { _ = try TextQuery(text).description } catch { found = error.code }
    }

    #expect(found == code)
    #expect(time < .seconds(60))
  }
}
