import Foundation
import TestEffort
import Testing

@testable import FullText

@Suite("The folding of words")
struct FoldingTests {
  /// The scalars that begin a word: of the large blocks, in which all scalars are alike, only every 63rd.
  private var wordScalars: [Unicode.Scalar] {
    Effort.part(of: Array(UInt32(0x21)...0x10FFFF)).compactMap(Unicode.Scalar.init).filter {
      let isInLargeBlock =
        0x3400...0xA48F ~= $0.value || 0xAC00...0xD7A3 ~= $0.value
        || 0x1_7000...0x1_8FFF ~= $0.value
        || 0x2_0000...0x3_FFFF ~= $0.value
      if isInLargeBlock, $0.value % 63 != 0 { return false }
      let kind = ScalarTable.shared[$0.value].kind
      return [.letter, .hebrewLetter, .digit, .unspaced].contains(kind)
    }
  }

  private func foundation(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }

  @Test("Each letter and digit folds as [cd] folds it, composed")
  func agreement() {
    // Unicode 9 and 16 added these capital letters, whose case Foundation does not know, and Todhri letters with a dot.
    let newer: [ClosedRange<UInt32>] = [
      0x1C80...0x1C89, 0xA7CB...0xA7CC, 0xA7DA...0xA7DC, 0x105C9...0x105C9, 0x105E4...0x105E4,
      0x10D50...0x10D65,
    ]

    var different: [String] = []
    for scalar in wordScalars where !newer.contains(where: { $0.contains(scalar.value) }) {
      let expected = foundation(String(scalar)).precomposedStringWithCanonicalMapping
      let found = words(String(scalar))
      // Texts are compared by their bytes, because Swift compares canonical forms.
      if found.map({ Array($0.utf8) }) != [Array(expected.utf8)] {
        different.append(String(scalar.value, radix: 16))
      }
    }

    #expect(different.isEmpty)
  }

  @Test(
    "Words fold as [cd] folds them",
    arguments: [
      "CAFÉ", "Cafe\u{301}", "straße", "STRASSE", "İstanbul", "ISTANBUL", "ısı", "ﬁne", "ΌΔΟΣ",
      "οδός", "Ёлка", "йод", "O\u{20D0}K", "a\u{93C}b", "1\u{301}2", "ŉ", "ǅungla", "Ａｂｃ", "øl",
      "Ⴀ", "ա\u{301}", "\u{1E9B}\u{323}", "\u{5D0}\u{5B0}", "\u{644}\u{64B}", "\u{915}\u{93C}",
      "か\u{309A}", "ぱ\u{3099}",
    ])
  func example(_ text: String) {
    let expected = foundation(text).precomposedStringWithCanonicalMapping

    #expect(words(text).map { Array($0.utf8) } == [Array(expected.utf8)])
  }

  @Test("A composed and a decomposed scalar give the same words in each place of a word")
  func canonicalEquivalence() {
    var different: [String] = []
    for number in Effort.part(of: Array(UInt32(0xC0)...0x2FFFF)) {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let text = String(scalar)
      let decomposed = text.decomposedStringWithCanonicalMapping
      guard Array(decomposed.utf8) != Array(text.utf8) else { continue }
      for (before, after) in [("", ""), ("ab", "cd"), ("か", "\u{3099}"), ("ա", "\u{323}\u{5B0}")] {
        let one = words(before + text + after)
        let other = words(before + decomposed + after)
        if one.map({ Array($0.utf8) }) != other.map({ Array($0.utf8) }) {
          different.append(String(number, radix: 16))
        }
      }
    }

    #expect(different.isEmpty)
  }

  @Test("The words of a word are the word itself")
  func idempotence() {
    var different: [String] = []
    for scalar in wordScalars {
      for text in ["\(scalar)", "a\(scalar)\u{5B0}1", "ա\(scalar)\u{301}\u{64B}"] {
        for word in located(text) where word.location.kind != .pair {
          if words(word.word).map({ Array($0.utf8) }) != [Array(word.word.utf8)] {
            different.append(String(scalar.value, radix: 16))
          }
        }
      }
    }

    #expect(different.isEmpty)
  }

  @Test(
    "Marks in any canonical order give the same word, even beyond the limit of a word",
    arguments: [1, 40, 100, 300])
  func order(_ count: Int) {
    let below = String(repeating: "\u{5B0}", count: count)  // Class 10.
    let above = String(repeating: "\u{64B}", count: count)  // Class 27.
    let between = String(repeating: "\u{93C}", count: count)  // Class 7.

    let word = words("\u{5D0}" + below + above + between)

    #expect(
      word.map { Array($0.utf8) }
        == words("\u{5D0}" + between + below + above).map { Array($0.utf8) })
    #expect(
      word.map { Array($0.utf8) }
        == words("\u{5D0}" + above + between + below).map { Array($0.utf8) })
    #expect(
      words("か" + between + "\u{3099}").map { Array($0.utf8) }
        == words("が" + between).map { Array($0.utf8) })
  }

  @Test("A mark composes with its letter unless a mark of the same class is between them")
  func blockedMark() {
    let blocked = "か\u{309A}\u{3099}"
    let reordered = "か\u{3099}\u{93C}"

    #expect(words(blocked).map { Array($0.utf8) } == [Array(blocked.utf8)])
    #expect(words(reordered).map { Array($0.utf8) } == [Array("が\u{93C}".utf8)])
  }

  @Test("The marks of a letter beyond the limit do not come to the letter before it")
  func marksBeyondTheLimit() {
    let long = "ա" + String(repeating: "\u{64B}", count: 300)

    #expect(words(long + "բ\u{93C}").map { Array($0.utf8) } == words(long).map { Array($0.utf8) })
  }

  @Test("Hangul of letters and of syllables gives the same words")
  func hangul() {
    let text = "모든 국민은 인간으로서의 존엄과 가치를"
    let long = String(repeating: "각가", count: 200)

    #expect(words(text.decomposedStringWithCanonicalMapping) == words(text))
    #expect(words(text) == text.split(separator: " ").map(String.init))
    #expect(words(long.decomposedStringWithCanonicalMapping) == words(long))
    #expect(words("가\u{11A8}") == ["각"])
    #expect(words("\u{1112}\u{1175}\u{11C2}").map { Array($0.utf8) } == [Array("힣".utf8)])
    // U+11A7 is before the first trailing letter and does not compose.
    #expect(words("가\u{11A7}").map { Array($0.utf8) } == [Array("가\u{11A7}".utf8)])
  }
}
