import ObjectGraph
import ObjectModel
import Rows

/// An entity as objects of it are read: what each name stands for.
final class ImportedEntity {
  let entity: Entity
  let layout: Layout
  private var targets: [ImportTarget] = []
  private var positions: [String: Int] = [:]
  /// The columns whose default for new objects is not the one of the layout.
  private(set) var initialValues: [(column: Int, value: Value)] = []
  /// What must have a value.
  private(set) var required: [(column: Int, path: String)] = []
  /// The relationships to many that must lead to so many objects.
  private(set) var counted: [ImportTarget] = []
  /// The relationships to one object.
  private(set) var references: [(name: String, end: ImportTarget.ToOne)] = []
  private var marks: [Int] = []

  init(_ entity: Entity, _ layout: Layout, model: Model, schema: Schema) {
    self.entity = entity
    self.layout = layout
    for property in model.properties(of: entity.name) {
      switch property {
      case .attribute(let attribute):
        if attribute.isTransient {
          refuse(attribute.name, "It is not stored.")
        } else {
          add(attribute, attribute.name, isRequired: !attribute.isOptional, model)
        }
      case .relationship(let relationship):
        if relationship.isTransient {
          refuse(relationship.name, "It is not stored.")
        } else {
          add(relationship, model, schema)
        }
      case .fetched(let fetched): refuse(fetched.name, "It is fetched, and can't be set.")
      }
    }
  }

  subscript(name: String) -> ImportTarget? { positions[name].map { targets[$0] } }

  /// Notes that a reading, by its number from 1, has a target; false when it had it already.
  func mark(_ target: ImportTarget, _ reading: Int) -> Bool {
    if marks.count < targets.count { marks = Array(repeating: 0, count: targets.count) }
    defer { marks[target.position] = reading }
    return marks[target.position] != reading
  }

  /// The parts of a composite attribute.
  func parts(of path: String) -> [ImportTarget] { targets.filter { $0.name.hasPrefix(path + ".") } }

  /// The names of the targets at some positions.
  func names(at positions: Set<Int>) -> [String] { positions.map { targets[$0].name } }

  /// Everything there is to set, for a message.
  var names: [String] { targets.map(\.name) }

  private func add(_ target: ImportTarget) {
    positions[target.name] = targets.count
    targets.append(target)
  }

  private func refuse(_ name: String, _ reason: String) {
    add(ImportTarget(name: name, position: targets.count, kind: .refused(reason)))
  }

  private func add(_ attribute: Attribute, _ path: String, isRequired: Bool, _ model: Model) {
    if attribute.type == .composite {
      add(ImportTarget(name: path, position: targets.count, kind: .composite))
      for part in attribute.compositeName.flatMap(model.composite)?.attributes ?? []
      where !part.isTransient {
        add(part, path + "." + part.name, isRequired: isRequired && !part.isOptional, model)
      }
      return
    }
    guard let column = layout.index(of: path) else { return }
    guard attribute.derivation == nil else {
      return add(ImportTarget(name: path, position: targets.count, kind: .derived))
    }
    if attribute.defaultValue != layout.columns[column].defaultValue {
      initialValues.append((column, attribute.defaultValue))
    }
    if isRequired { required.append((column, path)) }
    // What is required is asked once all values are set.
    add(
      ImportTarget(
        name: path, position: targets.count,
        kind: .attribute(
          column: column, attribute.type, ValueCheck(attribute, isRequired: false))))
  }

  private func add(_ relationship: Relationship, _ model: Model, _ schema: Schema) {
    let name = relationship.name
    let inverse = model.inverse(of: relationship)
    var destinations: Set<UInt16> = []
    for member in model.family(of: relationship.destination) {
      if let layout = schema[member.name] { destinations.insert(layout.entityNumber) }
    }
    let isCounted = ImportedEntity.counts(relationship)
    var target: ImportTarget
    if !relationship.isToMany {
      guard let column = layout.index(of: name) else { return }
      if !relationship.isOptional { required.append((column, name)) }
      let end = ImportTarget.ToOne(
        column: column, index: references.count, destinations: destinations,
        order: inverse?.keepsOrder == true ? layout.index(of: name + "#order") : nil,
        slot: ReferenceSlot(entity.name, name, model),
        inverseSlot: inverse.flatMap {
          $0.isToMany ? nil : ReferenceSlot(relationship.destination, $0.name, model)
        },
        isInverseCounted: inverse.map { $0.isToMany && ImportedEntity.counts($0) } ?? false)
      target = ImportTarget(name: name, position: targets.count, kind: .toOne(end))
      references.append((name, end))
    } else if let inverse, !inverse.isToMany {
      target = ImportTarget(
        name: name, position: targets.count,
        kind: .toMany(
          .init(
            destinations: destinations, relationship: relationship,
            place: .references(ReferenceSlot(relationship.destination, inverse.name, model)))))
    } else if let side = schema.links(of: entity.name, name) {
      target = ImportTarget(
        name: name, position: targets.count,
        kind: .toMany(
          .init(
            destinations: destinations, relationship: relationship,
            place: .links(
              side, isInverseCounted: inverse.map(ImportedEntity.counts) ?? false))))
    } else {
      return
    }
    add(target)
    if relationship.isToMany, isCounted { counted.append(target) }
  }

  /// Whether a relationship must lead to a certain number of objects.
  private static func counts(_ relationship: Relationship) -> Bool {
    relationship.isToMany && relationship.limitsCount
  }
}

/// What a name in a file stands for.
struct ImportTarget {
  let name: String
  /// Its place among those of its entity.
  let position: Int
  let kind: Kind

  enum Kind {
    case attribute(column: Int, AttributeType, ValueCheck)
    /// An attribute of several parts, each with a target of its own.
    case composite
    /// What is computed anew; what the file says of it is passed over.
    case derived
    case toOne(ToOne)
    case toMany(ToMany)
    case refused(String)
  }

  struct ToOne {
    let column: Int
    /// Its place among those of its entity.
    let index: Int
    let destinations: Set<UInt16>
    /// The column of the place among those that the other leads back to, where they have an order.
    let order: Int?
    let slot: ReferenceSlot
    /// Where the other leads back to this one, of one to one.
    let inverseSlot: ReferenceSlot?
    /// Whether the other must be led to by a certain number of objects.
    let isInverseCounted: Bool
  }

  struct ToMany {
    let destinations: Set<UInt16>
    let relationship: Relationship
    let place: Place

    enum Place {
      /// In a column of the objects that it leads to.
      case references(ReferenceSlot)
      case links(LinkTable.Side, isInverseCounted: Bool)
    }
  }
}

/// A relationship to one object, as a family of entities has it.
struct ReferenceSlot: Hashable {
  private let root: String
  private let name: String

  init(_ entity: String, _ name: String, _ model: Model) {
    root = model.root(of: entity)?.name ?? entity
    self.name = name
  }
}
