import Testing

@testable import FullText

@Suite("Full-text queries")
struct TextQueryTests {
  @Test(
    "A query has one spelling, from which an equal query is read",
    arguments: [
      ("quick bro* -lazy \"exact phrase\"", "quick bro* -lazy \"exact phrase\""),
      ("  Café\tÜBER\n", "cafe uber"), ("a a \"a\" A", "a"), ("a -\"b c\" -d*", "a -\"b c\" -d*"),
      ("well-known", "\"well known\""), ("well-kno*", "well-kno*"),
      ("-well-kno* x", "-well-kno* x"),
      ("\"one\"", "one"), ("\"a, (b)! * -c\"", "\"a b c\""), ("don’t", "don't"), ("3.14", "3.14"),
      ("U.S.A", "\"u s a\""), ("東京都", "\"東京都\""), ("東京", "東京"), ("東", "東"), ("東*", "東"),
      ("東京*", "東京"),
      ("東京 -東", "東京 -東"), ("\"東京 x\"", "\"東京 x\""), ("\"東 京\"", "\"東 京\""), ("x東", "\"x 東\""),
      ("東x*", "東-x*"),
      ("a & b", "a b"), ("a \"\" b", "a b"), ("a\"b c\"d", "a \"b c\" d"),
      ("--force x", "-force x"),
      ("צה\"ל", "צה״ל"), ("צֹה\"ל", "צֹה״ל"), ("a-", "a"), ("#tag", "tag"), ("a*\"b\"", "a* b"),
      ("__x__*", "x*"), ("-a b", "-a b"),
    ])
  func spelling(_ text: String, _ expected: String) throws {
    let query = try TextQuery(text)

    #expect(Array(query.description.utf8) == Array(expected.utf8), "\(query)")
    #expect(try TextQuery(query.description) == query)
  }

  @Test("A cut word has a spelling from which an equal query is read")
  func cutWord() throws {
    for text in [
      String(repeating: "x", count: 63) + "_y", String(repeating: "1.", count: 40),
      String(repeating: "東", count: 60),
      "東" + String(repeating: "\u{93C}", count: 100) + "京",
    ] {
      let query = try TextQuery(text)
      #expect(try TextQuery(query.description) == query, "\(text)")
    }
  }

  @Test(
    "An error names the place and the remedy",
    arguments: [
      ("", .noWord, nil, "Add one with at least one letter"),
      (" …!? ", .noWord, nil, "Add one with at least one letter"),
      ("\"\"", .noWord, nil, "Add one"),
      ("-a", .onlyExclusions, nil, "Add a word without -"),
      ("-a -\"b c\"", .onlyExclusions, nil, "Add a word without -"),
      ("ä \"b c", .unclosedQuote, 3, "Add a \" after its last word"),
      ("\"", .unclosedQuote, 0, "Add a \""),
      ("a\"b", .unclosedQuote, 1, "Add a \""), ("a -\"b", .unclosedQuote, 3, "Add a \""),
      ("a *", .loneStar, 2, "directly after the beginning of a word"),
      ("*", .loneStar, 0, "directly after"),
      ("a !*", .loneStar, 3, "directly after"), ("*a", .loneStar, 0, "directly after"),
      ("\"a b\"*", .loneStar, 5, "directly after"), ("-* a", .loneStar, 1, "directly after"),
      ("a b*c", .innerStar, 3, "only be at the end of a word"),
      ("a b**", .innerStar, 3, "only be at the end"),
      ("a - b", .loneMinus, 2, "directly before the word to exclude"),
      ("a -", .loneMinus, 2, "directly before"),
      ("a -!", .loneMinus, 2, "directly before"), ("-\"\" a", .loneMinus, 0, "directly before"),
      ("a --", .loneMinus, 2, "or remove it"),
    ] as [(String, TextQueryError.Code, Int?, String)])
  func errors(
    _ text: String, _ code: TextQueryError.Code, _ offset: Int?, _ remedy: String
  ) throws {
    let error = try #require(throws: TextQueryError.self) { try TextQuery(text) }

    #expect(error.code == code)
    #expect(error.offset == offset)
    #expect(error.description.contains(remedy))
  }

  @Test("A query has at most 64 words, counted with the words of its phrases")
  func wordLimit() throws {
    func words(_ count: Int) -> String { (0..<count).map { "w\($0)" }.joined(separator: " ") }
    let long = "\(words(62)) \"a b\""

    #expect(try TextQuery(words(64)).clauses.count == 64)
    #expect(try TextQuery(long).clauses.count == 63)
    #expect(try TextQuery(words(64) + " w1").clauses.count == 64)
    #expect(try TextQuery("\"\(words(64))\"").clauses.count == 1)
    #expect(try TextQuery(String(repeating: "東", count: 65)).clauses.count == 1)
    for text in [
      long + " c", words(65), "a \"\(words(64))\"", "\"\(words(65))\"",
      String(repeating: "東", count: 66),
    ] {
      let error = try #require(throws: TextQueryError.self) { try TextQuery(text) }
      #expect(error.code == .tooManyWords)
      #expect(error.description.contains("more than 64 words"))
    }
    #expect(throws: TextQueryError.tooManyWords(at: long.utf8.count + 1)) {
      try TextQuery(long + " c")
    }
  }

  @Test("An index gets the words and prefixes, and learns whether phrases remain to be checked")
  func terms() throws {
    func term(_ text: String, isPrefix: Bool = false, isExcluded: Bool = false) -> TextQuery.Term {
      TextQuery.Term(bytes: Array(text.utf8), isPrefix: isPrefix, isExcluded: isExcluded)
    }

    let plain = try TextQuery("Quick bro* -lazy -do*")
    #expect(
      plain.terms == [
        term("quick"), term("bro", isPrefix: true), term("lazy", isExcluded: true),
        term("do", isPrefix: true, isExcluded: true),
      ])
    #expect(!plain.needsText)

    let phrases = try TextQuery("a \"a b\" -\"c d\"")
    #expect(phrases.terms == [term("a"), term("b")])
    #expect(phrases.needsText)
    #expect(try TextQuery("x -\"c d\"").needsText)

    #expect(try TextQuery("東京都").terms == [term("東京"), term("京都")])
    #expect(try TextQuery("東").terms == [term("東", isPrefix: true)])
    #expect(try !TextQuery("東京").needsText)
  }
}
