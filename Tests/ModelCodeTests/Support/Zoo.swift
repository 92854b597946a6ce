import Foundation
import ModelCode
import ModelNotations
import ObjectModel

/// A model with every feature of generated code, and names that conflict with names in the code.
enum Zoo {
  /// The folder of golden files.
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Goldens")

  /// The model, read from its source.
  static var model: Model {
    get throws {
      try ModelVersions.read(folder.appending(path: "Zoo.xcdatamodel").path).current
    }
  }

  /// The code that a developer writes beside the generated code: the classes that are not generated, and the types of the
  /// transformers' values.
  static let handwritten = """
    public import Quire
    nonisolated public final class ZooKeeper: ManagedObject {
      public override class var entityName: String { "Keeper" }
    }
    nonisolated public final class Visitor: ManagedObject {}
    nonisolated public struct Colour {}
    """
}
