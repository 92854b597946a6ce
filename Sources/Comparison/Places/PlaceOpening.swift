package import Documents
package import ObjectModel
package import StoreInterface

/// The ways in which a merge opens the files that it copies and changes. A command has ways of its own, with its options.
package struct PlaceOpening {
  package let places: StorePlaces
  /// Opens a head of a document; the current head for `nil`.
  package let document: (_ place: VersionedPath, _ access: Document.Access) throws -> Document
  /// Opens a store.
  package let store: (_ path: String, _ readOnly: Bool) throws -> any Store

  package init(
    _ places: StorePlaces, document: @escaping (VersionedPath, Document.Access) throws -> Document,
    store: @escaping (String, Bool) throws -> any Store
  ) {
    self.places = places
    self.document = document
    self.store = store
  }

  /// Opens documents and stores without options.
  ///
  /// - Parameter model: The model of a store that does not contain its own.
  package init(_ places: StorePlaces, model: Model?) {
    self.init(places) { place, access in
      try places.openDocument(place.path, access: access, version: place.version)
    } store: { path, readOnly in
      try places.openStore(path, model: model, readOnly: readOnly)
    }
  }
}
