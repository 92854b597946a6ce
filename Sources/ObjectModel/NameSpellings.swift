/// The spellings of a model's names in an XML document, and the name that a spelling means (spec §5.3.1).
///
///     let names = NameSpellings(["Straße", "Trip"], in: .upper)
///     names.written                // STRASSE, TRIP
///     names.index(of: "strasse")   // 0
package struct NameSpellings: Sendable {
  /// The case of written names.
  package enum Letters: Sendable {
    case upper, lower

    /// Returns a name in this case. Each character is mapped as Unicode defines, without regard to language or
    /// neighbouring characters.
    func applied(to name: String) -> String {
      var result = ""
      for scalar in name.unicodeScalars {
        let properties = scalar.properties
        result += self == .upper ? properties.uppercaseMapping : properties.lowercaseMapping
      }
      return result
    }
  }

  /// The names as a document spells them: in the document's case, or as in the model if several names have the same
  /// case fold.
  package let written: [String]
  private let letters: Letters
  private let exact: [String: Int]
  /// The positions of names by their name in the document's case, without ambiguous names.
  private let usual: [String: Int]
  /// The positions of names by their case fold, without ambiguous names.
  private let folded: [String: Int]

  /// Creates the spellings of the given names, which have no duplicates.
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

  /// Returns the position of the name that a spelling means; `nil` if no name or several names match.
  package func index(of spelling: String) -> Int? {
    exact[spelling] ?? usual[letters.applied(to: spelling)]
      ?? folded[NameSpellings.fold(spelling)]
  }

  /// Returns the case fold of a name: the lower case of the upper case of its lower case.
  ///
  /// A name, its upper case and its lower case have the same fold, for every name. The case folding of Unicode does
  /// not have this property: `ı` has the upper case `I`, but the two have different case foldings.
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
