import ObjectModel
import Rows

/// Where the values of an entity's objects go.
struct EntityPlan {
  let name: String
  let isAbstract: Bool
  let layout: Layout
  /// The properties that a document may give, by the order of `names`.
  let properties: [PropertyPlan]
  /// What of them is looked at for every value.
  let slots: [Slot]
  var names: NameTable
  /// Which property came behind which the last time: those of one kind of object come in one order.
  var follows: [Int]
  /// The columns that have a default, which an object that gives no value must not keep.
  let defaulted: [(property: Int, column: Int)]

  /// The objects so far.
  var drafts: [Draft] = []
  /// The line each object begins on.
  var lines: [UInt32] = []
  /// Whether the numbers of the objects ascend so far.
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

  /// Where the values of one property go.
  struct Slot {
    let role: PropertyPlan.Role
    let kind: ColumnKind
    let column: Int
  }

  /// Adds an object.
  mutating func append(_ number: UInt64, line: Int) -> (draft: Draft, row: Int) {
    if drafts.last?.isFull ?? true { drafts.append(Draft(layout, role: .insertions)) }
    lines.append(UInt32(clamping: line))
    if number <= lastNumber { ascends = false }
    lastNumber = number
    let draft = drafts[drafts.count - 1]
    return (draft, draft.append(key: number))
  }

  /// Where the object with the given place among the entity's is.
  func location(_ row: Int) -> (draft: Draft, row: Int) {
    (drafts[row / Draft.maximumRowCount], row % Draft.maximumRowCount)
  }

  /// What messages call the object with the given place.
  func describe(_ row: Int) -> String {
    let (draft, row) = location(row)
    return "object z\(draft.key(row: row)) (\(name))"
  }
}

/// Where the values of one property go.
struct PropertyPlan {
  enum Role {
    case attribute, toOne, toMany
  }
  let name: String
  let role: Role
  /// The position of the column; −1 for what has none.
  let column: Int
  let kind: ColumnKind
  var relationship: Relationship?
  /// The numbers of the entities whose objects it may lead to.
  var destinations: Set<UInt16> = []
  /// Where its links go, if it has any.
  var links: LinkTable.Side?
}
