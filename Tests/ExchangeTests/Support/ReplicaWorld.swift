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

  static let note = Entity(
    "Note",
    properties: [
      .attribute(Attribute("id", .int64)), .attribute(Attribute("title", .string)),
      .attribute(Attribute("stars", .int64)),
      .relationship(Relationship("list", to: "List", inverse: "notes")),
      .relationship(Relationship("tags", to: "Tag", inverse: "notes", count: .toMany)),
    ])
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
    let model = try Model(entities: [Self.note, Self.list, Self.tag])
    for replica in 0..<count { try disk.makeDirectory(Self.folder(replica)) }
    try Document.create(Self.path(0), model: model, in: places).close()
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

  // MARK: - Carrying

  func files(in replica: Int) throws -> [String] {
    try disk.list(Self.folder(replica)).map(\.name).sorted()
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
    var lines: [String] = []
    for entity in ["Note", "List", "Tag"] {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
        var line = "\(entity) \(object.objectID) \(number(object))"
        switch entity {
        case "Note":
          line += " \(object["title"]) \(object["stars"])"
          line += " \(object.objects(forKey: "tags").map(number).sorted())"
        case "List": line += " \(object.objects(forKey: "notes").map(number))"
        default: break
        }
        lines.append(line)
      }
    }
    lines += document.attachments.map { "\($0.name) \($0.digest)" }
    return lines.sorted()
  }
}
