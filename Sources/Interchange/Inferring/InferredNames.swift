/// The names of entities and properties that files and columns get.
enum InferredNames {
  /// Returns the name of the entity for a file: `OrderItem` for `order_items.csv`.
  static func entity(of file: String) -> String { entity(ofTable: stem(of: file)) }

  /// Returns the name of the entity for a table.
  static func entity(ofTable table: String) -> String {
    var words = words(of: table)
    if let last = words.popLast() { words.append(singular(last)) }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
      return "Table" + name
    }
    return name
  }

  /// Returns the name of a property for a column: `startDate` for `Start Date`.
  static func property(of column: String) -> String {
    let words = words(of: column)
    var name = ""
    for (position, word) in words.enumerated() {
      name += position == 0 ? word : word.prefix(1).uppercased() + word.dropFirst()
    }
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
      return "column" + name
    }
    return name
  }

  /// Returns the name of a to-many relationship to the objects of a table: `orderItems` for `order_items`.
  static func list(ofTable table: String) -> String { property(of: table) }

  /// Returns the words of a column that refers to another object, without a final `id`.
  static func reference(_ column: String) -> (words: [String], namesIdentifier: Bool) {
    var words = words(of: column)
    let namesIdentifier = words.count > 1 && ["id", "key", "code"].contains(words.last)
    if namesIdentifier { words.removeLast() }
    return (words, namesIdentifier)
  }

  /// Returns the words of an entity's name in lower case.
  static func words(ofEntity entity: String) -> [String] { words(of: entity) }

  static func stem(of file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the words of a name in lower case. Words end at signs, at spaces, and before a capital letter.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var previous: Unicode.Scalar?
    func isCapital(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.isUppercase ?? false }
    let scalars = Array(name.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
        if !word.isEmpty { words.append(word) }
        word = ""
        previous = nil
        continue
      }
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      let beginsWord =
        isCapital(scalar)
        && (previous.map { !isCapital($0) } ?? false
          || isCapital(previous) && (next?.properties.isLowercase ?? false))
      if beginsWord, !word.isEmpty {
        words.append(word)
        word = ""
      }
      word += String(scalar).lowercased()
      previous = scalar
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static let irregular = [
    "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "movies": "movie", "cookies": "cookie", "pies": "pie",
    "ties": "tie", "series": "series", "species": "species", "news": "news", "data": "data",
    "media": "media", "buses": "bus", "lens": "lens", "address": "address",
  ]

  /// Returns the singular of an English plural. A word that is no plural is unchanged.
  static func singular(_ word: String) -> String {
    if let known = irregular[word] { return known }
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "shes", "ches", "xes", "zes", "uses"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    let isPlural =
      word.hasSuffix("s") && word.count > 3
      && !["ss", "us", "is"].contains { word.hasSuffix($0) }
    return isPlural ? String(word.dropLast()) : word
  }
}
