/// Makes names of tables and columns from the names of a model (spec §14.2.2): lower case, with an underscore between
/// words, unique, and not longer than PostgreSQL allows.
struct NameMaker {
  private var taken: Set<String>

  /// The most bytes of a name.
  static let mostByteCount = 63

  /// - Parameter taken: Names that must not be made.
  init(taken: Set<String> = []) { self.taken = taken }

  /// Returns a name that is not in use yet: `startDate` becomes `start_date`.
  mutating func take(_ name: String) -> String {
    let plain = NameMaker.plain(name)
    var candidate = NameMaker.cut(plain, NameMaker.mostByteCount)
    var number = 1
    while taken.contains(candidate) {
      number += 1
      let ending = "_\(number)"
      candidate = NameMaker.cut(plain, NameMaker.mostByteCount - ending.utf8.count) + ending
    }
    taken.insert(candidate)
    return candidate
  }

  /// Returns a name in lower case with underscores. A character outside ASCII letters, digits and underscores stays.
  static func plain(_ name: String) -> String {
    var result = ""
    var previous: Unicode.Scalar?
    let scalars = Array(name.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      if isUpper(scalar) {
        // `URLPath` becomes `url_path`, and `myURL` becomes `my_url`.
        let beginsWord =
          previous.map { !isUpper($0) && $0 != "_" } ?? false
          || (previous.map { isUpper($0) } ?? false) && (next.map { isLower($0) } ?? false)
        if beginsWord, result.last != "_" { result += "_" }
        result.unicodeScalars.append(Unicode.Scalar(scalar.value + 32)!)
      } else if scalar == "." || scalar == "#" {
        result += "_"
      } else if scalar.value == 0 {
        // PostgreSQL has no names with this character.
        result += "_"
      } else {
        result.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return result.isEmpty ? "_" : result
  }

  private static func isUpper(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) }
  private static func isLower(_ scalar: Unicode.Scalar) -> Bool { ("a"..."z").contains(scalar) }

  /// Returns the beginning of a text, of at most a number of bytes.
  private static func cut(_ text: String, _ byteCount: Int) -> String {
    guard text.utf8.count > byteCount else { return text }
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += String(scalar).utf8.count
      if count > byteCount { break }
      result.append(scalar)
    }
    return String(result)
  }
}
