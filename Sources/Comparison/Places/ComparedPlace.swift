package import Documents
package import DurableFiles
package import ObjectModel
package import StoreInterface

/// A document or a store that takes part in a comparison or a merge, open for reading.
package struct ComparedPlace {
  /// The name as the caller gives it: a path, or a path with a version.
  package let name: String
  package let place: VersionedPath
  /// The document; `nil` for a store.
  package let document: Document?
  /// The model of the document; `nil` for a store, and if one store of the document is chosen.
  package let model: Model?
  package let stores: [(name: String, store: any Store)]
  /// Whether ``close()`` closes a store that is not part of a document.
  private var closesStores = false
  /// Whether the place is an empty file, which git passes as the base of a file that both branches have added.
  package var isEmpty: Bool { stores.isEmpty }

  package init(
    _ name: String, at place: VersionedPath, _ document: Document?, model: Model?,
    stores: [(name: String, store: any Store)]
  ) {
    self.name = name
    self.place = place
    self.document = document
    self.model = model
    self.stores = stores
  }

  /// Creates a place without objects, for an empty file.
  package init(emptyFile name: String, at place: VersionedPath) {
    self.init(name, at: place, nil, model: nil, stores: [])
  }

  /// Opens a place with all stores.
  ///
  /// - Parameters:
  ///   - model: The model of a store that does not contain its own.
  ///   - mayBeEmpty: Whether an empty file stands for a store without objects.
  package init(
    _ name: String, in places: StorePlaces, model: Model? = nil, mayBeEmpty: Bool = false
  ) throws {
    try self.init(
      name, at: VersionedPath(name, on: places.disk), in: places, model: model,
      mayBeEmpty: mayBeEmpty)
  }

  /// Opens a place that has another name in messages.
  package init(
    _ name: String, at place: VersionedPath, in places: StorePlaces, model: Model? = nil,
    mayBeEmpty: Bool = false
  ) throws {
    if mayBeEmpty, try place.isEmptyFile(on: places.disk) {
      self.init(emptyFile: name, at: place)
      return
    }
    guard try places.isDocument(place.path) else {
      let store = try places.openStore(place.path, version: place.version, model: model)
      self.init(name, at: place, nil, model: nil, stores: [("", store)])
      closesStores = true
      return
    }
    let document = try places.openDocument(
      place.path, access: .readOnly, version: place.version)
    self.init(
      name, at: place, document, model: try document.model,
      stores: document.stores.map { ($0.name, $0) })
  }

  /// Closes the document. A store is closed too, unless the caller has opened it.
  package func close() {
    try? document?.close()
    if closesStores { for (_, store) in stores { try? store.close() } }
  }
}

extension VersionedPath {
  /// Returns whether there is a file without bytes at the path.
  package func isEmptyFile(on disk: any Disk) throws -> Bool {
    guard let status = try disk.statusIfThere(path) else { return false }
    return status.kind == .file && status.byteCount == 0
  }
}
