import BinaryStore
import DiskSimulation
import DurableFiles
import ModelNotations
import ObjectModel
import StoreInterface
import Testing

@testable import Interchange

/// Columns with names that differ from the names in the model.
@Suite("Columns of imported tables")
struct TableColumnTests {
  private let disk = SimulatedDisk()
  private let store: any Store

  init() throws {
    let text = """
      entity Airport
        city: String?
        code: String
        arrivals: [Flight], inverse targetAirport
        unique code

      entity Heliport: Airport
        deck: Int16?

      entity Flight
        number: Int64
        startTime: Date?
        origin: Airport?
        targetAirport: Airport, inverse arrivals
        unique number
      """
    let model = try Model(ModelText.read(Array(text.utf8)))
    store = try BinaryStoreBackend().create(
      at: "/Flights.store", model: model, on: disk, StoreCreation())
  }

  @discardableResult
  private func run(
    _ tables: [(name: String, text: String)],
    _ change: (inout ObjectImport.Options) -> Void = { _ in }
  ) throws -> ObjectImport.Report {
    let model = try store.snapshot().model
    let files = try tables.map { name, text in
      try? disk.remove("/" + name)
      let file = try disk.open("/" + name, for: .create)
      try file.append(Array(text.utf8))
      return ImportFile(
        file, name: name, format: ExchangeFormat(path: name)!,
        entity: ImportFile.entity(forFileAt: name, in: model))
    }
    var objects = ObjectImport(into: store, files)
    change(&objects.options)
    return try objects.run()
  }

  private func problem(_ tables: (name: String, text: String)...) -> String {
    do {
      try run(tables)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  private func references(_ prefix: String = "Flight") throws -> [String] {
    try contents(store.snapshot()).filter {
      $0.hasPrefix(prefix) && ($0.contains("irport =") || $0.contains("origin ="))
    }
  }

  @Test("A table refers to objects of a later and an earlier table by unique values")
  func uniqueValues() throws {
    try run([
      ("flights.csv", "Number,Start time,origin_id,target airport\n1,2026-05-01,LIS,OPO\n"),
      ("airports.csv", "code,City\nLIS,Lisbon\nOPO,Porto\n"),
      ("Flight.csv", "number,origin,targetAirport.code\n2,,LIS\n"),
    ])

    #expect(
      try references() == [
        "Flight#0.origin = Airport#0", "Flight#0.targetAirport = Airport#1",
        "Flight#1.origin = null", "Flight#1.targetAirport = Airport#0",
      ])
    #expect(
      try contents(store.snapshot()).contains {
        $0.hasPrefix("Flight#0.startTime = ") && !$0.hasSuffix("null")
      })
  }

