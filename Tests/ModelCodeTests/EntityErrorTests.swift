import Testing

/// Wrong declarations of entities, with the errors that the compiler shows in the file of the program.
@Suite("Wrong declarations of entities are errors at their places")
struct EntityErrorTests {
  private func errors(_ members: String) throws -> [String] {
    try Compiler().errors(
      in: """
        import Foundation
        import Quire
        @Entity final class Trip: ManagedObject {
        \(members)
        }
        @Entity final class Stop: ManagedObject {
          var trip: Trip?
        }
        """)
  }

  @Test("A right declaration has no error")
  func right() throws {
    let errors = try errors(
      """
      var name: String = "x"
      @Relationship(.cascade, inverse: \\Stop.trip) var stops: RelatedObjects<Stop>
      """)
    #expect(errors == [])
  }

  @Test(
    "A wrong member has an error at its place",
    arguments: [
      ("  let name: String", "4:3", "write var name"),
      ("  private(set) var name: String", "4:3", "one access level"),
      ("  var stops: [Stop]", "4:7", "The inverse of stops is missing"),
      ("  @Relationship var stops: Set<Stop>", "4:28", "write RelatedObjects<Stop>"),
      ("  var name: Int = \"one\"", "4:19", "is not a valid Int"),
      ("  var name = \"one\"", "4:7", "write var name: String"),
      ("  var map: [String: Int]", "4:12", "can't store values of the type [String: Int]"),
    ])
  func places(_ member: String, _ place: String, _ words: String) throws {
    let errors = try errors(member)
    #expect(
      errors.contains { $0.hasPrefix(place + " ") && $0.contains(words) }, "\(errors)")
  }

  @Test("A type that can't be stored, a wrong default and a wrong argument are errors")
  func types() throws {
    for member in [
      "var a: Date = 3",
      "var a: Int? = Bool.random() ? 1 : \"x\"",
      "@Attribute(.range(\"a\")) var a: Int", "@Relationship(inverse: \\Stop.nothing) var a: Stop?",
      "@Relationship(.explode) var a: Stop?", "@Relationship var a: Int",
    ] {
      #expect(try !errors(member).isEmpty, "\(member)")
    }
  }

  @Test("The error for a type that can't be stored states the remedy")
  func unknownType() throws {
    let errors = try errors("struct Unknown {}; var a: Unknown")
    #expect(errors.contains { $0.contains("conform the type to AttributeValue") }, "\(errors)")
  }

  @Test("The error for a class that is no entity states the missing part")
  func classes() throws {
    let errors = try Compiler().errors(in: "import Quire\n@Entity final class Trip { }")
    #expect(
      errors.contains { $0.hasPrefix("2:21 ") && $0.contains("must inherit from ManagedObject") })
  }

  @Test("Predicates are checked by the compiler")
  func predicates() throws {
    func errors(_ condition: String) throws -> [String] {
      try Compiler().errors(
        in: """
          import Foundation
          import Quire
          @Entity final class Trip: ManagedObject {
            var name: String = "x"
            var start: Date?
            @Relationship(.cascade, inverse: \\Stop.trip) var stops: RelatedObjects<Stop>
          }
          @Entity final class Stop: ManagedObject {
            var nights: Int = 1
            var trip: Trip?
          }
          let request = Trip.where { \(condition) }
          """)
    }
    #expect(try errors("$0.stops.any { $0.nights > 1 } && $0.start > .now") == [])
    for condition in [
      "$0.name > 3", "$0.nights > 1", "$0.stops.any { $0.name == \"x\" }", "$0.name + 1",
      "$0.stops == 3", "$0.nothing == 1",
    ] {
      #expect(try !errors(condition).isEmpty, "\(condition)")
    }
  }
}
