public import Documents
public import ObjectGraph
import ObjectModel
public import StoreInterface

extension ManagedDocument {
  /// Opens a document with the model that classes declare, or makes a document if there is none.
  ///
  ///     let document = try await ManagedDocument.openOrCreate("Trip.quire", for: Trip.self, Stop.self)
  ///
  /// - Parameters:
  ///   - classes: The classes with `@Entity`. They take the place of the classes of `options`.
  ///   - backends: Further types of stores, such as `.sqlite` of the library `SQLiteStore`.
  ///   - options: The settings of the document. A document of another version of the model is migrated if they have a
  ///     migrator.
  /// - Throws: `ModelError` if the classes make no model; ``DocumentError`` if the document can't be opened or made; the
  ///   error of a migration.
  public static func openOrCreate(
    _ path: String, for classes: ManagedObject.Type...,
    backends: [any StoreBackend] = [], options: DocumentOptions = DocumentOptions()
  ) async throws -> ManagedDocument {
    var options = options
    options.classes = classes
    return try await openOrCreate(
      path, model: try Model(classes: classes), in: .builtIn(adding: backends), options)
  }
}
