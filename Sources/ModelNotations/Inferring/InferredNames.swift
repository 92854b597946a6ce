/// The names of entities and properties that tables, files and columns get.
package enum InferredNames {
  /// Returns the name of the entity for a file: `OrderItem` for `order_items.csv`.
  package static func entity(of file: String) -> String { entity(ofTable: stem(of: file)) }

  /// Returns the name of the entity for a table.
  package static func entity(ofTable table: String) -> String {
    var words = words(of: table)
    if let last = words.popLast() { words.append(singular(last)) }
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
      return "Table" + name
    }
    return name
  }

  /// Returns the name of a property for a column: `startDate` for `Start Date`.
  package static func property(of column: String) -> String {
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
  package static func list(ofTable table: String) -> String { property(of: table) }

  /// Returns the name of the table for an entity, which ``entity(ofTable:)`` turns back: `order_items` for `OrderItem`.
  package static func table(ofEntity entity: String) -> String {
    var words = words(of: entity)
    if let last = words.popLast() { words.append(plural(last)) }
    let table = words.joined(separator: "_")
    return self.entity(ofTable: table) == entity ? table : entity
  }

  /// Returns the name of the column for a property, which ``property(of:)`` turns back: `start_date` for `startDate`.
  package static func column(ofProperty property: String) -> String {
    let column = words(of: property).joined(separator: "_")
    return self.property(of: column) == property ? column : property
  }

  /// Returns an English plural that ``singular(_:)`` turns back; a word without one is unchanged.
  private static func plural(_ word: String) -> String {
    let vowels: Set<Character> = ["a", "e", "i", "o", "u"]
    var candidates = irregular.filter { $0.value == word }.map(\.key).sorted()
    if word.hasSuffix("y"), let before = word.dropLast().last, !vowels.contains(before) {
      candidates.append(word.dropLast() + "ies")
    }
    candidates += [word + "s", word + "es"]
    return candidates.first { singular($0) == word } ?? word
  }

  /// Returns the words of a column that refers to another object, without a final `id`.
  package static func reference(_ column: String) -> (words: [String], namesIdentifier: Bool) {
    var words = words(of: column)
    let namesIdentifier = words.count > 1 && ["id", "key", "code"].contains(words.last)
    if namesIdentifier { words.removeLast() }
    return (words, namesIdentifier)
  }

  /// Returns the entities that the name of a column suggests, and the name of the relationship to them; `nil` if the name suggests
  /// no entity.
  ///
  /// - Parameters:
  ///   - own: The entity of the column. A column such as `parent_id` refers to an object of the same entity.
  ///   - entities: The names of all entities.
  package static func targets(
    of column: String, in own: Int, among entities: [String]
  ) -> (entities: [Int], property: String)? {
    let (words, namesIdentifier) = reference(column)
    guard !words.isEmpty else { return nil }
    var targets = entities.indices.filter { target in
      let entity = self.words(of: entities[target])
      return words.suffix(entity.count) == entity[...]
    }
    if targets.isEmpty, namesIdentifier || words == ["parent"] { targets = [own] }
    return targets.isEmpty ? nil : (targets, property(of: words.joined(separator: " ")))
  }

  /// Returns the words of an entity's name in lower case.
  package static func words(ofEntity entity: String) -> [String] { words(of: entity) }

  package static func stem(of file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the words of a name in lower case. Words end at signs, at spaces, and before a capital letter.
  package static func words(of name: String) -> [String] {
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

  /// Returns a name with a number at its end if the name is taken.
  ///
  /// - Parameter form: The form in which the names in `taken` are.
  package static func free(
    _ name: String, among taken: Set<String>, as form: (String) -> String = { $0 }
  ) -> String {
    if !taken.contains(form(name)) { return name }
    return (2...).lazy.map { "\(name)\($0)" }.first { !taken.contains(form($0)) }!
  }

  /// Returns the name of the inverse of a relationship.
  ///
  /// - Parameters:
  ///   - list: The usual name, made of the name of the table with the relationship.
  ///   - isOnly: Whether that table has just one relationship to this entity.
  ///   - isOwn: Whether the relationship connects objects of one table.
  ///   - taken: The names of the other properties.
  package static func inverse(
    _ list: String, of property: String, isOnly: Bool, isOwn: Bool, among taken: Set<String>
  ) -> String {
    if isOwn, property == "parent" { return free("children", among: taken) }
    if isOnly, !isOwn, !taken.contains(list) { return list }
    return free(
      "\(list)By\(property.prefix(1).uppercased() + property.dropFirst())", among: taken)
  }

  private static let irregular = [
    "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "movies": "movie", "cookies": "cookie", "pies": "pie",
    "ties": "tie", "series": "series", "species": "species", "news": "news", "data": "data",
    "media": "media", "buses": "bus", "lens": "lens", "address": "address",
  ]

  /// Returns the singular of an English plural. A word that is not a plural is unchanged.
  package static func singular(_ word: String) -> String {
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
