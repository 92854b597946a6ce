// Prints the results of everything that Quire asks of ICU. `./run release --check` links this program with all of ICU's
// data and with the part that the release contains, and compares what they print.

import Foundation

let words = [
  "", "a", "A", "b", "Z", "ä", "Ä", "az", "ae", "æ", "å", "aa", "ö", "o", "oe", "ø", "ß", "ss",
  "ch", "cz", "č", "c", "ll",
  "lz", "ñ", "n", "nz", "i", "ı", "I", "İ", "ij", "y", "ü", "đ", "d", "dž", "š", "s", "ž", "z",
  "lj", "nj", "é", "e", "è",
  "10", "9", "2", "item 10", "item 9", "-", "_", "и", "й", "і", "я", "ё", "е", "ب", "پ", "ت", "א",
  "ב", "क", "ख", "ก",
  "ข", "中", "文", "一", "あ", "ア", "カ", "か", "が", "한", "글", "𝒳", "👩‍👩‍👧",
]
let languages = [
  "C", "en", "en_US", "en_US_POSIX", "sv", "de", "de@collation=phonebook", "da", "nb", "is", "es",
  "fr", "fr_CA", "nl", "pt_BR",
  "tr", "az", "cs", "sk", "pl", "hr", "sr_Latn_RS", "lt", "lv", "et", "fi", "hu", "ro", "ru", "uk",
  "kk", "ar", "fa", "he", "hi",
  "th", "vi", "cy", "zh", "zh_Hant", "ja", "ko",
]
for language in languages {
  let locale = Locale(identifier: language)
  var signs = ""
  for first in words {
    for second in words {
      for options: String.CompareOptions in [
        [], .caseInsensitive, [.caseInsensitive, .numeric], .diacriticInsensitive,
      ] {
        signs += "\(first.compare(second, options: options, locale: locale).rawValue + 1)"
      }
    }
  }
  print(language, signs)
}
for first in words {
  print(
    first, first.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil),
    first.uppercased(),
    words.map { first.localizedStandardCompare($0).rawValue + first.localizedCompare($0).rawValue })
}
let texts =
  words + [
    "x1 y_2", "Straße 5", "STRASSE 5", "naïve café", "a\u{301}", "สวัสดี ครับ", "line\nnext\r\nlast",
    "ﬁ",
  ]
let patterns = [
  #"\w+"#, #"\W"#, #"\b\w"#, #"\B."#, #"\X"#, #"\d+"#, #"\s"#, #"\R"#, #"\h"#, #"\p{L}"#,
  #"\p{Lu}"#, #"\p{Script=Greek}"#,
  #"\p{script=Han}"#, #"\p{InCyrillic}"#, #"\p{Block=Thai}"#, #"[[:alpha:]]"#, #"[\p{L}--[a-z]]"#,
  #"[a-z&&[^aeiou]]"#,
  #"\N{LATIN SMALL LETTER A}"#, #"\N{DIGIT NINE}"#, #"(?i)strasse"#, #"(?i)ß"#, #"(?w)\b."#,
  #"\p{Emoji}"#,
  #"\p{Age=6.0}"#, #"\p{Line_Break=AL}"#, #"\p{Word_Break=Numeric}"#, #"\p{Name=SOLIDUS}"#, #"^.$"#,
  #"(?m)^\w+$"#, "[",
]
for pattern in patterns {
  for options: NSRegularExpression.Options in [[], .caseInsensitive, .useUnicodeWordBoundaries] {
    guard let expression = try? NSRegularExpression(pattern: pattern, options: options) else {
      print(pattern, "is no pattern")
      continue
    }
    let counts = texts.map { text in
      expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map {
        "\($0.range)"
      }.joined()
    }
    print(pattern, options.rawValue, counts)
  }
}
let posix = Locale(identifier: "en_US_POSIX")
for text in ["1.5", "1,5", "-1e10", "1e-30", "٣", "x", "12345678901234567890.123"] {
  print(text, Decimal(string: text, locale: posix) as Any, Decimal(string: text) as Any)
}
for zone in [
  "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "EST5EDT",
  "GMT+3",
] {
  guard let zone = TimeZone(identifier: zone) else { continue }
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = zone
  for seconds in stride(from: -3e9, through: 3e9, by: 1.7e8) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let day = calendar.startOfDay(for: date)
    print(
      zone.identifier, zone.secondsFromGMT(for: date), date.formatted(.iso8601),
      day.timeIntervalSinceReferenceDate,
      calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .weekday, .weekOfYear], from: date),
      calendar.date(byAdding: .month, value: 1, to: date) as Any)
  }
}
print(
  Locale.current.identifier, TimeZone.current.identifier,
  String(format: "%.2f %d %@", 1.5, 3, "é" as NSString))
print(CocoaError(.fileNoSuchFile).localizedDescription, POSIXError(.ENOENT).localizedDescription)
