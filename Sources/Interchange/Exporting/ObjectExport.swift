import ObjectModel
import Rows
package import StoreInterface

/// Writes the objects of a store as text, entity by entity. ``ObjectImport`` reads the same objects back.
///
///     let export = try ObjectExport(of: store.snapshot(), as: .jsonl)
///     for entity in export.entities {
///       try export.write(entity) { bytes in try writer.write(bytes) }
///     }
///
/// Objects are in the order of their keys. Values lose nothing: see `docs/exchange.md`. Memory holds the columns of a
/// block and the lists of one entity's to-many relationships, with 24 bytes for each member.
public struct ObjectExport {
  private let model: Model
  private let schema: Schema
  private let view: View
  private let format: ExportFormat
  private let known: KnownObjects
  /// The entities that are not abstract, in the order of their numbers.
  package let entities: [String]
  /// Whether comma-separated values contain the identifiers of all objects. Otherwise they contain those of the entities to which
  /// relationships lead: an import finds the objects by them.
  package var writesIdentifiers = false

  /// Creates an export of the objects of a snapshot.
  ///
  /// - Throws: The errors of a damaged store.
  package init(of snapshot: any StoreSnapshot, as format: ExportFormat) throws {
    model = try snapshot.model
    schema = snapshot.schema
    view = snapshot.view
    self.format = format
    known = KnownObjects(view)
    let model = model
    entities = schema.layouts.map(\.entity).filter { model[$0]?.isAbstract == false }
  }

  /// Returns whether an export of some entities writes files into a folder: in a format of tables each entity has a file of
  /// its own.
  package func needsFolder(for names: [String], at path: String) -> Bool {
    format.hasTables
      && (names.count != 1 || !path.lowercased().hasSuffix("." + format.rawValue))
  }

  /// Returns the number of an entity's objects, without objects of its subentities.
  package func count(of entity: String) throws -> Int {
    guard let layout = schema[entity] else { return 0 }
    return try view.batches(of: layout).reduce(0) { $0 + $1.rowCount }
  }

  /// The result of an export.
  public struct Report: Sendable, Hashable {
    /// The number of exported objects.
    public var objectCount = 0
    /// The number of references to objects that do not exist. They are not exported.
    public var lostReferenceCount = 0

    public init() {}

    /// Adds the report on further objects.
    package mutating func add(_ part: Report) {
      objectCount += part.objectCount
      lostReferenceCount += part.lostReferenceCount
    }
  }

  /// Writes the objects of one entity, without objects of its subentities. Comma-separated values begin with a line
  /// of column names.
  ///
  /// - Parameters:
  ///   - isPipe: Whether the output of a format with parts must be readable before its end.
  ///   - progress: Called repeatedly with the number of objects that are written. If it throws, the export ends.
  ///   - sink: Called with each piece of the output.
  @discardableResult
  package func write(
    _ entity: String, isPipe: Bool = false, progress: (Int) throws -> Void = { _ in },
    to sink: ([UInt8]) throws -> Void
  ) throws -> Report {
    guard let layout = schema[entity] else { return Report() }
    let (properties, relationships) = ExportedProperty.all(
      of: layout, model: model, isOrdered: format == .csv)
    let lists = try relationships.map { try self.lists(of: $0, layout) }
    if format == .sql {
      var table = try SQLExport(
        SQLSchema(model: model, schema: schema), layout, known, in: view)
      try table.write(
        view, lists: zip(relationships, lists).map { ($0, $1) }, progress: progress, to: sink)
      return table.report
    }
    guard let text = format.text else {
      var table = try ArrowExport(
        layout, properties, lists, as: isPipe ? .stream : .file, in: view)
      var report = Report()
      report.objectCount = try table.write(view, progress: progress, to: sink)
      try progress(report.objectCount)
      return report
    }
    // A line of a single cell may be empty, and no import reads an object in an empty line.
    let isNarrow = properties.flatMap { $0.cellNames() }.count < 2
    let writesKeys = writesIdentifiers || isNarrow || model.isReferred(to: entity)
    let writer = EntityExport(layout, properties, text, known, cellsBeginWithKey: writesKeys)
    writer.lists = lists
    writer.begin()
    var walk = try RowWalk(view, layout)
    while let place = try walk.next() {
      try writer.write(place)
      if writer.output.isLarge {
        try sink(writer.output.take())
        try progress(writer.report.objectCount)
      }
    }
    try sink(writer.output.take())
    try progress(writer.report.objectCount)
    return writer.report
  }

  /// Returns the members of a to-many relationship.
  private func lists(of relationship: Relationship, _ layout: Layout) throws -> RelatedLists {
    if let inverse = model.inverse(of: relationship), !inverse.isToMany {
      return try RelatedLists(
        relationship, back: inverse, of: layout, model: model, schema: schema, view: view)
    }
    guard let side = schema.links(of: layout.entity, relationship.name) else {
      return RelatedLists()
    }
    return try RelatedLists(
      side, isOrdered: relationship.keepsOrder, of: layout, view: view, known: known)
  }
}

extension RelatedLists {
  init() {}
}
