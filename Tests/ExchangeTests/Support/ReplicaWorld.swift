import Checksums
import DiskSimulation
import DocumentExchange
import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import Quire
import QuireTools
import StoreInterface

/// Copies of one document, each with a folder of its own, and a carrier that copies files between the folders.
struct ReplicaWorld {
  let disk = SimulatedDisk()
  var places: StorePlaces { StorePlaces(.builtIn, on: disk) }

  static let note = note()

  private static func note(_ more: [Attribute] = [], title: String = "title") -> Entity {
    let title = Attribute(title, .string, renamingIdentifier: title == "title" ? nil : "title")
    return Entity(
      "Note",
      properties: [
        .attribute(Attribute("id", .int64)), .attribute(title),
        .attribute(Attribute("stars", .int64)),
        .relationship(Relationship("list", to: "List", inverse: "notes")),
        .relationship(Relationship("tags", to: "Tag", inverse: "notes", count: .toMany)),
      ] + more.map(Property.attribute))
  }

  /// The versions of the model: one adds an attribute, one renames an attribute, and one adds an entity and a value that each row
  /// needs.
  static let models: [Model] = [
    [note, list, tag], [note([Attribute("color", .string)]), list, tag],
    [note([Attribute("color", .string)], title: "name"), list, tag],
    [
      note(
        [
          Attribute("color", .string),
          Attribute("size", .int64, isOptional: false, defaultValue: .integer(7)),
        ], title: "name"), list, tag,
      Entity("Place", properties: [.attribute(Attribute("id", .int64))]),
    ],
  ].map { try! Model(entities: $0) }
  static let list = Entity(
    "List",
    properties: [
      .attribute(Attribute("id", .int64)),
      .relationship(
        Relationship("notes", to: "Note", inverse: "list", count: .toMany, isOrdered: true)),
    ])
  static let tag = Entity(
    "Tag",
    properties: [
      .attribute(Attribute("id", .int64)),
      .relationship(Relationship("notes", to: "Note", inverse: "tags", count: .toMany)),
    ])

  static func path(_ replica: Int) -> String { "/Replica\(replica).quire" }
  static func folder(_ replica: Int) -> String { "/share\(replica)" }

  /// Makes the first document, sends it, and clones it for each further replica.
  func makeReplicas(_ count: Int) throws {
    for replica in 0..<count { try disk.makeDirectory(Self.folder(replica)) }
    try Document.create(Self.path(0), model: Self.models[0], in: places).close()
    try edit(0) { context in
      for number in 1...3 {
        try context.insert("List").setValue(.integer(Int64(number)), forKey: "id")
        try context.insert("Tag").setValue(.integer(Int64(number)), forKey: "id")
      }
    }
    try on(0) { document in
      try document.addRemote(named: "origin", at: Self.folder(0))
      _ = try Exchange(document).push()
    }
    for replica in 1..<count {
      try carryAll(from: 0, to: replica)
      try Exchange.clone(Self.folder(replica), to: Self.path(replica), in: places)
    }
  }

  /// Opens a replica as the tool does.
  func on<R>(_ replica: Int, _ body: (Document) throws -> R) throws -> R {
    let document = try Document.open(Self.path(replica), in: places, access: .shared)
    defer { try? document.close() }
    return try body(document)
  }

