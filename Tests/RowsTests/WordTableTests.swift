import Testing

@testable import Rows

@Suite("The words of an index")
struct WordTableTests {
  @Test(
    "Equal words have one number, and the ranks are those of the bytes",
    arguments: [0, 1, 2, 600, 50_000])
  func numbers(count: Int) {
    var table = WordTable()
    let words = (0..<count).map { String($0 &* 7919 % 100_003, radix: 36) }
    for word in words { _ = table.number(of: word.utf8.span) }
    let again = words.map { table.number(of: $0.utf8.span) }

    #expect(again == Array(words.indices))
    #expect(table.count == count)
    let sorted = words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var places: [String: Int] = [:]
    for (place, word) in sorted.enumerated() { places[word] = place }
    #expect(table.ranks().map(Int.init) == words.map { places[$0]! })
  }

  @Test("Words that differ only in their ends, and the empty word, are different")
  func similar() {
    var table = WordTable()
    let words = ["", "a", "aa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaab", "\u{0}", "é"]

    #expect(words.map { table.number(of: $0.utf8.span) } == Array(words.indices))
  }
}
