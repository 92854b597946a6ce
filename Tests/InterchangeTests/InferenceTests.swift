import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import SeededRandom
import StoreInterface
import Testing

@testable import Interchange

/// Models that are inferred from files of comma-separated values.
@Suite("Inferring a model from files")
struct InferenceTests {
  private let disk = SimulatedDisk()

  private func files(_ texts: [(name: String, text: String)]) throws -> [ImportFile] {
    try texts.map { name, text in
      let file = try disk.open("/" + name, for: .create)
      try file.append(Array(text.utf8))
      return ImportFile(file, name: name, format: .csv)
    }
  }

  private func inferred(_ texts: (name: String, text: String)...) throws -> InferredModel {
    try InferredModel(from: files(texts))
  }

  /// Returns the text of the model, without its empty lines.
  private func model(_ texts: (name: String, text: String)...) throws -> [String] {
    ModelText.write(try InferredModel(from: files(texts)).model).split(separator: "\n")
      .map(String.init)
  }

  /// Imports the files, and returns the objects as lines of text.
  private func objects(_ inferred: InferredModel) throws -> [String] {
    let store = try BinaryStoreBackend().create(
      at: "/Made.store", model: inferred.model, on: disk, StoreCreation())
    _ = try ObjectImport(into: store, inferred.files).run()
    var bytes: [UInt8] = []
    let export = try ObjectExport(of: store.snapshot(), as: .jsonl)
    for entity in export.entities { try export.write(entity) { bytes += $0 } }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("Types are the narrowest that all values have")
  func types() throws {
    let text = """
      Name,done,count,price,size,when,token,link,code,mixed,big,empty,Is Free?
      Évora,true,5,12.50,1.5,2026-05-01,E621E1F8-C36C-495A-93FC-0C247A3E6E5F,https://example.com/c,007,5,12345678901234567890,,yes
      Porto,no,-17,3.00,2.25,2026-05-01T10:00:00Z,E621E1F8-C36C-495A-93FC-0C247A3E6E50,http://example.com,010,x,1,,no
      """
    #expect(
      try model(("places.csv", text)) == [
        "entity Place", "  name: String", "  done: Bool", "  count: Int64",
        "  price: Decimal, places 2",
        "  size: Double", "  when: Date", "  token: UUID", "  link: URL", "  code: String",
        "  mixed: String", "  big: String", "  empty: String?", "  isFree: Bool",
        "  unique code",
      ])
  }

