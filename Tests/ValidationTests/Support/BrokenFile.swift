import DurableFiles
import Foundation
import ObjectModel
import Validation

/// A file that breaks just one rule, or shows one thing, as `spec/vectors/rules` holds it.
struct BrokenFile: CustomStringConvertible, Sendable {
  let rule: String
  /// A model beside the file's own.
  var model: Model?
  /// What is to be done to the small SQLite store, in SQL, where the file is one.
  var statements: (@Sendable () throws -> String)?
  /// The names of files in its folder of values.
  var valueFiles: [String] = []
  let make: @Sendable () throws -> [UInt8]

  /// What the file in the folder holds: a store, or the statements that make one of the small SQLite store.
  var fileName: String { "\(rule).\(statements == nil ? "store" : "sql")" }

  init(_ rule: String, model: Model? = nil, _ make: @escaping @Sendable () throws -> [UInt8]) {
    self.rule = rule
    self.model = model
    self.make = make
  }

  /// A small file of which fields are changed.
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

  /// What the validator says of some bytes.
  static func report(
    _ bytes: [UInt8], as name: String = "file.store", model: Model? = nil,
    valueFiles: [String] = []
  ) throws -> Report {
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
    return try Validator(model: model).validate(name, on: disk)
  }

  /// The folder of the recorded files.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec/vectors/rules").standardized
}
