import ObjectModel
import Rows
import StoreInterface

@testable import ObjectGraph

/// The model of the tables: pages with relationships of every shape and delete rule.
enum SmallModel {
  static let graph: GraphSchema = {
    let model = try! Model(entities: entities)
    return GraphSchema.of(model, try! Schema(model))
  }()

  private static let entities: [Entity] = [
    Entity(
      "Page",
      properties: [
        .attribute(Attribute("x", .int64)),
        .attribute(Attribute("y", .int64)),
        .attribute(Attribute("n", .int64, derivation: .init("lines.@count"))),
        many("lines", to: "Line", inverse: "page", isOrdered: true, .cascade),
        many("guards", to: "Guard", inverse: "page", .deny),
        many("notes", to: "Note", inverse: "page", .nullify),
        many("marks", to: "Mark", inverse: "page", isOrdered: true, .noAction),
        one("cover", to: "Cover", inverse: "page", .cascade),
        one("seal", to: "Seal", inverse: "page", .deny),
        one("next", to: "Page", inverse: "next", .nullify),
        one("hint", to: "Page", inverse: nil, .nullify),
        many("tickets", to: "Ticket", inverse: "page", .nullify),
        many("tags", to: "Tag", inverse: "pages", isOrdered: true, .nullify),
        many("peers", to: "Page", inverse: "peers", isOrdered: true, .nullify),
        many("sees", to: "Tag", inverse: nil, .nullify),
      ]),
    Entity(
      "Line", properties: [x, one("page", to: "Page", inverse: "lines", .nullify)],
      uniquenessConstraints: [["x"]]),
    Entity("Verse", superentity: "Line"),
    Entity("Guard", properties: [x, one("page", to: "Page", inverse: "guards", .nullify)]),
    Entity("Note", properties: [x, one("page", to: "Page", inverse: "notes", .nullify)]),
    Entity("Mark", properties: [x, one("page", to: "Page", inverse: "marks", .nullify)]),
    Entity("Cover", properties: [x, one("page", to: "Page", inverse: "cover", .nullify)]),
    Entity("Seal", properties: [x, one("page", to: "Page", inverse: "seal", .nullify)]),
    Entity("Ticket", properties: [x, one("page", to: "Page", inverse: "tickets", .cascade)]),
    Entity("Tag", properties: [x, many("pages", to: "Page", inverse: "tags", .nullify)]),
  ]

  private static let x = Property.attribute(Attribute("x", .int64))

  private static func one(
    _ name: String, to destination: String, inverse: String?, _ rule: Relationship.DeleteRule
  ) -> Property {
    .relationship(Relationship(name, to: destination, inverse: inverse, deleteRule: rule))
  }

  private static func many(
    _ name: String, to destination: String, inverse: String?, isOrdered: Bool = false,
    _ rule: Relationship.DeleteRule
  ) -> Property {
    .relationship(
      Relationship(
        name, to: destination, inverse: inverse, count: .toMany, isOrdered: isOrdered,
        deleteRule: rule))
  }

  /// The layouts of entities and link tables, by their names in the tables: `page`, `line`, `tags`, `peers`.
  static let layouts: [String: Layout] = {
    var layouts: [String: Layout] = [:]
    for layout in graph.schema.layouts { layouts[layout.entity.lowercased()] = layout }
    for name in ["tags", "peers", "sees"] {
      layouts[name] = graph.schema.links(of: "Page", name)!.table.layout
    }
    return layouts
  }()

  private static let names = Dictionary(
    uniqueKeysWithValues: layouts.map { ($0.value.entityNumber, $0.key) })

  /// Returns the key of a name such as `page1`; `nil` if the entity is unknown.
  static func key(_ name: some StringProtocol) -> ObjectKey? {
    let word = name.prefix { $0.isLetter }
    guard let layout = layouts[String(word)], let number = UInt64(name.dropFirst(word.count)) else {
      return nil
    }
    return ObjectKey(entity: layout.entityNumber, number: number)
  }

  static func name(_ key: ObjectKey) -> String { names[key.entity]! + "\(key.number)" }

  static func layout(of key: ObjectKey) -> Layout { graph.schema[key.entity]! }
}

/// A snapshot of a commit with the given layers.
struct LayersSnapshot: StoreSnapshot {
  var commit: Int64
  var layers: [Layer]

  var model: Model { SmallModel.graph.model }
  var schema: Schema { SmallModel.graph.schema }
  var metadata: StoreMetadata { StoreMetadata(type: .memory, model: model) }
  var tables: [any RowTable] { layers }
}
