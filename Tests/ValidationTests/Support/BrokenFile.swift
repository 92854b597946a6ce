import DurableFiles
import Foundation
import ObjectModel
import Validation

/// A file that breaks just one rule, or shows one thing, as `spec/vectors/rules` holds it.
struct BrokenFile: CustomStringConvertible, Sendable {
  let rule: String
  /// A model beside the file's own.
  var model: Model?
  let make: @Sendable () throws -> [UInt8]

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
    + links + documents + packed

  /// What the validator says of some bytes.
  static func report(
    _ bytes: [UInt8], as name: String = "file.store", model: Model? = nil
  ) throws -> Report {
    let disk = SimulatedDisk()
    try disk.open(name, for: .create).append(bytes)
    return try Validator(model: model).validate(name, on: disk)
  }

  /// The folder of the recorded files.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../spec/vectors/rules").standardized
}
