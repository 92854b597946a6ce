package import ObjectModel
package import StoreInterface

/// The manifest and the models of a document, read without a lock and without opening the document's stores.
///
/// ```text
/// let outline = try DocumentOutline(of: "Trips.quire", in: places)
/// let model = try outline.model(named: outline.manifest.model)
/// ```
package struct DocumentOutline: Sendable {
  /// The manifest at the moment of reading.
  package let manifest: Manifest
  private let container: Container

  /// Reads the manifest of a document, which may be a folder or packed.
  ///
  /// - Throws: ``DocumentError`` if there is no document at the path, or its manifest can't be read.
  package init(of path: String, in places: StorePlaces) throws {
    container = Container(
      path: path, disk: try places.inside(path).disk, backends: places.backends)
    manifest = try container.manifest().manifest
  }

  /// Reads a version of the model.
  ///
  /// - Throws: ``DocumentError`` if the document does not have the version, or its file is damaged.
  package func model(named name: String) throws -> Model {
    try container.model(name, of: manifest)
  }
}
