import Documents
import DurableFiles
import Entities
import Foundation
import ObjectGraph
import ObjectModel
import PluginHost
import PostgreSQLStore
import Quire
import SQLiteStore
import StoreInterface

/// A list of numbers, in one text: a save that appends a number replaces the text.
@Entity
final class Series: ManagedObject {
  var name: String = ""
  var elements: String = ""
}

/// One number. No two saves write the same one.
@Entity
final class Register: ManagedObject {
  var name: String = ""
  var number: Int64 = 0
}

/// The stores whose histories are judged: how they are made, opened and filled.
struct JudgedWorld {
  /// The type of the store; `document` or `documents` for a document with one store or with two.
  let kind: String
  let address: String

  /// The objects of each entity. So few objects are in conflict all the time.
  static let objectCount = 3
  static let names = (0..<objectCount).map { "\($0)" }

  private var classes: [ManagedObject.Type] { [Series.self, Register.self] }

  private func model() throws -> Model {
    var description = try Model(classes: classes).description
    description.configurations = [
      Configuration("lists", entities: ["Series"]),
      Configuration("numbers", entities: ["Register"]),
    ]
    return try Model(description)
  }

  private var places: StorePlaces {
    let linked = StoreBackends.builtIn.adding(SQLiteStoreBackend()).adding(PostgreSQLStoreBackend())
    guard let folder = ProcessInfo.processInfo.environment["QUIRE_JUDGED_PLUGINS"] else {
      return StorePlaces(linked, on: RealDisk())
    }
    let plugins = PluginRegistry.search(PluginFolders([folder]), replacingBuiltIn: true)
    return StorePlaces(linked.adding(contentsOf: plugins), on: RealDisk())
  }

  /// Opens the store or the document.
  func open(isNew: Bool) throws -> PersistentStoreCoordinator {
    let (model, places) = (try model(), places)
    let coordinator = PersistentStoreCoordinator(model: model, places: places, classes: classes)
    switch kind {
    case "document", "documents":
      let stores: [DocumentStoreDescription] =
        kind == "document"
        ? [.init()]
        : [
          .init("lists", type: .xml, configuration: "lists"),
          .init("numbers", configuration: "numbers"),
        ]
      let document =
        isNew
        ? try Document.create(address, model: model, stores: stores, in: places, access: .shared)
        : try Document.open(address, in: places, access: .shared, whenHeld: .wait(.seconds(30)))
      for store in document.stores {
        try coordinator.add(store, configuration: store.configuration)
      }
      Self.document = document
    case "memory": try coordinator.addStore(at: "/dev/null")
    default: try coordinator.addStore(at: address, type: StoreType(rawValue: kind))
    }
    return coordinator
  }

  /// A coordinator retains the stores of a document, and not the document.
  nonisolated(unsafe) private static var document: Document?

  /// Reads the versions that other processes have saved. A shared document does so by itself only when it saves.
  static func refresh() throws { try document?.refresh() }

  /// Inserts the objects.
  func make(in coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    for name in Self.names {
      try context.insert(Series.self) { $0.name = name }
      try context.insert(Register.self) { $0.name = name }
    }
    try context.save()
  }
}
