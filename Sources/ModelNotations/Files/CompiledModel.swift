import Foundation
public import ObjectModel
import PropertyLists

/// Compiled models: the keyed archives of Apple's model compiler, and their flattened form inside stores.
///
///     let bytes = CompiledModel.write(model)
///     let description = try CompiledModel.read(bytes, path: "Trips.mom")
///
/// The archive is read as data; no class that it names is ever instantiated.
public enum CompiledModel {
  /// Reads a compiled model, without checking that the model is sound.
  ///
  /// The archive is a property list in binary form, or in XML as some tools write it.
  ///
  /// Archives do not name composite types. The types in Apple's archives get the name of the entity and the
  /// attribute that have them, such as `Trip_home`.
  ///
  /// - Parameter path: The name of the file in messages.
  /// - Throws: ``ModelFileError`` when the bytes are not an archive of a model.
  public static func read(
    _ bytes: [UInt8], path: String
  ) throws(ModelFileError) -> Model.Description {
    do {
      let archive = try KeyedArchive(bytes)
      return try ArchiveReader(archive.root, path: path).model()
    } catch let error as ModelFileError {
      throw error
    } catch {
      throw ModelFileError(
        .damaged, path: path, message: "The compiled model can't be read: \(error)", cause: error)
    }
  }

  /// Writes a model as Apple's model compiler does: each entity has only its declared properties. Equal models give
  /// equal bytes.
  ///
  /// Reading the bytes returns the same model in the same order, with these exceptions:
  /// - `SourceDetails`, which belong to the editor, are lost.
  /// - Explicit usual values are lost: a renaming identifier equal to the name, the comparison `compare:` of a sort
  ///   key, an empty version identifier.
  /// - The default of an attribute of identifiers is lost. A default of a 32-bit floating-point number, in an
  ///   attribute without a type, comes back with 64 bits.
  ///
  /// Predicates are stored as their text, which Core Data does not read. Core Data finds predicates that compare
  /// paths, variables and constants, joined by AND, OR and NOT. It finds no other predicates; in place of another
  /// validation predicate it finds one that is always true. It finds composite attributes with the attributes of
  /// their type, but without the type's name.
  public static func write(_ model: Model) -> [UInt8] {
    var writer = ArchiveWriter(model)
    return writer.bytes()
  }

  /// Reads a compiled model and checks that it is sound.
  ///
  /// - Throws: ``ModelFileError``.
  public static func readModel(_ bytes: [UInt8], path: String) throws(ModelFileError) -> Model {
    try ModelFile.checked(try read(bytes, path: path), path: path)
  }

  /// Reads the versions in a `.momd` folder, with the hashes that lie beside them.
  static func readVersions(_ url: URL) throws(ModelFileError) -> ModelVersions {
    let names = try ModelFile.names(in: url, withExtension: "mom")
    guard !names.isEmpty else {
      throw ModelFileError(
        .damaged, path: url.relativePath, message: "The folder contains no .mom file.")
    }
    let info = try versionInfo(url)
    let hashes = info?["NSManagedObjectModel_VersionHashes"]?.dictionary ?? [:]
    var versions: [ModelVersions.Version] = []
    for name in names {
      let file = url.appendingPathComponent(name + ".mom")
      let stored = hashes[name]?.dictionary ?? [:]
      versions.append(
        ModelVersions.Version(
          name, model: try readModel(try ModelFile.bytes(file), path: file.relativePath),
          storedHashes: stored.compactMapValues { $0.data.map { Array($0) } }))
    }
    let current = info?["NSManagedObjectModel_CurrentVersionName"]?.string ?? names[names.count - 1]
    guard names.contains(current) else {
      throw ModelFileError(
        .unknownVersion, path: url.appendingPathComponent("VersionInfo.plist").relativePath,
        message: "The current version is '\(current)', but the folder contains "
          + names.map { "'\($0)'" }.joined(separator: ", ") + ".")
    }
    return ModelVersions(versions, currentName: current)
  }

  private static func versionInfo(_ url: URL) throws(ModelFileError) -> PropertyList? {
    let file = url.appendingPathComponent("VersionInfo.plist")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      let bytes = try ModelFile.bytes(file)
      return XMLPropertyList.isLikely(bytes)
        ? try XMLPropertyList.read(bytes) : try BinaryPropertyList.read(bytes)
    } catch let error as ModelFileError {
      throw error
    } catch {
      throw ModelFileError(
        .damaged, path: file.relativePath, message: "The property list can't be read: \(error)",
        cause: error)
    }
  }
}
