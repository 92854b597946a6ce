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
        enum Kind: String { case leisure, work }
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
      ("  var stops: [Stop]", "4:7", "The inverse of stops is missing"),
      ("  @Relationship var stops: Set<Stop>", "4:28", "write RelatedObjects<Stop>"),
      ("  var name: Int = \"one\"", "4:19", "is not a valid Int"),
      ("  var name = \"one\"", "4:7", "write var name: String"),
      ("  var name = Date()", "4:7", "write var name: Date"),
      ("  @Attribute(.range(1...3)) var name: String", "4:15", "write .length"),
      ("  @Attribute(.day) var name: String", "4:15", "is not a Date"),
      ("  @Attribute(.range(1...3)) var stop: Stop?", "4:39", "remove it from a relationship"),
      ("  @Attribute(.unique) var name: String", "4:15", "Write @Unique before the property"),
      ("  @Relationship(.casade) var stop: Stop?", "4:18", "A delete rule is .cascade"),
      ("  @Relationship(inverse: \\Stop.way) var stop: Stop?", "4:26", "member 'way'"),
      ("  var name: String\n  #Index<Trip>([\\.title])", "5:19", "It has: name."),
      ("  var objectID: String", "4:7", "Choose another name"),
      ("  var tags: Set<String>", "4:13", "write [String]"),
      ("  init(name: String) {}", "4:3", "write convenience init, and call self.init() first"),
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

  @Test(
    "A type that can't be stored has one error, at the type, with the remedy",
    arguments: [
      ("  var kind: Kind", "4:13 "), ("  var kind: Kind? = .work", "4:13 "),
      ("  @Transient var kind: Kind = .work", "4:24 "), ("  var kinds: [String: Kind]", "4:14 "),
      ("  @Attribute(\"art\") var kinds: [Kind]", "4:32 "),
    ])
  func unknownType(_ member: String, _ place: String) throws {
    let errors = try errors(member)
    let own = errors.filter { !$0.contains("SnapshotMember") }
    #expect(own.count == 1 && own[0].hasPrefix(place), "\(errors)")
    #expect(own[0].contains("conform the type to AttributeValue"), "\(errors)")
  }

  @Test("Lists of values, and a property that only its class sets, have no error")
  func lists() throws {
    let errors = try errors(
      """
      private(set) var name: String
      var tags: [String] = []
      var days: [Int]?
      var counts: [String: Int] = [:]
      @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: RelatedObjects<Stop>
      """)
    #expect(errors == [])
  }

  @Test(
    "The error for a wrong class is the only one",
    arguments: [
      ("@Entity final class Trip { }", "2:21 ", "must inherit from ManagedObject"),
      ("@Entity struct Trip { var name: String }", "2:9 ", "needs a class"),
      (
        "@Entity @MainActor final class Trip: ManagedObject { var name: String }", "2:9 ",
        "remove @MainActor"
      ),
    ])
  func classes(_ source: String, _ place: String, _ words: String) throws {
    let errors = try Compiler().errors(in: "import Quire\n" + source)
    #expect(
      errors.count == 1 && errors[0].hasPrefix(place) && errors[0].contains(words), "\(errors)")
  }

  @Test(
    "A name of Core Data or SwiftData is an error with the name to write",
    arguments: [
      ("let object: NSManagedObject", "ManagedObject"),
      ("func f(_ context: ModelContext) {}", "ManagedObjectContext"),
      ("let policy = NSMergeByPropertyObjectTrumpMergePolicy", "MergePolicy.objectWins"),
      ("let policy: MergePolicy = .mergeByPropertyStoreTrump", "storeWins"),
      ("let request = Trip.fetchRequest()", "Trip.where"),
      ("let predicate = QueryPredicate(format: \"a == %@\", 1)", "without a label"),
      ("let keys = Trip.all.sortDescriptors", ".sorted(by:"),
      ("func f(_ c: ManagedObjectContext) { c.undoManager = nil }", "undoStack"),
      ("let options: TextOptions = .localized", "localeSensitive"),
    ])
  func namesElsewhere(_ line: String, _ words: String) throws {
    let errors = try Compiler().errors(
      in: """
        import Quire
        @Entity final class Trip: ManagedObject { var name: String }
        \(line)
        """)
    #expect(errors.count == 1 && errors[0].contains(words), "\(errors)")
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