  static func context(_ document: Document) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: try document.model)
    for store in document.stores { try coordinator.add(store) }
    return ManagedObjectContext(coordinator, concurrency: .confined)
  }

  /// Changes objects of a replica, and saves.
  func edit(_ replica: Int, _ body: (ManagedObjectContext) throws -> Void) throws {
    try on(replica) { document in
      let context = try Self.context(document)
      try body(context)
      if context.hasChanges { try context.save() }
    }
  }

  /// Adds an attachment to a replica, or replaces it.
  func attach(_ name: String, _ bytes: [UInt8], to replica: Int) throws {
    try on(replica) { document in
      try document.addAttachment(named: name) { write in try write(bytes) }
      try document.save()
    }
  }

  @discardableResult
  func sync(_ replica: Int) throws -> ExchangeReport {
    try on(replica) { try Exchange($0).sync() }
  }

  // MARK: - Migrations

  /// Migrates a replica as a program with a newer model does.
  func migrate(_ replica: Int, to model: Int) throws {
    try Document.migrate(Self.path(replica), to: Self.models[model], in: places)
  }

  /// Returns the place of a replica's model among the ``models``.
  func model(_ replica: Int) throws -> Int? {
    let hashes = try on(replica) { try $0.model.versionHashes }
    return Self.models.firstIndex { $0.versionHashes == hashes }
  }

  /// The names of the attributes of an entity in a replica's model.
  func attributes(of entity: String, _ replica: Int) throws -> [String] {
    try on(replica) { try $0.model.properties(of: entity).map(\.name) }
  }

  /// Exchanges as the tool does: a newer model is taken in.
  @discardableResult
  func syncMigrating(
    _ replica: Int, _ prepare: (inout Exchange) -> Void = { _ in }
  ) throws -> ExchangeReport {
    func sync() throws -> ExchangeReport {
      try on(replica) { document in
        var exchange = try Exchange(document)
        prepare(&exchange)
        return try exchange.sync()
      }
    }
    var report = try sync()
    while !report.newerModel.isEmpty,
      let step = try Exchange.migrate(Self.path(replica), in: places)
    {
      report.takeAfterMigration(step)
      report.takeAfterMigration(try sync())
    }
    return report
  }

  // MARK: - Carrying

  func files(in replica: Int) throws -> [String] {
    try disk.list(Self.folder(replica)).filter { $0.kind == .file }.map(\.name).sorted()
  }

  /// Copies a file of one folder into a second one.
  ///
  /// - Parameter change: Changes the bytes on their way.
  func carry(
    _ name: String, from one: Int, to other: Int, as newName: String? = nil,
    _ change: (inout [UInt8]) -> Void = { _ in }
  ) throws {
    var bytes = try disk.read("\(Self.folder(one))/\(name)", byteLimit: 1 << 30)
    change(&bytes)
    let target = "\(Self.folder(other))/\(newName ?? name)"
    if try disk.exists(target) { try disk.remove(target) }
    let file = try disk.open(target, for: .create)
    try file.append(bytes)
    try file.close()
  }

  /// Copies every whole file, in the place of an existing one.
  func carryAll(from one: Int, to other: Int) throws {
    for name in try files(in: one) where try isWhole(name, in: one) {
      try carry(name, from: one, to: other)
    }
  }

  /// Whether a file has the digest that its name says.
  func isWhole(_ name: String, in replica: Int) throws -> Bool {
    let path = "\(Self.folder(replica))/\(name)"
    guard try disk.exists(path) else { return false }
    let bytes = try disk.read(path, byteLimit: 1 << 30)
    return name == "\(SHA256.digest(of: bytes)).quirepack"
  }

  // MARK: - Contents

  /// The objects of a replica as text: each with its identifier, its values and its relationships, lists in their order.
  func contents(_ replica: Int, head: String? = nil) throws -> [String] {
    let document = try Document.open(
      Self.path(replica), in: places, access: .readOnly, head: head)
    defer { try? document.close() }
    return try Self.contents(document)
  }

  static func contents(_ document: Document) throws -> [String] {
    let context = try context(document)
    func number(_ object: ManagedObject) -> String { "\(object["id"])" }
    var lines = Set(try document.model.versionHashes.map { "model \($0.key) \($0.value)" })
    for entity in try document.model.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
        var line = "\(entity.name) \(object.objectID)"
        for property in try document.model.properties(of: entity.name) {
          switch property {
          case .attribute(let attribute): line += " \(attribute.name)=\(object[attribute.name])"
          case .relationship(let relationship) where relationship.isToMany:
            let numbers = object.objects(forKey: relationship.name).map(number)
            line += " \(relationship.isOrdered ? numbers : numbers.sorted())"
          default: break
          }
        }
        lines.insert(line)
      }
    }
    lines.formUnion(document.attachments.map { "\($0.name) \($0.digest)" })
    return lines.sorted()
  }
}
