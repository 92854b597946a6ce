import ObjectModel
import Rows

/// The places where the values of an entity's objects are stored.
struct EntityPlan {
  let name: String
  let isAbstract: Bool
  let layout: Layout
  /// The properties that a document may contain, in the order of `names`.
  let properties: [PropertyPlan]
  /// The part of each property that is needed for every value.
  let slots: [Slot]
  var names: NameTable
  /// The property that followed each property the last time. Objects of one entity usually give their properties in the
  /// same order.
  var follows: [Int]
  /// The columns with a default, which must become null in objects that give no value.
  let defaulted: [(property: Int, column: Int)]

  /// The drafts of the objects read so far.
  var drafts: [Draft] = []
  /// The line on which each object begins.
  var lines: [UInt32] = []
  /// Whether the numbers of the objects read so far ascend.
  private(set) var ascends = true
  private var lastNumber: UInt64 = 0

  init(
    _ entity: Entity, _ layout: Layout, _ model: Model, _ schema: Schema,
    families: [String: Set<UInt16>]
  ) {
    name = entity.name
    isAbstract = entity.isAbstract
    self.layout = layout
    var properties: [PropertyPlan] = []
    for (position, column) in layout.columns.enumerated() where !column.name.contains("#") {
      guard column.kind != .reference else { continue }
      properties.append(
        PropertyPlan(name: column.name, role: .attribute, column: position, kind: column.kind))
    }
    for property in model.properties(of: entity.name) {
      guard case .relationship(let relationship) = property, !relationship.isTransient else {
        continue
      }
      properties.append(
        PropertyPlan(
          name: relationship.name, role: relationship.isToMany ? .toMany : .toOne,
          column: layout.index(of: relationship.name) ?? -1, kind: .reference,
          relationship: relationship, destinations: families[relationship.destination] ?? [],
          links: schema.links(of: entity.name, relationship.name)))
    }
    self.properties = properties
    slots = properties.map { Slot(role: $0.role, kind: $0.kind, column: $0.column) }
    names = NameTable(properties.map(\.name), in: .lower)
    follows = Array(0...properties.count)
    defaulted = properties.enumerated().compactMap { index, property in
      guard property.role == .attribute, !layout.columns[property.column].defaultValue.isNull
      else { return nil }
      return (index, property.column)
    }
  }

  /// The place where the values of one property are stored.
  struct Slot {
    let role: PropertyPlan.Role
    let kind: ColumnKind
    let column: Int
  }

  mutating func append(_ number: UInt64, line: Int) -> (draft: Draft, row: Int) {
    if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
    lines.append(UInt32(clamping: line))
    if number <= lastNumber { ascends = false }
    lastNumber = number
    let draft = drafts[drafts.count - 1]
    return (draft, draft.append(key: number))
  }

  /// Returns the draft and the row of the object with the given position among the entity's objects.
  func location(_ row: Int) -> (draft: Draft, row: Int) {
    (drafts[row / Draft.maximumRowCount], row % Draft.maximumRowCount)
  }

  /// Returns the name in messages of the object with the given position.
  func describe(_ row: Int) -> String {
    let (draft, row) = location(row)
    return "object z\(draft.key(row: row)) (\(name))"
  }
}

/// The description of a property, with the place where its values are stored.
struct PropertyPlan {
  enum Role {
    case attribute, toOne, toMany
  }
  let name: String
  let role: Role
  /// The position of the column; −1 for a property without a column.
  let column: Int
  let kind: ColumnKind
  var relationship: Relationship?
  /// The numbers of the entities whose objects the relationship may lead to.
  var destinations: Set<UInt16> = []
  /// The side of the link table that contains the links of the relationship, if it has one.
  var links: LinkTable.Side?
}
