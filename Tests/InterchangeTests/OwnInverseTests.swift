import BinaryStore
import DiskSimulation
import DurableFiles
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing
import Validation

@testable import Interchange

/// An ordered relationship that is its own inverse. Each object has one list of both its incoming and outgoing links.
@Suite("Importing an ordered relationship that is its own inverse")
struct OwnInverseTests {
  private static let model = try! Model(entities: [
    Entity(
      "Person",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(
          Relationship(
            "friends", to: "Person", inverse: "friends", count: .toMany, isOrdered: true)),
      ])
  ])

  /// The lists of the tests. The list of c contains c itself, between other objects.
  private static let lists = ["a": "cdb", "b": "da", "c": "dca", "d": "bac"]

  private let disk = SimulatedDisk()

  private func store(_ path: String, _ backend: String) throws -> any Store {
    try RoundTripTests.backends.first { $0.name == backend }!.backend.create(
      at: path, model: Self.model, on: disk, StoreCreation())
  }

  private func context(_ store: any Store) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(store)
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  /// Returns the names in each person's list, by the person's name.
  private func lists(_ store: any Store) throws -> [String: String] {
    let context = try context(store)
    return try Dictionary(
      uniqueKeysWithValues: context.fetch(FetchRequest("Person")).map { person in
        let friends = person.value(forKey: "friends") as? [ManagedObject] ?? []
        return (
          person.value(forKey: "name") as? String ?? "?",
          friends.map { $0.value(forKey: "name") as? String ?? "?" }.joined()
        )
      })
  }

  private func file(_ text: [UInt8], _ format: ExchangeFormat) throws -> ImportFile {
    try? disk.remove("/in")
    let file = try disk.open("/in", for: .create)
    try file.append(text)
    return ImportFile(file, name: "in", format: format, entity: format == .csv ? "Person" : nil)
  }

  @Test(
    "Export and import keep the order of each list", arguments: RoundTripTests.backends.map(\.name),
    ExchangeFormat.allCases)
  func order(_ backend: String, _ format: ExchangeFormat) throws {
    let source = try store("/source", backend)
    let context = try context(source)
    var people: [Character: ManagedObject] = [:]
    for name in "abcd" {
      people[name] = try context.insert("Person")
      people[name]!["name"] = .string(String(name))
    }
    for (name, list) in Self.lists.sorted(by: { $0.key < $1.key }) {
      people[name.first!]!.setObjects(list.map { people[$0]! }, forKey: "friends")
    }
    try context.save()
    #expect(try lists(source) == Self.lists)

    var text: [UInt8] = []
    try ObjectExport(of: source.snapshot(), as: ExportFormat(format)).write("Person") { text += $0 }
    let target = try store("/target", backend)
    _ = try ObjectImport(into: target, [file(text, format)]).run()
    #expect(try lists(target) == Self.lists)

    guard backend != "memory" else { return }
    try target.close()
    let again = try RoundTripTests.backends.first { $0.name == backend }!.backend.open(
      "/target", on: disk, StoreOpening(model: Self.model))
    #expect(try lists(again) == Self.lists)
    try again.close()
    let report = try Validator().validate("/target", on: disk)
    #expect(report.findings.isEmpty, "\(report.text)")
  }

  @Test("A link in the list of one end only is last in the list of the other end")
  func oneSided() throws {
    let target = try store("/target", "binary")
    let text = """
      {"@entity":"Person","@id":"b","name":"b","friends":["d","c"]}
      {"@entity":"Person","@id":"a","name":"a","friends":["b"]}
      {"@entity":"Person","@id":"c","name":"c","friends":["d","c","a"]}
      {"@entity":"Person","@id":"d","name":"d"}
      """
    _ = try ObjectImport(into: target, [file(Array(text.utf8), .jsonl)]).run()
    let found = try lists(target)
    #expect(found["b"] == "dca")
    #expect(found["a"] == "bc")
    #expect(found["c"] == "dcab")
    #expect(Set(found["d"] ?? "") == ["b", "c"])
    try target.close()
    let report = try Validator().validate("/target", on: disk)
    #expect(report.findings.isEmpty, "\(report.text)")
  }
}
