import ObjectModel
import Rows

/// The links of many-to-many relationships that were added or removed since drafts were last frozen.
struct OpenLinks {
  private let schema: Schema
  private var builder: LayerBuilder?
  /// The numbers of the added links, by table and by the connected objects.
  private var put: [Link: UInt64] = [:]
  /// The objects at both ends of the added links.
  private var ends: Set<ObjectKey> = []
  /// The keys of the removed links.
  private var removed: Set<ObjectKey> = []
  /// Whether a link of the view was given another position.
  private var hasOrders = false

  struct Link: Hashable {
    var table: UInt16
    var source: ObjectKey
    var target: ObjectKey
  }

  init(_ schema: Schema) { self.schema = schema }

  private mutating func makeBuilder() -> LayerBuilder {
    if let builder { return builder }
    let made = LayerBuilder(schema)
    builder = made
    return made
  }

  func number(of link: Link) -> UInt64? { put[link] }

  /// Returns whether the links of an object, or their order, may differ from the view.
  func mayConcern(_ key: ObjectKey) -> Bool {
    !removed.isEmpty || hasOrders || ends.contains(key)
  }

  /// Returns whether a link of the view was removed.
  func isRemoved(_ key: ObjectKey) -> Bool { removed.contains(key) }

  /// Adds a link, with its positions where the ends have an order.
  mutating func insert(
    _ link: Link, number: UInt64, targetOrder: Int64?, sourceOrder: Int64?
  ) {
    let layout = schema[link.table]!
    let key = ObjectKey(entity: link.table, number: number)
    let builder = makeBuilder()
    builder.insert(key)
    func set(_ value: Value, _ column: UInt16) {
      if let position = layout.index(ofNumber: column) {
        builder.set(value, column: position, of: key)
      }
    }
    set(.object(link.source), LinkTable.Column.source)
    set(.object(link.target), LinkTable.Column.target)
    if let targetOrder { set(.integer(targetOrder), LinkTable.Column.targetOrder) }
    if let sourceOrder { set(.integer(sourceOrder), LinkTable.Column.sourceOrder) }
    put[link] = number
    ends.insert(link.source)
    ends.insert(link.target)
  }

  /// Sets the position of a link that the view contains.
  mutating func setOrder(_ order: Int64, column: LayoutColumn, of key: ObjectKey, basis: Int64) {
    guard let layout = schema[key.entity], let position = layout.index(ofNumber: column.number)
    else { return }
    makeBuilder().set(.integer(order), column: position, of: key, basis: basis)
    hasOrders = true
  }

  /// Removes a link that was added since drafts were last frozen. Returns whether there was one.
  mutating func remove(_ link: Link) -> Bool {
    guard let number = put.removeValue(forKey: link) else { return false }
    makeBuilder().remove(ObjectKey(entity: link.table, number: number))
    return true
  }

  /// Removes a link of the view.
  mutating func remove(_ key: ObjectKey, basis: Int64) {
    guard removed.insert(key).inserted else { return }
    makeBuilder().remove(key, basis: basis)
  }

  /// Returns the changes as a layer and forgets them; `nil` if there are none.
  mutating func seal() -> Layer? {
    defer { self = OpenLinks(schema) }
    return builder?.freeze()
  }
}
