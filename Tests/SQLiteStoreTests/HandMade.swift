import Deflate
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import SQLiteFiles
import StoreInterface

/// A database in Core Data's own layout, made from hand-written SQL.
struct HandMade {
  let path: String
  let model: Model
  static let uuid = UUID(uuidString: "0F0E0D0C-0B0A-0908-0706-050403020100")!

  /// The parts of the model and of the metadata that the database contains.
  struct Parts: OptionSet {
    let rawValue: Int
    static let cache = Parts(rawValue: 1)
    static let list = Parts(rawValue: 2)
    static let all: Parts = [.cache, .list]
  }

  /// Creates the database, with metadata in the known form.
  ///
  /// - Parameter then: More SQL, to alter the database.
  init(
    _ name: String, _ model: Model, at path: String, having parts: Parts = .all,
    then text: String = ""
  ) throws {
    self.path = path
    self.model = model
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Databases/\(name).sql")
    let database = try RawDatabase(path)
    try database.run("PRAGMA auto_vacuum = 2; PRAGMA page_size = 4096")
    try database.run(
      "BEGIN; \(String(contentsOf: script, encoding: .utf8)); COMMIT")
    try database.run(
      "INSERT INTO Z_METADATA VALUES (1, ?, ?)",
      [
        .text(HandMade.uuid.uuidString),
        parts.contains(.list) ? .blob(HandMade.list(model)) : .null,
      ])
    if parts.contains(.cache) {
      try database.run("INSERT INTO Z_MODELCACHE VALUES (?)", [.blob(HandMade.cache(model))])
    } else {
      try database.run("DROP TABLE Z_MODELCACHE")
    }
    if !text.isEmpty { try database.run(text) }
  }

  /// Returns the model as Core Data caches it: a keyed archive, deflated.
  static func cache(_ model: Model) -> [UInt8] {
    Deflate.compressRaw(CompiledModel.write(model).span.bytes)
  }

  /// Returns the property list of the metadata.
  static func list(_ model: Model) -> [UInt8] {
    let hashes = model.versionHashes.mapValues { hash in PropertyList.data(Data(hash.bytes)) }
    return BinaryPropertyList.write(
      .dictionary([
        "NSStoreType": .string("SQLite"), "NSPersistenceFrameworkVersion": .integer(1344),
        "NSStoreModelVersionHashes": .dictionary(hashes),
        "NSStoreModelVersionHashesVersion": .integer(3),
        "NSStoreModelVersionIdentifiers": .array([]), "_NSAutoVacuumLevel": .string("2"),
        "Ours": .string("kept"),
      ]))
  }

  /// Writes a value into a file of its own, under the name that Core Data would give it.
  func addFile(_ name: String, _ bytes: [UInt8]) throws {
    let url = URL(filePath: path)
    let folder = url.deletingLastPathComponent().appending(
      path: ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: folder.appending(path: name))
  }
}
