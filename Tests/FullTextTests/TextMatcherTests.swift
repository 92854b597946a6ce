import Testing

@testable import FullText

@Suite("The scan of a text")
struct TextMatcherTests {
  @Test(
    "A text meets a query if it contains all its words and no excluded one",
    arguments: [
      ("quick", "The QUICK brown fox", true), ("slow", "The quick brown fox", false),
      ("quick fox", "The quick brown fox", true),
      ("quick cat", "The quick brown fox", false), ("bro*", "The quick brown fox", true),
      ("row*", "The quick brown fox", false),
      ("brown*", "The quick brown fox", true), ("browns*", "The quick brown fox", false),
      ("quick -fox", "The quick brown fox", false),
      ("quick -cat", "The quick brown fox", true), ("quick -f*", "The quick brown fox", false),
      ("a", "", false),
      ("\"quick brown\"", "The quick brown fox", true),
      ("\"quick fox\"", "The quick brown fox", false),
      ("\"brown quick\"", "The quick brown fox", false), ("quick-bro*", "quick, brown", true),
      ("\"a b c\"", "a b a b c", true), ("\"a b c\"", "a b b c", false),
      ("\"a a b\"", "a a a b", true), ("x -\"a b\"", "x a c b", true),
      ("x -\"a b\"", "x a b", false), ("x -a-b*", "x a bc", false),
      ("\"fox the\"", "The quick brown fox", false), ("cafe", "CAFÉ", true),
      ("Café", "cafe\u{301}", true), ("STRASSE", "Straße", true),
      ("don’t", "I don't", true), ("dont", "don't", false), ("well-known", "well known", true),
      ("wellknown", "well-known", false),
      ("東京", "大東京都", true), ("京", "東京", true), ("京", "東京都", true), ("東都", "東京都", false),
      ("東京都", "東京 都", false),
      ("東京都", "東京都庁", true), ("\"東京 x\"", "東京 x", true), ("\"東京 x\"", "東京都 x", false),
      ("\"x 東\"", "x 東京", true),
      ("か", "が", false), ("が", "か\u{3099}", true), ("ガラ", "ガラス", true), ("ไทย", "ภาษาไทย", true),
      ("กิน", "กน", false),
      ("각", "가", false), ("가*", "각", false), ("-a b", "b", true), ("-a b", "b a", false),
    ])
  func answers(_ query: String, _ text: String, _ expected: Bool) throws {
    #expect(try matches(query, text) == expected)
  }

  @Test("A matcher forgets a text before the next one")
  func reuse() throws {
    var matcher = TextMatcher(try TextQuery("\"a b\" c"))

    let found = ["a", "b c", "a b c", "c"].map { matcher.matches($0) }

    #expect(found == [false, false, true, false])
  }

  @Test("A matcher has room for 64 words in one phrase and in 64 clauses")
  func manyWords() throws {
    let words = (0..<64).map { "w\($0)" }
    let text = words.joined(separator: " ")
    let reversed = words.reversed().joined(separator: " ")

    #expect(try matches("\"\(text)\"", "x \(text) y"))
    #expect(try !matches("\"\(text)\"", reversed))
    #expect(try matches(text, reversed))
    #expect(try !matches(text, words.dropLast().joined(separator: " ")))
    #expect(try !matches("-" + words.dropFirst().joined(separator: " -") + " w0", "w0 w63"))
  }
}
