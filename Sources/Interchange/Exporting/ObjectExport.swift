import ObjectModel
import Rows
public import StoreInterface

/// Writes a store's objects as text, entity by entity, from which ``ObjectImport`` makes the same ones.
///
///     let export = try ObjectExport(of: store.snapshot(), as: .jsonl)
///     for entity in export.entities {
///       try export.write(entity) { bytes in try writer.write(bytes) }
///     }
///
/// Objects come in the order of their keys. Values lose nothing: see `docs/exchange.md`. Memory holds a block's
/// columns, and the lists of one entity's relationships to many, 24 bytes for each object in them.
public struct ObjectExport {
  private let model: Model
  private let schema: Schema
  private let view: View
  private let format: ExchangeFormat
  private let known: KnownObjects
  /// The entities that may have objects of their own, in the order of their numbers.
  public let entities: [String]

  /// The objects that a snapshot shows.
  ///
  /// - Throws: What a damaged store throws.
  public init(of snapshot: any StoreSnapshot, as format: ExchangeFormat) throws {
    model = try snapshot.model
    schema = snapshot.schema
    view = snapshot.view
    self.format = format
    known = KnownObjects(view)
    let model = model
    entities = schema.layouts.map(\.entity).filter { model[$0]?.isAbstract == false }
  }

  /// How many objects an entity has by itself.
  public func count(of entity: String) throws -> Int {
    guard let layout = schema[entity] else { return 0 }
    return try view.batches(of: layout).reduce(0) { $0 + $1.rowCount }
  }

  /// What was written.
  public struct Report: Sendable, Hashable {
    /// How many objects.
    public var objectCount = 0
    /// How many references led to an object that is not there. They are left out.
    public var lostReferenceCount = 0

    /// Nothing.
    public init() {}
  }

  /// Writes the objects of one entity, without those of its subentities. As comma-separated values a line with
  /// the names comes first.
  ///
  /// - Parameters:
  ///   - progress: Is told now and then how many objects are written. What it throws ends the export.
  ///   - sink: Takes the bytes, piece by piece.
  @discardableResult
  public func write(
    _ entity: String, progress: (Int) throws -> Void = { _ in }, to sink: ([UInt8]) throws -> Void
  ) throws -> Report {
    guard let layout = schema[entity] else { return Report() }
    let (properties, relationships) = ExportedProperty.all(of: layout, model: model)
    let writer = EntityExport(layout, properties, format, known)
    for relationship in relationships {
      if let inverse = model.inverse(of: relationship), !inverse.isToMany {
        writer.lists.append(
          try RelatedLists(
            relationship, back: inverse, of: layout, model: model, schema: schema, view: view))
      } else if let side = schema.links(of: entity, relationship.name) {
        writer.lists.append(
          try RelatedLists(
            side, isOrdered: relationship.keepsOrder, of: layout, view: view, known: known))
      } else {
        writer.lists.append(RelatedLists())
      }
    }
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
}

extension RelatedLists {
  /// Nothing at all.
  init() {}
}
