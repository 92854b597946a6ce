import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface
import Testing
import Validation
import XMLStore

/// The types of stores in the tests.
enum Kind: String, CaseIterable, CustomTestStringConvertible {
  case binary
  case compressed
  case xml

  var type: StoreType {
    switch self {
    case .binary: .binary
    case .compressed: .compressed
    case .xml: .xml
    }
  }
  var testDescription: String { rawValue }
}

/// A store on a simulated disk, created with one version and migrated to other versions.
struct World {
  static let backends = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(),
  ])
  static let path = "/Trips.store"

  let disk: any Disk
  let kind: Kind
  var places: StorePlaces { StorePlaces(World.backends, on: disk) }

  init(_ kind: Kind, on disk: any Disk = SimulatedDisk()) {
    self.kind = kind
    self.disk = disk
  }

  /// Creates the store and fills it.
  func make(
    _ model: Model, at path: String = World.path, _ fill: (ManagedObjectContext) throws -> Void
  ) throws {
    let coordinator = PersistentStoreCoordinator(model: model, places: places)
    let store = try coordinator.addStore(at: path, type: kind.type)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    try fill(context)
    try context.save()
    try coordinator.remove(store)
  }

  /// Opens the store with a model and returns the result of `body` for a context of the store.
  func read<R>(
    _ model: Model, at path: String = World.path, _ body: (ManagedObjectContext) throws -> R
  ) throws -> R {
    let coordinator = PersistentStoreCoordinator(model: model, places: places)
    let store = try coordinator.addStore(at: path)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    let result = try body(context)
    try coordinator.remove(store)
    return result
  }

  /// Returns a line for each object, with all its values.
  func dump(_ model: Model, at path: String = World.path) throws -> [String] {
    try read(model, at: path) { try World.dump($0) }
  }

  static func dump(_ context: ManagedObjectContext) throws -> [String] {
    let model = context.coordinator.model
    func label(_ object: ManagedObject) -> String {
      for name in ["name", "title", "label"] {
        if model.property(name, of: object.entity.name) != nil,
          case .string(let text) = object[name]
        {
          return text
        }
      }
      return "?"
    }
    var lines: [String] = []
    for entity in model.entities where entity.superentity == nil {
      for object in try context.fetch(FetchRequest(entity.name)) {
        var parts: [String] = []
        for property in model.properties(of: object.entity.name) where !property.isTransient {
          switch property {
          case .attribute(let attribute):
            if attribute.type == .composite { continue }
            let value = object[attribute.name]
            if case .string(let text) = value {
              parts.append("\(attribute.name)=\(text)")
            } else if !value.isNull {
              parts.append("\(attribute.name)=\(value.text)")
            }
          case .relationship(let relationship):
            let value = object.value(forKey: relationship.name)
            if relationship.isToMany {
              var names = (value as? [ManagedObject] ?? []).map(label)
              if !relationship.isOrdered { names.sort() }
              if !names.isEmpty {
                parts.append("\(relationship.name)=[\(names.joined(separator: ","))]")
              }
            } else if let other = value as? ManagedObject {
              parts.append("\(relationship.name)=\(label(other))")
            }
          case .fetched: break
          }
        }
        lines.append("\(object.entity.name) \(parts.joined(separator: " "))")
      }
    }
    return lines.sorted()
  }

  /// Returns the validator's findings in the store.
  func faults(at path: String = World.path) throws -> [String] {
    try Validator().validate(path, on: disk).findings.filter { $0.rule.severity == .error }
      .map { "\($0)" }
  }

  /// Returns the names of all files.
  func files() throws -> [String] {
    try disk.list("/").filter { $0.kind == .file }.map(\.name).sorted()
  }

  /// Returns the metadata of the store.
  func metadata(at path: String = World.path) throws -> StoreMetadata {
    try places.metadata(at: path)
  }
}

/// Returns a model of the given entities.
func model(_ entities: Entity..., composites: [CompositeType] = []) -> Model {
  do {
    return try Model(Model.Description(entities: entities, composites: composites))
  } catch { preconditionFailure("\(error)") }
}

extension Entity {
  init(_ name: String, _ properties: Property..., parent: String? = nil, was: String? = nil) {
    self.init(name, superentity: parent, properties: properties, renamingIdentifier: was)
  }
}

extension Property {
  static func text(
    _ name: String, was: String? = nil, required: Bool = false, standard: String? = nil
  ) -> Property {
    .attribute(
      Attribute(
        name, .string, isOptional: !required,
        defaultValue: standard.map { .string($0) } ?? .null, renamingIdentifier: was))
  }

  static func number(
    _ name: String, _ type: AttributeType = .int32, was: String? = nil, required: Bool = false,
    standard: Value = .null
  ) -> Property {
    .attribute(
      Attribute(
        name, type, isOptional: !required, defaultValue: standard, renamingIdentifier: was))
  }

  static func one(
    _ name: String, _ entity: String, back: String? = nil, was: String? = nil,
    required: Bool = false
  ) -> Property {
    .relationship(
      Relationship(
        name, to: entity, inverse: back, isOptional: !required, renamingIdentifier: was))
  }

  static func many(
    _ name: String, _ entity: String, back: String? = nil, ordered: Bool = false,
    was: String? = nil, least: Int = 0
  ) -> Property {
    .relationship(
      Relationship(
        name, to: entity, inverse: back,
        count: Relationship.Count(minimum: least, maximum: 0), isOrdered: ordered,
        isOptional: least == 0, renamingIdentifier: was))
  }
}

extension Migrator {
  /// The migrator with all losses allowed.
  var allowingLoss: Migrator {
    var migrator = self
    migrator.allowsLoss = true
    return migrator
  }
}
