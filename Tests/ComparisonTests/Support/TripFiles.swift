import DiskSimulation
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import StoreInterface

/// A simulated disk with documents of trips, as a program without the tool makes and changes them.
final class TripFiles {
  let disk = SimulatedDisk()
  var places: StorePlaces { StorePlaces(.builtIn, on: disk) }

  static var model: Model { get throws { try model(isRated: false) } }

  /// Returns the model.
  ///
  /// - Parameter isRated: Whether trips have a rating, as in a later version of the model.
  static func model(isRated: Bool) throws -> Model {
    let rating: [Property] = isRated ? [.attribute(Attribute("rating", .int16))] : []
    return try Model(entities: [
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("name", .string)),
          .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
        ]),
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string)), .attribute(Attribute("price", .double)),
          .relationship(
            Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
        ] + rating, uniquenessConstraints: [["name"]]),
    ])
  }

  static let lines = """
    {"@entity":"Trip","@id":"a","name":"Douro","price":900.0}
    {"@entity":"Trip","@id":"b","name":"Lisbon"}
    {"@entity":"Stop","@id":"c","name":"Porto","trip":"a"}

    """

  /// Makes a document with two trips and a stop.
  func makeDocument(_ path: String = "/Trips.quire", model: Model? = nil) throws {
    try Document.create(path, model: model ?? Self.model, in: places).close()
    try write(Self.lines, to: "/lines.jsonl")
    try Import("/lines.jsonl").write(to: path, in: places)
  }

  func write(_ text: String, to path: String) throws {
    try disk.replace(path, overwriting: true) { try $0.write(Array(text.utf8)) }
  }

  func text(_ path: String) throws -> String {
    String(decoding: try disk.read(path, byteLimit: 1 << 20), as: UTF8.self)
  }

  /// Makes a copy of a document.
  func copy(_ path: String, to other: String) throws {
    let document = try Document.open(path, in: places, access: .readOnly)
    try document.copy(to: other)
    try document.close()
  }

  /// Saves changes of a document's objects, on the head that the path names.
  func edit(_ path: String, _ body: (ManagedObjectContext) throws -> Void) throws {
    let parts = path.split(separator: "@").map(String.init)
    let document = try Document.open(
      parts[0], in: places, head: parts.count > 1 ? parts[1] : nil)
    let coordinator = PersistentStoreCoordinator(model: try document.model)
    for store in document.stores { try coordinator.add(store) }
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try body(context)
    try context.save()
    try document.close()
  }

  /// Sets the price of the trip with a name.
  func setPrice(_ price: Double, of name: String, in path: String) throws {
    try edit(path) { try $0.trip(name).setValue(.double(price), forKey: "price") }
  }

  /// The lines of all differences, in words.
  func differences(_ old: String, _ new: String) throws -> [String] {
    try Difference(from: old, to: new, in: places).changes.map { change in
      ([change.kind.rawValue, change.entity] + change.properties.map(\.name)).joined(
        separator: " ")
    }
  }
}

extension ManagedObjectContext {
  /// Returns the trip with a name.
  func trip(_ name: String) throws -> ManagedObject {
    try fetch(FetchRequest<ManagedObject>("Trip")).first { $0["name"] == .string(name) }!
  }
}