  @Test("A later table refers to stored objects by unique values or by identifiers")
  func storedObjects() throws {
    try run([("airports.csv", "code\nLIS\nOPO\n"), ("heliports.csv", "code,deck\n4/p1,3\n")])
    let airport = try store.snapshot().schema["Airport"]!.entityNumber

    let report = try run([
      ("flights.csv", "number,origin,target_airport_code\n1,\(airport)/p1,OPO\n2,LIS,LIS\n")
    ])
    // The column names the attribute, so its text is not an identifier.
    try run([("flights.csv", "number,targetAirport.code\n3,4/p1\n")])

    #expect(report.insertedCount == 2 && report.updatedCount == 0)
    #expect(
      try references() == [
        "Flight#0.origin = Airport#0", "Flight#0.targetAirport = Airport#1",
        "Flight#1.origin = Airport#0", "Flight#1.targetAirport = Airport#0",
        "Flight#2.origin = null", "Flight#2.targetAirport = Heliport#0",
      ])
  }

  @Test("An update finds the objects of both ends by unique values")
  func updates() throws {
    try run([
      ("airports.csv", "code\nLIS\nOPO\n"), ("flights.csv", "number,targetAirport\n1,LIS\n2,OPO\n"),
    ])
    let report = try run([
      ("flights.csv", "number,targetAirport\n1,OPO\n3,OPO\n"),
      ("airports.csv", "code,city\nOPO,P\n"),
    ]) { $0.updates = true }

    #expect(report.insertedCount == 1 && report.updatedCount == 2)
    #expect(
      try references().filter { $0.contains("target") } == [
        "Flight#0.targetAirport = Airport#1", "Flight#1.targetAirport = Airport#1",
        "Flight#2.targetAirport = Airport#1",
      ])
  }

  @Test("A value that no object has is named with its line")
  func unknownValue() {
    #expect(
      problem(("flights.csv", "number,origin,target_airport\n1,,LIS\n"))
        == "flights.csv:2: 'targetAirport': The object 'Airport.code = LIS' is neither in the imported "
        + "files nor in the store.")
    #expect(
      problem(("flights.csv", "number,target_airports,targetAirport\n1,2,3\n"))
        .hasPrefix("flights.csv:2: 'target_airports': 'Flight' has no property with this name."))
  }

  @Test("A reference in files with a column @id is an identifier")
  func ownIdentifiers() throws {
    try run([
      ("Airport.csv", "@id,code\nLIS,OPO\nOPO,LIS\n"),
      ("Flight.csv", "number,target_airport\n1,LIS\n"),
    ])
    #expect(try references().last == "Flight#0.targetAirport = Airport#0")
    #expect(
      try contents(store.snapshot()).contains("Airport#0.code = \(Array("OPO".utf8))"))
    #expect(
      problem(("Flight.csv", "@id,number,targetAirport\na,2,LIS\n")).contains("The object 'LIS'"))
    // A column with the name of the attribute finds stored objects even so.
    try run([("Flight.csv", "@id,number,targetAirport.code\na,2,LIS\n")])
    #expect(try references().last == "Flight#1.targetAirport = Airport#1")
  }

  @Test("An exported reference to an object that only this store has is refused")
  func foreignReference() throws {
    try run([("airports.csv", "code\nLIS\n")])
    let schema = try store.snapshot().schema
    let airport = schema["Airport"]!.entityNumber
    let flight = schema["Flight"]!.entityNumber
    let lines = """
      {"@entity":"Flight","@id":"\(flight)/p7","number":1,"targetAirport":"\(airport)/p1"}

      """
    for text in [lines, lines.replacing("}", with: ",\"origin\":null}")] {
      #expect(
        problem(("export.jsonl", text)).hasPrefix(
          "export.jsonl:1: 'targetAirport': The object '\(airport)/p1' is not in the imported files, and in "
            + "the store of the export the identifier may name another object."))
    }
    // An object without an exported identifier was written for this store.
    try run([("own.jsonl", lines.replacing("\(flight)/p7", with: "first"))])
    try run([("export.jsonl", lines.replacing(":1,", with: ":2,"))]) {
      $0.acceptsStoredReferences = true
    }
    try run([("export.jsonl", lines.replacing(":1,", with: ":3,"))]) {
      $0.updatesSameIdentifiers = true
    }
    #expect(try references().count { $0.hasSuffix("targetAirport = Airport#0") } == 3)
  }

  @Test("An import counts stored objects that a list moves, and names the list that leaves one out")
  func lists() throws {
    try run([
      ("airports.csv", "code\nLIS\nOPO\n"), ("flights.csv", "number,targetAirport\n1,LIS\n2,OPO\n"),
    ])
    let schema = try store.snapshot().schema
    let flight = schema["Flight"]!.entityNumber

    let moved = try run([
      (
        "a.jsonl",
        "{\"@entity\":\"Airport\",\"code\":\"FAO\",\"arrivals\":[\"\(flight)/p1\"]}\n"
      )
    ])
    #expect(moved.insertedCount == 1 && moved.updatedCount == 1)

    do {
      try run([("b.jsonl", "{\"@entity\":\"Airport\",\"code\":\"FAO\",\"arrivals\":[]}\n")]) {
        $0.updates = true
      }
      Issue.record("The flight has no airport.")
    } catch let error as ImportError {
      #expect(
        error.description.hasPrefix(
          "b.jsonl:1: 'arrivals': The list leaves out '\(flight)/p1', whose 'targetAirport' would be wrong: "
        ), "\(error)")
    }
  }
}
