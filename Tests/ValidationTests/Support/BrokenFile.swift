import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import SQLiteStore
import StoreInterface
import Validation

extension StoreBackends {
  /// The backends with rules of their own.
  static let checked = StoreBackends([SQLiteStoreBackend()])
}

extension Rule {
  /// The rules of all formats, sorted by identifier.
  static let known = try! (all + SQLiteStoreBackend().rules()).sorted { $0.id < $1.id }
}

/// A file that breaks exactly one rule, or shows one property, as in `spec/vectors/rules`.
struct BrokenFile: CustomStringConvertible, Sendable {
  let rule: String
  /// A model beside the file's own model.
  var model: Model?
  /// The SQL statements that change the small SQLite store; `nil` if the file is of another kind.
  var statements: (@Sendable () throws -> String)?
  /// The names of the files in its folder of outside values.
  var valueFiles: [String] = []
  let make: @Sendable () throws -> [UInt8]

  /// The name of the file in the folder: a store, or statements for the small SQLite store.
  var fileName: String { "\(rule).\(statements == nil ? "store" : "sql")" }

  init(_ rule: String, model: Model? = nil, _ make: @escaping @Sendable () throws -> [UInt8]) {
    self.rule = rule
    self.model = model
    self.make = make
  }

  /// Creates a file from a small file by changes of fields.
  init(
    _ rule: String, model: Model? = nil, _ base: @escaping @Sendable () throws -> [UInt8],
    _ change: @escaping @Sendable (inout FileEditor) throws -> Void
  ) {
    self.init(rule, model: model) {
      var editor = try FileEditor(base())
      try change(&editor)
      return editor.sealed()
    }
  }

  var description: String { rule }

  static let all =
    headers + commits + records + segments + blocks + columns + outside + contents + indexes
    + objects
    + links + documents + packed + databases

  /// Returns the validator's report of some bytes.
  static func report(
    _ bytes: [UInt8], as name: String = "file.store", model: Model? = nil,
    valueFiles: [String] = []
  ) throws -> ValidationReport {
    let disk = SimulatedDisk()
    try disk.open(name, for: .create).append(bytes)
    if !valueFiles.isEmpty {
      let folder = ".\(name.dropLast(".store".count))_SUPPORT"
      try disk.makeDirectory(folder)
      try disk.makeDirectory(folder + "/_EXTERNAL_DATA")
      for file in valueFiles {
        _ = try disk.open("\(folder)/_EXTERNAL_DATA/\(file)", for: .create)
      }
    }
    return try Validator(model: model, backends: .checked).validate(name, on: disk)
  }

  /// The folder of the recorded files.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec/vectors/rules").standardized
}
