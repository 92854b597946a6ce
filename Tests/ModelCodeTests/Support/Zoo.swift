import Foundation
import ModelCode
import ObjectModel

/// A model with everything that code is made of, and names that stand against it.
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

  /// What a developer writes beside the generated code: the classes it leaves to them, and the types
  /// that transformers make.
  static let handwritten = """
    public import Quire
    nonisolated public final class ZooKeeper: ManagedObject {
      public override class var entityName: String { "Keeper" }
    }
    nonisolated public final class Visitor: ManagedObject {}
    nonisolated public struct Colour {}
    """
}
