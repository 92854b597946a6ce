import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import Rows
import StoreInterface

/// A schema of the tests' server for the store of one test.
struct StoreSite {
  let server: PostgreSQLServer
  let schema: String
  let address: String
  let backend: PostgreSQLStoreBackend

  init(
    _ parameters: String = "", schema: String? = nil,
    options: PostgreSQLStoreOptions = PostgreSQLStoreOptions()
  ) throws {
    server = try PostgreSQLServer.shared.get()
    self.schema = schema ?? server.newSchema()
    address = server.address(
      schema: self.schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!, parameters)
    backend = PostgreSQLStoreBackend(options: options)
  }

  func create(_ model: Model) throws -> any Store {
    try backend.create(at: address, model: model, on: RealDisk(), StoreCreation())
  }

  func open(_ opening: StoreOpening = StoreOpening()) throws -> any Store {
    try backend.open(address, on: RealDisk(), opening)
  }

  /// Returns the address by which a relay reaches the store.
  func address(through relay: Relay) -> String {
    address.replacing(
      server.folder.replacing("/", with: "%2F"), with: relay.folder.replacing("/", with: "%2F"))
  }

  /// Returns a connection that sees the tables of the store.
  func connection() throws -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection(server.address, connectSeconds: 5, name: "test")
    try connection.execute("SET search_path TO \"\(schema.replacing("\"", with: "\"\""))\"")
    return connection
  }
}

extension Store {
  /// Saves the changes that `body` makes, above the newest commit.
  @discardableResult
  func save(_ body: (LayerBuilder, any StoreSnapshot) throws -> Void) throws -> any StoreSnapshot {
    let base = try snapshot()
    let builder = LayerBuilder(base.schema)
    try body(builder, base)
    return try commit(CommitRequest(builder.freeze(), basedOn: base))
  }
}

extension StoreSnapshot {
  /// Returns the values of all objects, by entity and number.
  func values() throws -> [String: [String: Value]] {
    var found: [String: [String: Value]] = [:]
    for layout in schema.layouts {
      for number in try view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        guard let row = try view.row(of: key) else { continue }
        var values: [String: Value] = [:]
        for column in layout.columns { values[column.name] = try row.value(column) }
        found["\(layout.entity) \(number)"] = values
      }
    }
    return found
  }

  /// Returns the values of all objects, by entity and in the order of their numbers.
  func rows() throws -> [String: [[String: Value]]] {
    var found: [String: [[String: Value]]] = [:]
    for layout in schema.layouts {
      found[layout.entity] = try view.keys(ofEntity: layout.entityNumber).sorted().compactMap {
        guard
          let row = try view.row(of: ObjectKey(entity: layout.entityNumber, number: $0))
        else { return nil }
        var values: [String: Value] = [:]
        for column in layout.columns { values[column.name] = try row.value(column) }
        return values
      }
    }
    return found
  }
}
