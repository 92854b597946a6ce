import Testing

@Suite("Versions that changes are based on")
struct BasisTests {
  @Test(
    "A change without effect is based on the newest version of its object",
    arguments: Kind.allCases)
  func noEffect(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert(stop: "lisbon", place: "a").save()
      s.one.set("lisbon", trip: nil)
      s.other.set("lisbon", trip: nil).save()
      s.one.set("lisbon", trip: nil).save()
    }
  }
}
