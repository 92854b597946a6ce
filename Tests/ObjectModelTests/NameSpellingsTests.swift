import ObjectModel
import Testing

@Suite("Spellings of names")
struct NameSpellingsTests {
  @Test("Every character, its upper case and its lower case have the same case fold")
  func folds() {
    var faults: [String] = []
    // No character beyond this range has a case.
    for value in UInt32(0)..<0x1_F000 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else {
        continue
      }
      let fold = NameSpellings.fold(String(scalar))
      let cases = [
        scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping,
        scalar.properties.titlecaseMapping, fold,
      ]
      for other in cases where NameSpellings.fold(other) != fold {
        faults.append("U+\(String(value, radix: 16))")
      }
    }

    #expect(faults.isEmpty, "\(faults.prefix(10))")
  }

  @Test(
    "Each name is found by its spelling in the file",
    arguments: [NameSpellings.Letters.upper, .lower])
  func roundTrip(_ letters: NameSpellings.Letters) {
    let names = [
      "Straße", "Strasse", "STRASSE", "GRÖẞE", "Größe2", "ı", "İ", "K", "å", "ﬁeld", "ΌΨΗΣ", "ǅa",
      "ŉ", "plain", "Plain2",
    ]
    let spellings = NameSpellings(names, in: letters)

    #expect(Set(spellings.written).count == names.count)
    for (place, written) in spellings.written.enumerated() {
      #expect(spellings.index(of: written) == place, "\(names[place]) is written \(written)")
      #expect(spellings.index(of: names[place]) == place)
    }
    #expect(Array(spellings.written.prefix(3)) == Array(names.prefix(3)))
  }

  @Test("A spelling of another case is found if only one name matches")
  func otherCases() {
    let entities = NameSpellings(["Straße", "Trip", "trip"], in: .upper)
    let properties = NameSpellings(["straße", "strasse", "größe"], in: .lower)

    #expect(entities.written == ["STRASSE", "Trip", "trip"])
    #expect(entities.index(of: "strasse") == 0)
    #expect(entities.index(of: "TRIP") == nil)
    #expect(properties.written == ["straße", "strasse", "größe"])
    #expect(properties.index(of: "STRAßE") == 0)
    #expect(properties.index(of: "STRASSE") == 1)
    #expect(properties.index(of: "GRÖSSE") == 2)
    #expect(properties.index(of: "gross") == nil)
  }
}
