import Archives
import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface
import Testing
import XMLStore

/// A folder like that of a document, without a manifest of its own.
enum SampleFolder {
  static let path = "/Trip.quire"

  /// The packed names of the folder, in the order of packing.
  static let names = [
    "Empty/", "attachments/", "attachments/deep/", "attachments/deep/er/",
    "attachments/deep/er/picture.jpeg", "attachments/nothing", "attachments/étape.txt",
    "manifest.plist", "stores/", "stores/main.store", "stores/notes.xml",
  ]

  /// Creates the folder with files of all kinds, and makes all of it durable.
  static func make(on disk: SimulatedDisk) throws {
    for folder in ["", "/attachments", "/attachments/deep", "/attachments/deep/er", "/Empty"] {
      try disk.makeDirectory(path + folder)
    }
    try write(Array(text(200).utf8), to: "manifest.plist", on: disk)
    try write(Array(text(3).utf8), to: "attachments/étape.txt", on: disk)
    try write([], to: "attachments/nothing", on: disk)
    try write(
      (0..<9000).map { UInt8($0 * $0 / 7 & 0xFF) }, to: "attachments/deep/er/picture.jpeg", on: disk
    )
    try write([1], to: ".lock", on: disk)
    try write([1], to: "attachments/.étape.txt.0000000000000001.quire-tmp", on: disk)
    try makeStores(on: disk)
    disk.settle()
  }

  /// Creates a smaller folder, for tests that try every operation on it.
  static func makeSmall(on disk: SimulatedDisk) throws {
    try disk.makeDirectory(path)
    try disk.makeDirectory(path + "/stores")
    try write(Array("<plist/>".utf8), to: "manifest.plist", on: disk)
    try write([0, 1, 2, 3], to: "stores/main.store", on: disk)
    disk.settle()
  }

  static func write(_ bytes: [UInt8], to name: String, on disk: any Disk) throws {
    try disk.replace(path + "/" + name) { try $0.write(bytes) }
  }

  static func text(_ lineCount: Int) -> String {
    (0..<lineCount).map { "<key>line \($0)</key>\n" }.joined()
  }

  // MARK: - Stores

  static let model: Model = {
    var trip = Entity("Trip")
    trip.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("days", .int64)),
    ]
    return try! Model(entities: [trip])
  }()

  static let tripCount = 2000

  private static func makeStores(on disk: SimulatedDisk) throws {
    try disk.makeDirectory(path + "/stores")
    for (name, backend) in stores {
      let store = try backend.create(
        at: path + "/stores/" + name, model: model, on: disk, StoreCreation())
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      let layout = base.schema["Trip"]!
      for number in 1...UInt64(tripCount) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        builder.insert(key)
        builder.set(.string("trip \(number)"), column: layout.index(of: "name")!, of: key)
        builder.set(.integer(Int64(number)), column: layout.index(of: "days")!, of: key)
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      try store.close()
    }
  }

  static let stores: [(name: String, backend: any StoreBackend)] = [
    ("main.store", BinaryStoreBackend()), ("notes.xml", XMLStoreBackend()),
  ]

  // MARK: - Comparing

  /// Returns every file and folder below a path except hidden names, with the contents of the files.
  static func contents(_ folder: String, on disk: any Disk) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for entry in try disk.list(folder) where !entry.name.hasPrefix(".") {
      if entry.kind == .directory {
        found[entry.name + "/"] = []
        for (name, bytes) in try contents(folder + "/" + entry.name, on: disk) {
          found[entry.name + "/" + name] = bytes
        }
      } else {
        found[entry.name] = try disk.read(folder + "/" + entry.name, byteLimit: 1 << 24)
      }
    }
    return found
  }
}

/// Checks that `body` throws an error with the code, and returns the error.
@discardableResult
func expect<Result>(
  _ code: ArchiveError.Code, _ note: String = "",
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> ArchiveError? {
  let error = #expect(throws: ArchiveError.self, "\(note)", sourceLocation: sourceLocation) {
    try body()
  }
  #expect(
    error?.code == code, "\(note): \(String(describing: error))", sourceLocation: sourceLocation)
  return error
}
