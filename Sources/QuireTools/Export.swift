import Comparison
import DurableFiles
public import Interchange
import ObjectModel
public import Quire
public import StoreInterface

/// An export of objects as JSON lines, comma-separated values, or the columns of Arrow.
///
///     try Export(of: "Trips.quire").write(to: "trips.jsonl")
///     try Export(of: "Trips.quire@2", entities: "Trip").write(to: "trips.csv")
///
///     try Export(of: "Trips.quire", entities: "Stop").write(to: "stops.arrow")
///
/// ``Import`` reads the text back. The export reads one snapshot, a few blocks at a time.
public struct Export: Sendable {
  /// The name of the store of a document with several stores.
  public var store: String?
  private let place: String
  private let entities: [String]
  private let places: StorePlaces

  /// Creates an export of a document or a store, or of a version of one: `Trips.quire@3`.
  ///
  /// - Parameters:
  ///   - entities: The entities of the objects, with their subentities. Without names, all objects are exported.
  ///   - places: The backends that open stores, and the disk.
  public init(of place: String, entities: String..., in places: StorePlaces = .builtIn) {
    self.init(of: place, entitiesNamed: entities, in: places)
  }

  package init(
    of place: String, entitiesNamed entities: [String], in places: StorePlaces = .builtIn
  ) {
    self.place = place
    self.entities = entities
    self.places = places
  }

  /// Writes the objects into a file, and replaces an existing one. If the export fails, the existing file stays as it was.
  ///
  /// A file of comma-separated values, or of Arrow, has the objects of one entity. So several entities are written into a
  /// folder, as `Trip.csv`, `Stop.csv` and so on.
  ///
  /// - Parameter format: The format; `nil` to choose it by the ending of the path.
  /// - Throws: The errors of opening and reading; `DiskError`.
  @discardableResult
  public func write(
    to path: String, as format: ExportFormat? = nil
  ) throws -> ObjectExport.Report {
    let opened = try ComparedPlace(place, in: places)
    defer { opened.close() }
    let store: any Store = try opened.document?.store(named: store) ?? opened.stores[0].store
    let snapshot = try store.snapshot()
    let format = format ?? ExportFormat(path: path) ?? .jsonl
    let export = try ObjectExport(of: snapshot, as: format)
    let model = try snapshot.model
    let wanted = Set(entities.flatMap { model.family(of: $0).map(\.name) })
    let names = export.entities.filter { entities.isEmpty || wanted.contains($0) }
    var report = ObjectExport.Report()
    func add(_ name: String, to writer: inout FileWriter) throws {
      let part = try export.write(name) { bytes in try writer.write(bytes) }
      report.add(part)
    }
    let disk = places.disk
    if export.needsFolder(for: names, at: path) {
      if try !disk.exists(path) { try disk.makeDirectory(path) }
      for name in names {
        try disk.makeFile(
          path.appendingPathComponent("\(name).\(format.rawValue)"), overwriting: true
        ) {
          try add(name, to: &$0)
        }
      }
    } else {
      try disk.makeFile(path, overwriting: true) { for name in names { try add(name, to: &$0) } }
    }
    return report
  }
}
