import BinaryStore
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Rows
import StoreInterface
import Testing

/// `Examples/Trips.store`, written by the first version of the format and readable by every later version.
/// `RECORD_EXAMPLES=1` writes it anew. The only reason to do so is a change of its contents.
@Suite("The store among the examples")
struct ExampleStoreTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Examples").standardized

  @Test("The example store holds the objects that it held when it was written")
  func reading() throws {
    let path = Self.folder.appending(path: "Trips.store").path
    if ProcessInfo.processInfo.environment["RECORD_EXAMPLES"] != nil { try Self.record(path) }

    let store = try BinaryStore.open(path, readOnly: true)
    let lines = try ReferenceTests.text(store.snapshot())

    #expect(try store.describe().formatVersion == "1.0")
    #expect(lines.count == 3 + Self.trips.count + Self.trips.reduce(0) { $0 + $1.stops.count })
    #expect(lines.contains { $0.hasPrefix("Museum 3 isFree=true") })
    #expect(try ReferenceTests.reference(path) == lines)
    #expect(try store.snapshot().model == Self.model())
  }

  private static func model() throws -> Model {
    let versions = try ModelVersions.read(folder.appending(path: "Trips.xcdatamodeld").path)
    return versions.versions.first { $0.name == versions.currentName }!.model
  }

  private static let trips: [(name: String, start: Double, budget: Int, stops: [String])] = [
    ("Along the Douro", 799_286_400, 900, ["Porto", "Régua", "Pinhão"]),
    ("Lisbon and around", 803_520_000, 650, ["Lisboa", "Sintra"]),
    (
      "By train to Berlin", 807_148_800, 1200, ["Paris", "Köln", "Berlin", "Museum für Naturkunde"]
    ),
    ("Évora in spring", 830_000_000, 300, ["Évora"]),
    ("Someday", 0, 0, []),
  ]

  private static func record(_ path: String) throws {
    let store = try BinaryStore.create(
      at: path, model: model(), uuid: UUID(uuidString: "0E8A1C5E-31F4-4B32-9C5D-7A1B2C3D4E5F")!,
      overwriting: true)
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    func insert(_ entity: String, _ number: UInt64, _ values: [String: Value]) -> ObjectKey {
      let layout = base.schema[entity]!
      let key = ObjectKey(entity: layout.entityNumber, number: number)
      builder.insert(key)
      for (name, value) in values { builder.set(value, column: layout.index(of: name)!, of: key) }
      return key
    }
    for (number, name) in ["Ada", "Grace", "Zoë"].enumerated() {
      _ = insert("Person", UInt64(number + 1), ["fullName": .string(name)])
    }
    var stops: UInt64 = 0
    for (number, trip) in trips.enumerated() {
      let key = insert(
        "Trip", UInt64(number + 1),
        [
          "name": .string(trip.name), "budget": .decimal(Decimal(trip.budget)),
          "stopCount": .integer(Int64(trip.stops.count)),
          "start": trip.start == 0
            ? .null : .date(Date(timeIntervalSinceReferenceDate: trip.start)),
        ])
      for (place, name) in trip.stops.enumerated() {
        stops += 1
        let isMuseum = name.hasPrefix("Museum")
        var values: [String: Value] = [
          "name": .string(name), "nights": .integer(Int64(place % 3)), "trip": .object(key),
          "trip#order": .integer(Int64(place)),
        ]
        if isMuseum { values["isFree"] = .boolean(true) }
        _ = insert(isMuseum ? "Museum" : "Stop", isMuseum ? 3 : stops, values)
      }
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    try store.close()
  }
}