  @Test("An empty cell makes a column optional, and a repeated value makes it not unique")
  func optional() throws {
    #expect(
      try model(("people.csv", "id,email,age,note\n1,a@b,5,x\n2,,6,\"\"\n3,a@b,,x\n")) == [
        "entity Person", "  id: Int64", "  email: String?", "  age: Int64?", "  note: String",
        "  unique id",
      ])
    #expect(try model(("men.csv", "id,email\n1,a@b\n1,c@d\n")).suffix(1) == ["  unique email"])
  }

  @Test("Columns refer to other files by their unique columns, and the other file gets the inverse")
  func references() throws {
    let trips = "id,name\n1,Along the Douro\n2,By train\n"
    let stops = "name,trip_id,Next Stop\nPorto,1,\nRégua,1,Porto\nKöln,2,\n"
    let inferred = try inferred(("trips.csv", trips), ("stops.csv", stops))

    #expect(
      ModelText.write(inferred.model) == """
        entity Trip
          id: Int64
          name: String
          stops: [Stop], inverse trip, delete deny
          unique id

        entity Stop
          name: String
          trip: Trip, inverse stops
          nextStop: Stop?, inverse stopsByNextStop
          stopsByNextStop: [Stop], inverse nextStop
          unique name

        """)
    #expect(inferred.notes == [])
    #expect(try objects(inferred).count == 5)
  }

  @Test("Objects lead to one another after the import")
  func imported() throws {
    let inferred = try inferred(
      ("trips.csv", "id,name\n1,Douro\n2,Berlin\n"),
      ("stops.csv", "id,name,trip\n1,Porto,1\n2,Köln,2\n3,Régua,1\n"))
    let lines = try objects(inferred)

    func object(_ name: String) throws -> [String: Any] {
      let line = try #require(lines.first { $0.contains("\"\(name)\"") })
      return try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let (douro, berlin) = (try object("Douro"), try object("Berlin"))
    #expect(try object("Porto")["trip"] as? String == douro["@id"] as? String)
    #expect(try object("Régua")["trip"] as? String == douro["@id"] as? String)
    #expect(try object("Köln")["trip"] as? String == berlin["@id"] as? String)
    #expect(try object("Köln")["id"] as? Int == 2)
  }

  @Test("A column whose values do not all lead to an object is not a reference, and a note says so")
  func noReference() throws {
    let inferred = try inferred(
      ("trips.csv", "id\n1\n2\n"), ("stops.csv", "name,trip_id\nPorto,1\nKöln,9\nBonn,8\n"))

    #expect(inferred.model["Stop"]?.relationships.isEmpty == true)
    #expect(inferred.model["Stop"]?.declaredAttributes.map(\.name) == ["name", "tripId"])
    #expect(
      inferred.notes == [
        "The column 'trip_id' of 'stops.csv' is not a reference to Trip: 2 of its 3 values refer to no "
          + "object, the first is '9'."
      ])
  }

  @Test("Several references to one file have different inverses")
  func severalReferences() throws {
    let lines = try model(
      ("airports.csv", "code,city\nLIS,Lisbon\nOPO,Porto\n"),
      ("flights.csv", "no,origin_airport,target_airport\n1,LIS,OPO\n2,OPO,LIS\n"))

    #expect(
      lines.filter { $0.contains("inverse") } == [
        "  flightsByOriginAirport: [Flight], inverse originAirport, delete deny",
        "  flightsByTargetAirport: [Flight], inverse targetAirport, delete deny",
        "  originAirport: Airport, inverse flightsByOriginAirport",
        "  targetAirport: Airport, inverse flightsByTargetAirport",
      ])
  }

  @Test("A column named parent leads to the same file")
  func parents() throws {
    let lines = try model(("categories.csv", "id,parent_id\n1,\n2,1\n3,1\n"))

    #expect(
      lines == [
        "entity Category", "  id: Int64", "  parent: Category?, inverse children",
        "  children: [Category], inverse parent", "  unique id",
      ])
  }

  @Test("Files of an export become the same objects again")
  func exports() throws {
    let inferred = try inferred(
      ("Trip.csv", "@id,name,stops\n4/p1,Douro,3/p1 3/p2\n4/p2,Berlin,3/p3\n"),
      ("Stop.csv", "@id,name,trip\n3/p1,Porto,4/p1\n3/p2,Régua,4/p1\n3/p3,Köln,4/p2\n"))

    #expect(
      ModelText.write(inferred.model) == """
        entity Trip
          name: String
          stops: [Stop], inverse trip

        entity Stop
          name: String
          trip: Trip, inverse stops

        """)
    #expect(try objects(inferred).count == 5)
  }

  @Test(
    "Text that is not a file of comma-separated values is refused with its place",
    arguments: [
      ("", "a.csv:1:1: The first line must contain the names of columns."),
      ("a,b\n1\n", "a.csv:2:1: The line has 1 cells, but the first line has 2."),
      ("a,b\n1,\"2\n", "a.csv:2:1: A cell in quotes has no closing quote."),
    ])
  func wrongFiles(_ text: String, _ message: String) throws {
    let error = #expect(throws: ImportError.self) { try inferred(("a.csv", text)) }
    #expect(error?.description.hasPrefix(message) == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test("Columns of the same name get numbers, and numbers that are too large stay text")
  func oddColumns() throws {
    #expect(
      try model(("a.csv", "x,x,x 2,sci\n1,2,3,1e400\n4,5,6,1e5\n")) == [
        "entity A", "  x: Int64", "  x2: Int64", "  x22: Int64", "  sci: String",
      ])
  }

  @Test("What looks like a date or like a key, and is none, is noted")
  func notes() throws {
    let inferred = try inferred(
      (
        "a.csv",
        "id,day,month,place\n1,12/31/2025,Jan 1 2000,a b 2000\n1,1/2/2026,March 31 1999,x\n"
      ))
    #expect(inferred.notes.count == 3, "\(inferred.notes)")
    #expect(
      inferred.notes.contains { $0.contains("'day'") }
        && inferred.notes.contains { $0.contains("'month'") })
    #expect(inferred.notes.contains { $0.contains("'id'") && $0.contains("not unique") })
  }

  @Test(
    "Columns of days, and of numbers with a fixed number of places, keep their form",
    arguments: [
      ("2026-04-20,2026-05-01", "Day"), ("2026-04-20", "Day"), ("2026-04-20,,2026-05-01", "Day?"),
      ("2026-04-20,2026-04-20", "Day"), ("2026-04-20,2026-05-01T10:00:00Z", "Date"),
      ("2026-04-20T00:00:00Z", "Date"), ("2026-04-20,soon", "String"), ("2026-02-30", "String"),
      ("30676.20,1.05", "Decimal, places 2"), ("1.25", "Decimal, places 2"),
      ("30676.20,,1.05", "Decimal?, places 2"), ("1.5,2.0", "Decimal, places 1"),
      ("1.5,2.5", "Decimal"), ("1.234,5.678", "Decimal"), ("1.234,5.670", "Decimal, places 3"),
      ("1.50,2.5", "Double"), ("1.50,2", "Double"), ("-0.10,0.00", "Decimal, places 2"),
      ("1.50,x", "String"), ("", "String?"), ("1,2", "Int64"),
    ])
  func precision(_ values: String, _ type: String) throws {
    let lines = values.split(separator: ",", omittingEmptySubsequences: false)
    let inferred = try inferred(
      ("a.csv", "v,w\n" + lines.map { "\($0),x\n" }.joined()))

    #expect(ModelText.write(inferred.model).contains("  v: \(type)\n"), "\(inferred.model)")
    let texts = try objects(inferred).compactMap { line in
      line.firstMatch(of: /"v":"?([^",}]*)/).map { String($0.output.1) }
    }
    #expect(
      texts == lines.filter { !$0.isEmpty }.map(String.init) || type == "Double" || type == "Date")
  }

  @Test("A chosen type has no inferred precision, and Day can be chosen")
  func chosenPrecision() throws {
    var choices = InferenceChoices()
    choices.types = ["a": .date, "b": .decimal, "c": .date]
    choices.days = ["c"]
    let files = try files([("a.csv", "a,b,c\n2026-04-20,1.50,2026-04-20\n")])
    #expect(
      ModelText.write(try InferredModel(from: files, choices).model)
        == "entity A\n  a: Date\n  b: Decimal\n  c: Day\n")
  }

  @Test("Chosen types and unique columns are not inferred")
  func choices() throws {
    var choices = InferenceChoices()
    choices.types = ["zip": .string, "A.n": .double]
    choices.unique = ["name"]
    let files = try files([("a.csv", "id,name,zip,n\n1,x,12345,1\n2,y,54321,2\n")])
    #expect(
      ModelText.write(try InferredModel(from: files, choices).model)
        == "entity A\n  id: Int64\n  name: String\n  zip: String\n  n: Double\n  unique name\n")
    choices.types["none"] = .date
    let error = #expect(throws: ImportError.self) { try InferredModel(from: files, choices) }
    #expect(error?.description.contains("'none'") == true)
  }

  @Test("A file without objects makes an entity with optional texts")
  func noObjects() throws {
    let inferred = try inferred(("a b.csv", "First name,E-Mail\n"))
    #expect(
      ModelText.write(inferred.model)
        == "entity AB\n  firstName: String?\n  eMail: String?\n")
    #expect(try objects(inferred) == [])
  }

  @Test(
    "Files and columns get the names of entities and properties",
    arguments: [
      ("order_items.csv", "OrderItem", "orderItems"), ("people.csv", "Person", "people"),
      ("dir/Cities.csv", "City", "cities"), ("boxes.csv", "Box", "boxes"),
      ("status.csv", "Status", "status"), ("addresses.csv", "Address", "addresses"),
      ("2024 sales.csv", "Table2024Sale", "column2024Sales"),
      ("HTTPServers.csv", "HttpServer", "httpServers"),
      ("movies.csv", "Movie", "movies"), ("classes", "Class", "classes"),
    ])
  func names(_ file: String, _ entity: String, _ list: String) {
    #expect(InferredNames.entity(of: file) == entity)
    #expect(InferredNames.list(ofTable: InferredNames.stem(of: file)) == list)
  }

  @Test(
    "Different texts of one value are not unique",
    arguments: [
      ("1.5", "1.50", "Double"), ("1e3", "1000", "Double"), ("0", "-0", "Int64"),
      ("-0.0", "0.0", "Decimal, places 1"), ("TRUE", "yes", "Bool"), ("0.25", "2.5e-1", "Double"),
      ("2026-01-31", "2026-01-31T00:00", "Date"),
      ("2026-01-31T00:00Z", "2026-01-31T01:00+01:00", "Date"),
      (
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "UUID"
      ),
    ])
  func equalValues(_ one: String, _ other: String, _ type: String) throws {
    func check(_ text: String, _ lines: [String]) throws {
      #expect(try InferenceTests().model(("a.csv", text)) == lines)
      let importing = InferenceTests()
      let count = text.count { $0 == "\n" } - 1
      #expect(try importing.objects(importing.inferred(("a.csv", text))).count == count)
    }
    try check("code\n\(one)\n\(other)\n", ["entity A", "  code: \(type)"])
    try check("code\n\(other)\n\(one)\n", ["entity A", "  code: \(type)"])
    // A column of texts keeps both texts.
    try check("code\n\(one)\n\(other)\nx\n", ["entity A", "  code: String", "  unique code"])
  }

  @Test("Any table is imported without a fault, and its values come back")
  func anyTable() throws {
    for _ in 0..<300 {
      var random = SeededGenerator()
      let width = Int.random(in: 1...6, using: &random)
      var lines = [(0..<width).map { "c\($0)" }.joined(separator: ",")]
      let cells = [
        "", "1", "-2", "0", "3.5", "12.50", "007", "true", "no", "x", "\"a,b\"", "\"\"",
        "2026-01-31", "é", "nan", "-", "99999999999999999999", "4/p1", "a://b",
        "2026-01-31T00:00", "-0", "1e3", "1000.0", "yes", "2026-01-31T00:00Z",
        "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "NaN", "1.",
        ".5", "+1", "@5",
      ]
      // Few kinds of cells, so that columns have types.
      let kinds = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        cells.randomElement(using: &random)!
      }
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        lines.append(
          (0..<width).map { _ in kinds.randomElement(using: &random)! }.joined(separator: ","))
      }
      let text = lines.joined(separator: "\n") + "\n"
      let disk = SimulatedDisk()
      let file = try disk.open("/t.csv", for: .create)
      try file.append(Array(text.utf8))
      let inferred = try InferredModel(
        from: [ImportFile(file, name: "t.csv", format: .csv)])
      let store = try BinaryStoreBackend().create(
        at: "/Made.store", model: inferred.model, on: disk, StoreCreation())
      let report = try ObjectImport(into: store, inferred.files).run()
      // A line without any text is not an object.
      let count = lines.dropFirst().count { !$0.isEmpty }
      #expect(report.insertedCount == count, "\(random)\n\(text)")
    }
  }
}
