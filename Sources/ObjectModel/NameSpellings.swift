/// How a document in XML spells the names of a model, and which name a spelling means (spec §5.3.1).
///
///     let names = NameSpellings(["Straße", "Trip"], in: .upper)
///     names.written                // STRASSE, TRIP
///     names.index(of: "strasse")   // 0
package struct NameSpellings: Sendable {
  /// The case in which names are written.
  package enum Letters: Sendable {
    case upper, lower

    /// Returns a name in this case, as Unicode maps each of its characters without regard to language or neighbours.
    func applied(to name: String) -> String {
      var result = ""
      for scalar in name.unicodeScalars {
        let properties = scalar.properties
        result += self == .upper ? properties.uppercaseMapping : properties.lowercaseMapping
      }
      return result
    }
  }

  /// The names as a document spells them: in their case, or as the model does if other names have the same case fold.
  package let written: [String]
  private let letters: Letters
  private let exact: [String: Int]
  /// The names by their usual case, without those that two names share.
  private let usual: [String: Int]
  /// The names by their case fold, without those that two names share.
  private let folded: [String: Int]

  /// The spellings of the given names, no two of which are the same.
  package init(_ names: [String], in letters: Letters) {
    self.letters = letters
    exact = Dictionary(zip(names, names.indices)) { first, _ in first }
    usual = NameSpellings.unique(names.map { letters.applied(to: $0) })
    let folds = names.map { NameSpellings.fold($0) }
    let folded = NameSpellings.unique(folds)
    self.folded = folded
    written = zip(names, folds).map { name, fold in
      folded[fold] == nil ? name : letters.applied(to: name)
    }
  }

  /// Returns the place of the name that a document means; `nil` if there is none, or more than one.
  package func index(of spelling: String) -> Int? {
    exact[spelling] ?? usual[letters.applied(to: spelling)]
      ?? folded[NameSpellings.fold(spelling)]
  }

  /// Returns the case fold of a name: the lower case of the upper case of its lower case.
  ///
  /// A name, its upper case and its lower case have the same fold, for every name. The case folding of Unicode does not
  /// have this property: `ı` has the upper case `I`, and another case folding than that.
  package static func fold(_ name: String) -> String {
    Letters.lower.applied(to: Letters.upper.applied(to: Letters.lower.applied(to: name)))
  }

  private static func unique(_ texts: [String]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for text in texts { counts[text, default: 0] += 1 }
    return Dictionary(
      uniqueKeysWithValues: zip(texts, texts.indices).filter { counts[$0.0] == 1 })
  }
}
