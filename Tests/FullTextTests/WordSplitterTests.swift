import NaiveText
import Testing

@testable import FullText

@Suite("The words of a text")
struct WordSplitterTests {
  @Test(
    "Words consist of letters, digits, marks, and punctuation between them",
    arguments: [
      ("", []), (" ", []), ("…!?-\"*", []), ("a", ["a"]),
      ("The Quick-brown fox", ["the", "quick", "brown", "fox"]),
      ("don't", ["don't"]), ("don’t", ["don't"]), ("rock 'n' roll", ["rock", "n", "roll"]),
      ("dogs'", ["dogs"]),
      ("a''b", ["a", "b"]), ("o'2", ["o", "2"]), ("1'000", ["1'000"]), ("'", []),
      ("3.14", ["3.14"]), ("1,234.5", ["1,234.5"]), ("1.", ["1"]), (".5", ["5"]),
      ("1..2", ["1", "2"]),
      ("1;2:3", ["1", "2", "3"]), ("192.168.0.1", ["192.168.0.1"]), ("v1.2", ["v1.2"]),
      ("p.5", ["p", "5"]),
      ("U.S.A.", ["u", "s", "a"]), ("example.com", ["example", "com"]), ("a,b", ["a", "b"]),
      ("snake_case", ["snake_case"]), ("__init__", ["init"]), ("a__1", ["a__1"]), ("_", []),
      ("a_'b", ["a", "b"]),
      ("a_", ["a"]), ("a'_b", ["a", "b"]), ("1._2", ["1", "2"]),
      ("col·lega", ["col·lega"]), ("l·", ["l"]), ("1·2", ["1", "2"]),
      ("col\u{387}lega", ["col·lega"]),
      ("key:value", ["key", "value"]), ("x²", ["x"]), ("½", []), ("3rd B2B", ["3rd", "b2b"]),
      ("צה\"ל", ["צה״ל"]), ("צה״ל", ["צה״ל"]), ("a\"b", ["a", "b"]), ("צ\"", ["צ"]),
      ("צ\"a", ["צ", "a"]),
      ("Donau\u{AD}dampf", ["donaudampf"]), ("می\u{200C}خواهم", ["میخواهم"]),
      ("a\u{200D}b", ["ab"]),
      ("\u{301}a", ["a"]), ("a'\u{301}b", ["a'b"]), ("a_\u{301}b", ["a_b"]), (" \u{301}", []),
      ("👍🏽 ok 🇵🇹 👩‍👩‍👧", ["ok"]), ("a👍b", ["a", "b"]), ("٣٫١٤", ["٣٫١٤"]), ("१,२", ["१,२"]),
      ("naïve café", ["naive", "cafe"]), ("a\u{85}b\u{2028}c\u{A0}d", ["a", "b", "c", "d"]),
      ("мама мыла", ["мама", "мыла"]), ("हिन्दी में", ["हिन्दी", "में"]),
      ("а\u{2019}б", ["а'б"]), ("é_é", ["e_e"]), ("é__", ["e"]), ("1\u{66C}000", ["1\u{66C}000"]),
    ])
  func rules(_ text: String, _ expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test(
    "A script without spaces gives each pair of neighbours, and the last character",
    arguments: [
      ("東", ["東"]), ("東京", ["東京", "京"]), ("東京都", ["東京", "京都", "都"]), ("東 京", ["東", "京"]),
      ("Tシャツ", ["t", "シャ", "ャツ", "ツ"]), ("3月", ["3", "月"]), ("月3", ["月", "3"]),
      ("ガラ", ["ガラ", "ラ"]),
      ("カ\u{3099}ラ", ["ガラ", "ラ"]), ("ไทย", ["ไท", "ทย", "ย"]), ("กิน", ["กิน", "น"]),
      ("東_京", ["東", "京"]),
      ("ខ្មែរ", ["ខ្មែ", "មែរ", "រ"]), ("ສະ", ["ສະ", "ະ"]), ("မြန်", ["မြန်", "န်"]), ("豈", ["豈"]),
      ("東\u{AD}京", ["東京", "京"]),
      ("ｶﾞ", ["ｶﾞ"]), ("々ー", ["々ー", "ー"]), ("東é", ["東", "e"]), ("é東", ["e", "東"]),
      ("a'東", ["a", "東"]),
    ])
  func unspaced(_ text: String, _ expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test("A word has its position, its bytes in the text, and the end of its first character")
  func locations() {
    let found = located("Ein „Café_“ 東京 x")

    #expect(found.map(\.word) == ["ein", "cafe", "東京", "京", "x"])
    #expect(found.map(\.location.position) == [0, 1, 2, 3, 4])
    #expect(found.map(\.location.range) == [0..<3, 7..<12, 17..<23, 20..<23, 24..<25])
    #expect(found.map(\.location.headEnd) == [3, 12, 20, 23, 25])
    #expect(found.map(\.location.headByteCount) == [3, 4, 3, 3, 1])
    #expect(found.map(\.location.kind) == [.ordinary, .ordinary, .pair, .last, .ordinary])
    #expect(located("กิน").map(\.location.range) == [0..<9, 6..<9])
    #expect(located("กิน").map(\.location.headEnd) == [6, 9])
  }

  @Test("ASCII gives the same words with and without the table of scalars")
  func paths() {
    var splitter = WordSplitter()
    for seed in UInt64(1)...2000 {
      var random = TextGenerator(seed: seed)
      let text = random.ascii()
      var general: [String] = []
      let bytes = Array(text.utf8)
      var place = 0
      while place < bytes.count {
        let next = splitter.splitScalars(bytes.span, from: place) { word, _ in
          general.append(String(decoding: [UInt8](copying: word), as: UTF8.self))
          return true
        }
        place = next ?? bytes.count
      }

      #expect(words(text) == general, "\(text.debugDescription)")
    }
  }

  @Test("A word is cut to 64 scalars, and then to its last letter or digit")
  func limit() {
    let x64 = String(repeating: "x", count: 64)
    let x63 = String(repeating: "x", count: 63)

    #expect(words(x64 + "y") == [x64])
    #expect(words(x63 + "_y z") == [x63, "z"])
    #expect(words(x63 + "_yé z") == [x63, "z"])
    #expect(words(x63 + "é") == [x63 + "e"])
    #expect(words(x63 + "ß") == [x63 + "s"])
    #expect(words(String(repeating: "ж", count: 100)) == [String(repeating: "ж", count: 64)])
    #expect(
      words(String(repeating: "1.", count: 100))
        == [String(repeating: "1.", count: 31) + "1.1"].map { String($0.prefix(63)) })
    #expect(words(String(repeating: "𐐨", count: 100))[0].utf8.count == 256)
  }

  @Test("A closure ends the splitting", arguments: ["a b c", "é è ê", "東京都"])
  func stop(_ text: String) {
    var splitter = WordSplitter()
    var count = 0

    splitter.split(text.utf8.span) { _, _ in
      count += 1
      return count < 2
    }

    #expect(count == 2)
  }

  @Test("Invalid bytes separate words")
  func invalid() {
    var splitter = WordSplitter()
    func split(_ bytes: [UInt8]) -> [String] {
      var result: [String] = []
      splitter.split(bytes.span) { word, _ in
        result.append(String(decoding: [UInt8](copying: word), as: UTF8.self))
        return true
      }
      return result
    }

    #expect(split([0x61, 0xFF, 0x62]) == ["a", "b"])
    #expect(split([0x61, 0xC3]) == ["a"])
    #expect(split([0x61, 0xC3, 0x62]) == ["a", "b"])
    #expect(split([0xE6, 0x9D, 0x62]) == ["b"])
    #expect(split([0xF7, 0xBF, 0xBF, 0xBF, 0x62]) == ["b"])
    #expect(split([0xED, 0xA0, 0x80, 0x62]) == ["b"])
    #expect(split([0xC1, 0xA1, 0x62]) == ["b"])
    #expect(split([0xE0, 0x81, 0xA1, 0x62]) == ["b"])
    #expect(split([0xF0, 0x80, 0x81, 0xA1, 0x62]) == ["b"])
    #expect(split([0xC3, 0xA9, 0xCC, 0x81]) == ["e"])
    #expect(split([0x80, 0x80]) == [])
    #expect(split([0xF8, 0x90, 0x90, 0xA8, 0x62]) == ["b"])
  }
}
