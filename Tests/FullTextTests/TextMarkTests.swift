import NaiveText
import TestEffort
import Testing

@testable import FullText

@Suite("The hits in a text")
struct TextMarkTests {
  private func marked(_ query: String, _ text: String, limit: Int = 1000) throws -> String {
    var matcher = TextMatcher(try TextQuery(query))
    return matcher.excerpt(of: text, characterLimit: limit).marked(start: "[", end: "]")
  }

  @Test(
    "Words, prefixes, phrases and characters are marked",
    arguments: [
      ("quick", "The QUICK brown fox", "The [QUICK] brown fox"),
      ("bro*", "The quick brown fox", "The quick [brown] fox"),
      ("quick fox", "quick brown fox", "[quick] brown [fox]"),
      ("\"quick brown\"", "quick, brown quick", "[quick, brown] quick"),
      ("quick -fox", "quick fox", "[quick] fox"),
      ("quick \"brown fox\" brown", "quick brown fox", "[quick] [brown fox]"),
      ("cafe", "Le Cafe\u{301}!", "Le [Cafe\u{301}]!"), ("東京", "大東京都", "大[東京]都"),
      ("東", "大東京都", "大[東]京都"),
      ("東京都", "大東京都庁", "大[東京都]庁"), ("都", "東京都", "東京[都]"), ("東京 東", "東京", "[東京]"), ("x", "", ""),
      ("x", "a b", "a b"),
      ("\"a a\"", "a a a b a", "[a a a] b a"), ("a_b", "_a_b_", "_[a_b]_"),
      ("ab*", "a\u{AD}bc", "[a\u{AD}bc]"),
      ("\"a b\" \"b c\"", "a b c", "[a b c]"), ("кот", "Кот и кот", "[Кот] и [кот]"),
      ("กิ", "กินกิ", "[กิ]น[กิ]"), ("ำ", "xกำ y", "x[กำ] y"),
    ])
  func marks(_ query: String, _ text: String, _ expected: String) throws {
    #expect(try marked(query, text) == expected)
  }

  @Test("Marks are ranges of bytes")
  func ranges() throws {
    var matcher = TextMatcher(try TextQuery("\"b c\" é"))

    let ranges = matcher.marks(in: "a b c é".utf8.span).map(\.range)

    #expect(ranges == [2..<5, 6..<8])
  }

  @Test("An excerpt has the part with the most clauses, and ends between words")
  func window() throws {
    let filler = (0..<50).map { "filler\($0)" }.joined(separator: " ")
    let text = "one \(filler) one two \(filler) two"

    #expect(try marked("one two", text, limit: 40) == "…filler49 [one] [two] filler0 filler1…")
    #expect(try marked("nothing", text, limit: 12) == "one filler0 …")
    #expect(try marked("one", text, limit: 12) == "[one] filler0…")
    #expect(try marked("filler49", text, limit: 3) == "…[fil]…")
    #expect(try marked("one", text, limit: 0) == "…")
    #expect(try marked("two", "two", limit: 100) == "[two]")
  }

  @Test("An excerpt is not cut within a character")
  func characters() throws {
    let family = "👩‍👩‍👧"
    let text =
      String(repeating: family, count: 10) + "ok" + String(repeating: "e\u{301}\u{323}", count: 10)

    #expect(
      try marked("ok*", text, limit: 6) == "…[okééé".replacing("é", with: "e\u{301}\u{323}")
        + "é".replacing("é", with: "e\u{301}\u{323}") + "]…")
    #expect(
      try marked("ok", text.replacing("e\u{301}\u{323}", with: family), limit: 6)
        == "…\(family)\(family)[ok]\(family)\(family)…")
    #expect(try marked("b", "\r\nb\r\n", limit: 3) == "\r\n[b]\r\n")
    #expect(try marked("b", "\r\nb\r\n", limit: 2) == "…[b]\r\n")
  }

  @Test("Random excerpts are within the limit, consist of whole characters and contain a hit")
  func random() throws {
    for seed in Effort.seeds(3000) {
      var random = TextGenerator(seed: seed)
      let text = random.text()
      let query = try TextQuery(
        random.any(["a", "ab", "uber", "東京", "か", "fi*", "\"a b\"", "don't", "กิน", "한국"]))
      var matcher = TextMatcher(query)
      let limit = random.any([0, 1, 2, 5, 20, 1000])

      let excerpt = matcher.excerpt(of: text, characterLimit: limit)

      let marks = matcher.marks(in: text.utf8.span)
      #expect(excerpt.text.count <= limit, "seed \(seed)")
      #expect(excerpt.text.utf8.count <= 32 * limit, "seed \(seed)")
      #expect(excerpt.text.isEmpty || text.contains(excerpt.text), "seed \(seed)")
      #expect(Array(text).count >= limit || excerpt.text == text, "seed \(seed)")
      #expect(marks.isEmpty || limit == 0 || !excerpt.marks.isEmpty, "seed \(seed)")
      let ends = Set(
        excerpt.text.indices.map { $0.utf16Offset(in: excerpt.text) } + [excerpt.text.utf16.count])
      for mark in excerpt.marks {
        for place in [mark.lowerBound, mark.upperBound] {
          let index = excerpt.text.utf8.index(excerpt.text.startIndex, offsetBy: place)
          #expect(ends.contains(index.utf16Offset(in: excerpt.text)), "seed \(seed)")
        }
      }
    }
  }
}
