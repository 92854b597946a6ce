import Foundation
import TextMatching

/// Compares the automata of `TextMatching` with Foundation's regular expressions, on patterns that people write.
func runPatternBenchmarks(_ count: Int) throws {
  let texts = PatternTexts(count)
  for (title, pattern, ignoresCase, texts) in [
    ("a name that contains a part", ".*Sou.*", false, texts.names),
    ("the same in either case", ".*sou.*", true, texts.names),
    ("an address for mail", ".+@example\\.(org|com)", false, texts.addresses),
    ("a number plate", "[A-Z]{3}-\\d{1,5}", false, texts.plates),
    ("a date", "\\d{4}-1[01]-\\d\\d", false, texts.dates),
    ("notes of 300 characters that contain a part", ".*Lisbon, Tanaka.*", false, texts.notes),
  ] {
    try comparePattern(title, pattern, ignoresCase: ignoresCase, texts)
  }
}

private func comparePattern(
  _ title: String, _ pattern: String, ignoresCase: Bool, _ texts: [String]
) throws {
  let own = try RegularPattern(pattern, ignoresCase: ignoresCase)
  // As the module uses Foundation's expressions for patterns with back-references: anchored, and with reports that bound the
  // steps.
  let other = try NSRegularExpression(
    pattern: "\\A(?:\(pattern))\\z", options: ignoresCase ? .caseInsensitive : [])
  var measurement = Measurement()
  measurement.add("TextMatching", texts.count, "text") {
    texts.reduce(0) { $0 + ((try? own.matches($1)) == true ? 1 : 0) }
  }
  measurement.add("NSRegularExpression", texts.count, "text") {
    texts.reduce(0) { sum, text in
      var isMatch = false
      unsafe other.enumerateMatches(
        in: text, options: [.anchored, .reportProgress],
        range: NSRange(location: 0, length: text.utf16.count)
      ) { match, _, _ in if match != nil { isMatch = true } }
      return sum + (isMatch ? 1 : 0)
    }
  }
  // Decision 0023: the module goes if Foundation takes less than three times as long.
  let times = measurement.report("\(title): \(pattern)")
  let ratio = Measurement.ratio(times, "NSRegularExpression", to: "TextMatching")
  target("NSRegularExpression / TextMatching", ratio, atLeast: 3)
}

/// Short texts and a few long ones.
private struct PatternTexts {
  var names: [String] = []
  var addresses: [String] = []
  var plates: [String] = []
  var dates: [String] = []
  var notes: [String] = []

  init(_ count: Int) {
    let first = ["Ada", "Bea", "Carlos", "Dora", "Évora", "Fritz", "Gustav", "Hana"]
    let last = ["Smith", "Souza", "Müller", "Okafor", "Tanaka", "Lisbon"]
    for text in 0..<count {
      func pick(_ place: Int, _ limit: Int) -> Int {
        Int(People.hash(place, UInt64(text)) % UInt64(limit))
      }
      let (one, other) = (first[pick(1, first.count)], last[pick(2, last.count)])
      names.append("\(one) \(other)")
      addresses.append(
        "\(one).\(other)\(pick(3, 1000))@example.\(["org", "com", "de"][pick(4, 3)])")
      plates.append("\(["ABC", "XYZ", "abc", "AB"][pick(5, 4)])-\(pick(6, 100_000))")
      dates.append("20\(10 + pick(7, 20))-\(10 + pick(8, 3))-\(10 + pick(9, 20))")
      guard text % 20 == 0 else { continue }
      notes.append(
        (0..<40).map { last[pick(10 + $0, last.count)] + (pick(60 + $0, 9) == 0 ? "," : "") }
          .joined(separator: " "))
    }
  }
}
