import Comparison
public import Documents
import DurableFiles
public import Interchange
import ObjectModel
public import Quire
public import StoreInterface

/// An import of objects from files of JSON lines or comma-separated values.
///
///     let report = try Import("trips.csv", "stops.csv").write(to: "Trips.quire")
///     print(report.insertedCount)
///
/// All files are imported in one save, so objects may refer to objects of another file, and after an error nothing is saved. Use
/// a context instead for objects that the program makes itself. An import of new objects is faster than a context: it
/// writes rows, and makes no managed objects. Its memory grows with the number of references, and with
/// `options.batchSize` it saves in batches.
public struct Import: Sendable {
  /// The options, such as the update of objects with the same unique values.
  public var options = ObjectImport.Options()
  /// The format of the files; `nil` to choose it by the endings of their names.
  public var format: ExchangeFormat?
  /// The entity of the objects. If `nil`, JSON lines name it themselves, and the name of a file of
  /// comma-separated values determines it: `trips.csv` contains objects of `Trip`.
  public var entity: String?
  /// The name of the store of a document with several stores.
  public var store: String?
  private let paths: [String]

  /// Creates an import of files.
  public init(_ paths: String..., entity: String? = nil) {
    self.init(contentsOf: paths, entity: entity)
  }

  /// Creates an import of files.
  public init(contentsOf paths: [String], entity: String? = nil) {
    self.paths = paths
    self.entity = entity
  }

  /// Imports the objects into a document or a store, and saves them.
  ///
  /// - Parameter places: The backends that open stores, and the disk of the store and the files.
  /// - Throws: `ImportError` with the lines that are wrong; the errors of opening and saving.
  @discardableResult
  public func write(
    to path: String, in places: StorePlaces = .builtIn
  ) throws -> ObjectImport.Report {
    let place = try VersionedPath(orHead: path, on: places.disk)
    guard try places.isDocument(place.path) else {
      let store = try places.open(path, StoreOpening())
      return try store.closing { try run(store, places) }
    }
    let document = try places.openDocument(
      place.path, access: .exclusive, version: place.version)
    defer { try? document.close() }
    return try run(document.store(named: store), places)
  }

  /// Imports the objects into an open document, and saves them as a version.
  ///
  /// - Parameter places: The disk of the files.
  /// - Throws: `ImportError` with the lines that are wrong; the errors of saving.
  @discardableResult
  public func write(
    to document: Document, in places: StorePlaces = .builtIn
  ) throws -> ObjectImport.Report {
    try run(document.store(named: store), places)
  }

  private func run(_ store: any Store, _ places: StorePlaces) throws -> ObjectImport.Report {
    let model = try store.snapshot().model
    let files = try paths.map { path in
      let kind = ImportFile.kind(ofFileAt: path, format: format, entity: entity, in: model)
      return ImportFile(
        try places.disk.open(path, for: .read), name: path, format: kind.format,
        entity: kind.entity)
    }
    var objects = ObjectImport(into: store, files)
    objects.options = options
    return try objects.run()
  }
}
