import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import SeededRandom
import StoreInterface
import Testing
import Validation

@testable import Interchange

/// The import of files that people write.
@Suite("Importing")
struct ImportTests {
  private let disk = SimulatedDisk()
  private let store: any Store

  init() throws {
    let trip = Entity(
      "Trip",
      properties: [
        .attribute(
          Attribute("name", .string, isOptional: false, validation: .init(minimum: .integer(2)))),
        .attribute(Attribute("days", .int16, validation: .init(maximum: .integer(99)))),
        .attribute(Attribute("done", .boolean, defaultValue: .boolean(false))),
        .relationship(
          Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
        .relationship(
          Relationship(
            "guides", to: "Guide", inverse: "trips", count: .init(minimum: 0, maximum: 2))
        ),
      ], uniquenessConstraints: [["name"]])
    let stop = Entity(
      "Stop",
      properties: [
        .attribute(Attribute("place", .string)),
        .relationship(Relationship("trip", to: "Trip", inverse: "stops", isOptional: false)),
      ])
    let guide = Entity(
      "Guide",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("trips", to: "Trip", inverse: "guides", count: .toMany)),
      ])
    store = try BinaryStoreBackend().create(
      at: "/Trips.store", model: Model(entities: [trip, stop, guide]), on: disk, StoreCreation())
  }

  @discardableResult
  private func run(
    _ text: String, _ format: ExchangeFormat = .jsonl, entity: String? = nil,
    _ change: (inout ObjectImport.Options) -> Void = { _ in }
  ) throws -> ObjectImport.Report {
    try run(Array(text.utf8), format, entity: entity, change)
  }

  private func run(
    _ bytes: [UInt8], _ format: ExchangeFormat, entity: String?,
    _ change: (inout ObjectImport.Options) -> Void
  ) throws -> ObjectImport.Report {
    try? disk.remove("/in")
    let file = try disk.open("/in", for: .create)
    try file.append(bytes)
    var run = ObjectImport(
      into: store, [ImportFile(file, name: "in", format: format, entity: entity)])
    change(&run.options)
    return try run.run()
  }

  private func lines(_ filter: String = "") throws -> [String] {
    try contents(store.snapshot()).filter { $0.hasPrefix(filter) }
  }

  private func problem(
    _ text: String, _ format: ExchangeFormat = .jsonl, entity: String? = nil
  ) -> String {
    do {
      try run(text, format, entity: entity)
      return "none"
    } catch { return "\(error)" }
  }

  private func isValid() throws -> Bool {
    try Validator().validate("/Trips.store", on: disk).findings.isEmpty
  }

  @Test("One end of a relationship is enough, and may refer to a later object")
  func ends() throws {
    try run(
      """
      {"@entity":"Trip","@id":"t","name":"Lisbon","stops":["b","a"]}

      {"@entity":"Stop","@id":"a","place":"A"}
      {"@entity":"Stop","@id":"b","place":"B"}
      {"@entity":"Stop","place":"C","trip":"t"}
      {"@entity":"Guide","name":"Ada","trips":["t"]}
      """)

    #expect(try lines("Trip#0 trip#order") == ["Trip#0 trip#order: Stop#1, Stop#0, Stop#2"])
    #expect(try lines("Trip#0.done") == ["Trip#0.done = boolean(false)"])
    #expect(try lines("Trip.guides").count + lines("Guide.trips").count == 1)
    #expect(try isValid())
  }

  @Test("A first line of many columns takes time in proportion to their number")
  func manyColumns() throws {
    let columns = (0..<40_000).map { "c\($0)" }.joined(separator: ",")

    try run(columns + "\n", .csv, entity: "Trip")
    let error = #expect(throws: ImportError.self) {
      try run(columns + ",c17\n", .csv, entity: "Trip")
    }

    #expect("\(error!)".contains("The column 'c17' occurs twice."))
  }

  @Test("An import can refer to stored objects by their identifiers")
  func existing() throws {
    try run("{\"@entity\":\"Trip\",\"name\":\"Lisbon\",\"stops\":[]}")
    let trips = try store.snapshot().schema["Trip"]!.entityNumber
    try run(
      """
      {"@entity":"Stop","place":"A","trip":"\(trips)/p1"}
      {"@entity":"Stop","place":"B","trip":"\(trips)/p1"}
      """)
    try run(
      """
      {"@entity":"Guide","name":"Ada","trips":["\(trips)/p1"]}
      {"@entity":"Stop","place":"C","trip":"\(trips)/p1"}
      """)

    #expect(try lines("Trip#0 trip#order") == ["Trip#0 trip#order: Stop#0, Stop#1, Stop#2"])
    #expect(try isValid())
    #expect(
      problem("{\"@entity\":\"Stop\",\"trip\":\"\(trips)/p9\"}")
        == "in:1: 'trip': The object '\(trips)/p9' is neither in the imported files nor in the store."
    )
  }

  @Test("On request, an object with the unique values of a stored object updates it")
  func updating() throws {
    try run(
      """
      @id,name,days
      1,Lisbon,3
      2,Porto,4
      """, .csv, entity: "Trip")
    let again = "@id,name,days\nx,Porto,5\ny,Faro,6\n"
    let trips = try store.snapshot().schema["Trip"]!.entityNumber
    let error = #expect(throws: ImportError.self) { try run(again, .csv, entity: "Trip") }
    let conflict = try #require(error?.problems.first?.conflict)
    #expect(conflict.constraint == ["name"] && conflict.values == ["name": .string("Porto")])
    #expect(conflict.storedObject?.key == ObjectKey(entity: trips, number: 2))
    #expect(
      problem(again, .csv, entity: "Trip")
        == "in:2: 'name': The value must be unique, but '\(trips)/p2' has the same value. "
        + "With --update, the import changes that object.")
    #expect(try lines("Trip#1.days") == ["Trip#1.days = integer(4)"])

    let report = try run(again, .csv, entity: "Trip") { $0.updates = true }

    #expect(report == .init(insertedCount: 1, updatedCount: 1, readCount: 2))
    #expect(try lines("Trip").filter { $0.contains(".days") }.count == 3)
    #expect(try lines("Trip#1.days") == ["Trip#1.days = integer(5)"])
    #expect(try isValid())
  }

  @Test("A trial saves nothing")
  func trial() throws {
    let report = try run("{\"@entity\":\"Trip\",\"name\":\"Lisbon\"}") { $0.isTrial = true }

    #expect(report.insertedCount == 1)
    #expect(try lines().isEmpty)
  }

  @Test(
    "An error is reported with its place, and nothing is saved",
    arguments: [
      ("{\"@entity\":\"Trip\"}", "in:1: 'name': The property must have a value, but has none."),
      (
        "{\"@entity\":\"Trip\",\"name\":\"x\"}",
        "in:1: 'name': \"name\" is \"x\" of 1 characters, and must be at least 2."
      ),
      (
        "{\"@entity\":\"Trip\",\"name\":\"Lisbon\",\"days\":40000}",
        "in:1: 'days': The value must be a whole number of 16 bits, not 40000."
      ),
      (
        "{\"@entity\":\"Trip\",\"name\":7}", "in:1: 'name': The value must be text, not 7."
      ),
      (
        "{\"@entity\":\"Trip\",\"name\":\"Lisbon\",\"dayz\":1}",
        "in:1: 'dayz': 'Trip' has no property with this name. Did you mean 'days'?"
      ),
      (
        "{\"@entity\":\"Tripp\",\"name\":\"Lisbon\"}",
        "in:1: '@entity': The entity 'Tripp' does not exist. Did you mean 'Trip'?"
      ),
      (
        "{\"name\":\"Lisbon\"}",
        "in:1: '@entity': The object names no entity, and no entity is given for the file."
      ),
      (
        "\n{\"@entity\":\"Stop\"}", "in:2: 'trip': The property must have a value, but has none."
      ),
      (
        "{\"@entity\":\"Trip\",\"@id\":\"a\",\"name\":\"Faro\",\"stops\":[\"a\"]}",
        "in:1: 'stops': The relationship can't refer to 'a', which is an object of 'Trip'."
      ),
      (
        """
        {"@entity":"Trip","@id":"a","name":"Faro","stops":["s"]}
        {"@entity":"Trip","@id":"b","name":"Porto","stops":["s"]}
        {"@entity":"Stop","@id":"s"}
        """, "in:2: 'stops': The relationship refers to 's', to which 'a' refers already."
      ),
      (
        """
        {"@entity":"Trip","@id":"a","name":"Faro","stops":["s"]}
        {"@entity":"Trip","@id":"b","name":"Porto"}
        {"@entity":"Stop","@id":"s","trip":"b"}
        """,
        "in:3: 'trip': The relationship refers to 'b', but 'a' refers to this object by the inverse."
      ),
      (
        """
        {"@entity":"Trip","@id":"a","name":"Faro","guides":["1","2","3"]}
        {"@entity":"Guide","@id":"1"}
        {"@entity":"Guide","@id":"2"}
        {"@entity":"Guide","@id":"3"}
        """, ": 'Trip.guides': 'a' refers to 3 objects, and may refer to at most 2."
      ),
      (
        "{\"@entity\":\"Trip\",\"@id\":\"a\",\"name\":\"Faro\"}\n{\"@entity\":\"Guide\",\"@id\":\"a\"}",
        "in:2: '@id': Another object has the identifier 'a' already."
      ),
      (
        "{\"@entity\":\"Trip\",\"name\":\"Faro\",\"name\":\"Porto\"}",
        "in:1: 'name': The property occurs twice."
      ),
      ("{\"@entity\":\"Trip\",", "in:1:19: A string in quotes is expected."),
      ("{\"name\":\"\\ud800\"}", "none of its text"),
      ("[1]", "in:1:1: '{' is expected."),
      ("{} x", "in:1:4: The line continues after its object."),
      (
        "{\"a\":" + String(repeating: "[", count: 100_000),
        "in:1:38: Values are nested too deeply."
      ),
      ("{\"a\":01}", "in:1:6: '01' is not a value."),
    ])
  func wrong(_ text: String, _ message: String) throws {
    let found = problem(text)

    if message == "none of its text" {
      #expect(found.contains("'@entity'"))
    } else {
      #expect(found == message)
    }
    #expect(try lines().isEmpty)
  }

  @Test(
    "All errors are reported, in the order of the files and of the properties",
    arguments: [false, true])
  func allProblems(_ updates: Bool) throws {
    let text = """
      {"@entity":"Trip","name":7,"days":"x","dayz":1,"stops":"s"}
      {"@entity":"Trip",
      {"@entity":"Tripp","@id":"t","name":"A"}
      {"@entity":"Stop","trip":"nobody","place":1}
      {"@entity":"Stop","trip":"t"}
      {"@entity":"Trip","days":400}
      {"@entity":"Trip","name":"Lisbon"}
      """
    let wanted = [
      "in:1: 'name': The value must be text, not 7.",
      "in:1: 'days': The value must be a whole number of 16 bits, not \"x\".",
      "in:1: 'dayz': 'Trip' has no property with this name. Did you mean 'days'?",
      "in:1: 'stops': The relationship is to-many, so its value must be a list.",
      "in:2:19: A string in quotes is expected.",
      "in:3: '@entity': The entity 'Tripp' does not exist. Did you mean 'Trip'?",
      "in:4: 'trip': The object 'nobody' is neither in the imported files nor in the store.",
      "in:4: 'place': The value must be text, not 1.",
      "in:6: 'days': ",
      "in:6: 'name': ",
    ]

    let error = #expect(throws: ImportError.self) { try run(text) { $0.updates = updates } }

    let found = "\(try #require(error))".split(separator: "\n").map(String.init)
    #expect(found.count == wanted.count, "\(found)")
    for (found, wanted) in zip(found, wanted) { #expect(found.hasPrefix(wanted)) }
    #expect(error?.hiddenCount == 0 && error?.isMalformed == true)
    #expect(try lines().isEmpty)
  }

  @Test("Errors that are not shown are counted")
  func hiddenProblems() throws {
    let text = (1...33).map { "{\"@entity\":\"Trip\",\"name\":\"Trip \($0)\",\"days\":\"\($0)\"}" }
      .joined(separator: "\n")

    let error = try #require(#expect(throws: ImportError.self) { try run(text) })

    let lines = "\(error)".split(separator: "\n")
    #expect(lines.count == 21 && lines[19].hasPrefix("in:20: 'days'"))
    #expect(lines[20] == "13 more problems are not shown.")
    #expect(error.hiddenCount == 13 && !error.isMalformed)
    // A structural error far behind does not come before errors of values.
    let mixed = try #require(
      #expect(throws: ImportError.self) { try run(text + "\n{\"@entity\":\"Nobody\"}") })
    #expect("\(mixed)".hasPrefix("in:1: 'days'") && mixed.hiddenCount == 14)
  }

  @Test("Malformed tables are refused")
  func cells() throws {
    func check(_ text: String, _ message: String, at: SourceLocation = #_sourceLocation) throws {
      #expect(problem(text, .csv, entity: "Guide") == message, sourceLocation: at)
    }
    try check("name\n\"open", "in:2:1: A cell in quotes has no closing quote.")
    try check("name\na,b", "in:2:1: The line has 2 cells, but the first line has 1.")
    try check("name\n\"a\"b", "in:2:4: A cell continues after its closing quote.")
    try check("name\na\"b\"", "in:2:2: A cell without quotes contains a quote.")
    try check("name,name\na,b", "in:1:1: The column 'name' occurs twice.")
    #expect(try run("", .csv, entity: "Guide").insertedCount == 0)
    try run("name\r\n\"a \"\"b\"\",\nc\"\r\n\r\nd", .csv, entity: "Guide")
    #expect(try lines("Guide#0.name") == ["Guide#0.name = \(Array("a \"b\",\nc".utf8))"])
    #expect(try lines("Guide#1.name") == ["Guide#1.name = \(Array("d".utf8))"])
  }

  @Test("Random bytes are refused or imported")
  func anything() throws {
    var random = SeededGenerator()
    let sound = Array(
      """
      {"@entity":"Trip","@id":"a","name":"Faro","days":3,"stops":["s"]}
      {"@entity":"Stop","@id":"s","place":"\\u00e9\\n"}
      """.utf8)
    for _ in 0..<300 {
      var bytes = sound
      for _ in 0...Int.random(in: 0...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes.randomElement(using: &random)!, at: place)
        }
      }
      let format = ExchangeFormat.allCases.randomElement(using: &random)!
      do { _ = try run(bytes, format, entity: "Guide") { $0.isTrial = true } } catch {
        #expect(error is ImportError || error is ImportProblem, "\(random): \(error)")
      }
    }
  }
}
