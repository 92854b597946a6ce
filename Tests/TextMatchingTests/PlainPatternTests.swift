import Foundation
import SeededRandom
import Testing

@testable import TextMatching

@Suite("Plain patterns")
struct PlainPatternTests {
  @Test(
    "Patterns of usual models are plain",
    arguments: [
      #".+@.+\..+"#, "[A-Z]{3}-\\d+", "^[a-z0-9._%+]+$", "(?:ab|cd)*", "https?://.*", "a{2,}", "",
      #"\(\d{1,3}\)"#, "[^0-9]", "(|a)b?",
    ])
  func plain(_ pattern: String) {
    #expect(PlainPattern.accepts(pattern))
  }

  @Test(
    "Other patterns are left to Foundation, whether they are valid or not",
    arguments: [
      "(", "a)", "[a", "[]", "[z-a]", "a{3,2}", "a**", "a++", "a+?", "*a", "a{", "a{1", "a{,2}",
      #"a\"#, #"\1"#,
      #"\p{L}"#, "(?=a)", "(?<n>a)", "(?i)a", "[[:alpha:]]", "[a&&b]", "é", "a{999}", "a#b", "^*",
      String(repeating: "(", count: 30) + String(repeating: ")", count: 30),
    ])
  func other(_ pattern: String) {
    #expect(!PlainPattern.accepts(pattern))
  }

  @Test("Foundation accepts each random pattern that is plain")
  func agreement() throws {
    var random = SeededGenerator(seed: 20_261_127)
    let parts = [
      "a", "Z", "7", ".", "*", "+", "?", "{2}", "{1,3}", "{3,}", "{", "}", "(", ")", "(?:", "|",
      "[", "]", "^", "$",
      "-", "a-z", "\\", "\\d", "\\-", " ", "@", "_", ",", "&&",
    ]
    var count = 0
    for _ in 0..<60_000 {
      let length = Int.random(in: 1...8, using: &random)
      let pattern = (0..<length).map { _ in parts.randomElement(using: &random)! }.joined()
      guard PlainPattern.accepts(pattern) else { continue }
      count += 1
      #expect((try? NSRegularExpression(pattern: pattern)) != nil, "\(pattern)")
      #expect((try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")) != nil, "\(pattern)")
    }
    #expect(count > 3000, "\(count)")
  }
}
