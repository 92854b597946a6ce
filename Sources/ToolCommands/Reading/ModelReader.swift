import CommandInterface
import ModelNotations
import ObjectModel
import StoreInterface

/// The source of models for commands: files, or any models that a test supplies.
struct ModelReader: Sendable {
  /// Reads the models at a path.
  let read: @Sendable (_ path: String) throws -> ModelVersions

  static let files = ModelReader { path in try ModelVersions.read(path) }

  /// Returns a reader of model files, and of the models that stores and documents contain.
  static func files(andStores stores: StoreReader) -> ModelReader {
    ModelReader { path in
      do { return try ModelVersions.read(path) } catch let error as ModelFileError {
        if let versions = try stores.modelVersions(ofDocumentAt: path) { return versions }
        guard let model = try stores.model(ofStoreAt: path) else { throw error }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return ModelVersions(
          [ModelVersions.Version(name, model: model)], currentName: name)
      }
    }
  }

  /// Returns one model at a path: the named version, or the current version.
  func model(at path: String, version: String? = nil) throws -> ModelVersions.Version {
    let versions = try read(path)
    let wanted = version ?? versions.currentName
    guard let chosen = versions.versions.first(where: { $0.name == wanted }) else {
      if let old = versions.oldVersions.first(where: { $0.name == wanted }) {
        throw CommandError(
          .unreadable,
          """
          The version '\(old.name)' of '\(path)' is in the format of Xcode before version 4, which Quire \
          does not read.
          """, hint: "Save the version with a newer Xcode, which writes a file 'contents'.")
      }
      let names = versions.versions.map(\.name)
      throw CommandError.unknown(
        "version", wanted, in: "of '\(path)'", known: names,
        otherwise: "It has \(names.map { "'\($0)'" }.joined(separator: ", ")).")
    }
    return chosen
  }
}
