public import ObjectModel
public import Rows
import Synchronization

/// The objects of a view over layers, to be queried.
///
/// Relationships that follow from a to-one inverse are answered from an index of that column, which
/// is made when it is first needed and kept as long as the source.
public final class ViewSource: QuerySource {
  /// The model of the objects.
  public let model: Model
  /// Where the rows keep what the model describes.
  public let schema: Schema
  /// Which store object identifiers must name; `nil` when all do.
  public let store: StoreTag?
  /// What is looked through.
  public let view: View

  /// Answers for relationships whose ends are both to-many, and for those without an inverse.
  public typealias Links = @Sendable (ObjectKey, ToManyRelationship) throws -> [ObjectKey]

  private let links: Links?
  private let inverses = Mutex<[ToManyRelationship: InverseIndex]>([:])

  /// The objects of the given view.
  ///
  /// - Parameter links: Answers for relationships that do not follow from a column; without it such
  ///   relationships can't be queried.
  public init(
    _ view: View, model: Model, schema: Schema, store: StoreTag? = nil, links: Links? = nil
  ) {
    self.view = view
    self.model = model
    self.schema = schema
    self.store = store
    self.links = links
  }

  /// All objects of one entity, without those of its subentities.
  public func batches(of layout: Layout) throws -> [RowBatch] { try view.batches(of: layout) }

  /// One object; `nil` when there is none with the given key.
  public func row(of key: ObjectKey) throws -> ViewRow? { try view.row(of: key) }

  /// The objects that a to-many relationship leads to.
  public func objects(
    relatedTo key: ObjectKey, through relationship: ToManyRelationship
  ) throws -> [ObjectKey] {
    guard relationship.inverse != nil else {
      guard let links else {
        throw QueryError(
          .notSupported,
          """
          The objects of "\(relationship.entity).\(relationship.name)" can't be found: the \
          relationship has no inverse that leads to one object.
          """)
      }
      return try links(key, relationship)
    }
    if let known = inverses.withLock({ $0[relationship] }) { return known[key] }
    // Made outside the lock: it may read much, and making it twice does no harm.
    let made = try InverseIndex(relationship, in: self)
    inverses.withLock { $0[relationship] = made }
    return made[key]
  }
}

/// The objects that lead to each object through one column.
private struct InverseIndex: Sendable {
  /// The objects led to, ascending, each once.
  private var owners: [UInt64] = []
  /// Where the objects of each owner begin in `objects`; one more than there are owners.
  private var starts: [Int32] = []
  private var objects: [ObjectKey] = []

  private struct Edge {
    var owner: UInt64
    var order: Int64
    var key: UInt64
  }

  init(_ relationship: ToManyRelationship, in source: some QuerySource) throws {
    var edges: [Edge] = []
    for layout in source.schema.layouts(ofFamily: relationship.destination, in: source.model) {
      for batch in try source.batches(of: layout) {
        guard let column = try batch.block.column(relationship.inverse!) else { continue }
        let order = try relationship.order.flatMap { try batch.block.column($0) }
        let keys = try batch.block.keys
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          guard let owner = column.reference(at: row) else { continue }
          let key = ObjectKey(
            entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
          edges.append(
            Edge(owner: owner.rawValue, order: order?.integer(at: row) ?? 0, key: key.rawValue))
        }
      }
    }
    edges.sort { ($0.owner, $0.order, $0.key) < ($1.owner, $1.order, $1.key) }
    objects.reserveCapacity(edges.count)
    for edge in edges {
      if owners.last != edge.owner {
        owners.append(edge.owner)
        starts.append(Int32(objects.count))
      }
      objects.append(ObjectKey(rawValue: edge.key))
    }
    starts.append(Int32(objects.count))
  }

  subscript(key: ObjectKey) -> [ObjectKey] {
    let position = owners.firstPosition { $0 >= key.rawValue }
    guard position < owners.count, owners[position] == key.rawValue else { return [] }
    return Array(objects[Int(starts[position])..<Int(starts[position + 1])])
  }
}

extension Schema {
  /// The layouts of an entity and of all that inherit from it.
  func layouts(ofFamily entity: String, in model: Model) -> [Layout] {
    model.family(of: entity).compactMap { self[$0.name] }
  }
}
