import ObjectGraph
import ObjectModel
import Rows

/// An entity of imported objects, with the meaning of each name in the files.
final class ImportedEntity {
  let entity: Entity
  let layout: Layout
  private var targets: [ImportTarget] = []
  private var positions: [String: Int] = [:]
  /// The targets of the last object's fields, by the places of the fields.
  private var usual: [ImportTarget?] = []
  /// The columns and default values of new objects, if these differ from the defaults of the layout.
  private(set) var initialValues: [(column: Int, value: Value)] = []
  /// The properties that must have a value.
  private(set) var required: [(column: Int, path: String)] = []
  /// The to-many relationships with a minimum or maximum count.
  private(set) var counted: [ImportTarget] = []
  private(set) var references: [(name: String, end: ImportTarget.ToOne)] = []
  private var marks: [Int] = []

  init(_ entity: Entity, _ layout: Layout, model: Model, schema: Schema) {
    self.entity = entity
    self.layout = layout
    for property in model.properties(of: entity.name) {
      switch property {
      case .attribute(let attribute):
        if attribute.isTransient {
          refuse(attribute.name, "The property is not stored.")
        } else {
          add(attribute, attribute.name, isRequired: !attribute.isOptional, model)
        }
      case .relationship(let relationship):
        if relationship.isTransient {
          refuse(relationship.name, "The property is not stored.")
        } else {
          add(relationship, model, schema)
        }
      case .fetched(let fetched):
        refuse(fetched.name, "The property is fetched, so it can't be set.")
      }
    }
  }

  subscript(name: String) -> ImportTarget? { positions[name].map { targets[$0] } }

  /// Returns the target of the field with the given name, at the given place in its object.
  func target(_ name: String, at place: Int) -> ImportTarget? {
    // Most objects of a file have the same fields in the same order.
    if place < usual.count, let known = usual[place], known.name == name { return known }
    let found = self[name]
    if place < 256 {
      while usual.count <= place { usual.append(nil) }
      usual[place] = found
    }
    return found
  }

  /// Records that a reading has found a target. Returns `false` if the same reading has found it before.
  func mark(_ target: ImportTarget, _ reading: Int) -> Bool {
    if marks.count < targets.count { marks = Array(repeating: 0, count: targets.count) }
    defer { marks[target.position] = reading }
    return marks[target.position] != reading
  }

  /// Returns the targets of the parts of a composite attribute.
  func parts(of path: String) -> [ImportTarget] { targets.filter { $0.name.hasPrefix(path + ".") } }

  /// Returns the names of the targets at the given positions.
  func names(at positions: Set<Int>) -> [String] { positions.map { targets[$0].name } }

  /// The names of all targets, for messages.
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
      for part in model.composite(of: attribute)?.attributes ?? []
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
    // Required values are checked after all values are set.
    add(
      ImportTarget(
        name: path, position: targets.count,
        kind: .attribute(
          .init(column: column, attribute.type, ValueCheck(attribute, isRequired: false)))))
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

  /// Whether a relationship limits the number of its members.
  private static func counts(_ relationship: Relationship) -> Bool {
    relationship.isToMany && relationship.limitsCount
  }
}

/// The meaning of a name in a file. This class and its parts are not structures, because each field of each object copies
/// them.
final class ImportTarget {
  let name: String
  /// The index among the targets of the entity.
  let position: Int
  let kind: Kind

  init(name: String, position: Int, kind: Kind) {
    self.name = name
    self.position = position
    self.kind = kind
  }

  enum Kind {
    case attribute(Attribute)
    /// A composite attribute. Each of its parts is a separate target.
    case composite
    /// A derived attribute. Its value in the file is ignored.
    case derived
    case toOne(ToOne)
    case toMany(ToMany)
    case refused(String)
  }

  final class Attribute {
    let column: Int
    let type: AttributeType
    let check: ValueCheck

    init(column: Int, _ type: AttributeType, _ check: ValueCheck) {
      self.column = column
      self.type = type
      self.check = check
    }
  }

  final class ToOne {
    let column: Int
    /// The index among the to-one relationships of the entity.
    let index: Int
    let destinations: Set<UInt16>
    /// The order column of the inverse relationship; `nil` if the inverse has no order.
    let order: Int?
    let slot: ReferenceSlot
    /// The inverse of a one-to-one relationship; `nil` for a to-many inverse, or none.
    let inverseSlot: ReferenceSlot?
    /// Whether the inverse relationship limits the number of its members.
    let isInverseCounted: Bool

    init(
      column: Int, index: Int, destinations: Set<UInt16>, order: Int?, slot: ReferenceSlot,
      inverseSlot: ReferenceSlot?, isInverseCounted: Bool
    ) {
      self.column = column
      self.index = index
      self.destinations = destinations
      self.order = order
      self.slot = slot
      self.inverseSlot = inverseSlot
      self.isInverseCounted = isInverseCounted
    }
  }

  final class ToMany {
    let destinations: Set<UInt16>
    let relationship: Relationship
    let place: Place

    init(destinations: Set<UInt16>, relationship: Relationship, place: Place) {
      self.destinations = destinations
      self.relationship = relationship
      self.place = place
    }

    enum Place {
      /// In a reference column of the relationship's members.
      case references(ReferenceSlot)
      case links(LinkTable.Side, isInverseCounted: Bool)
    }
  }
}

/// A to-one relationship, shared by all entities of a family.
struct ReferenceSlot: Hashable {
  private let root: String
  private let name: String

  init(_ entity: String, _ name: String, _ model: Model) {
    root = model.root(of: entity)?.name ?? entity
    self.name = name
  }
}
