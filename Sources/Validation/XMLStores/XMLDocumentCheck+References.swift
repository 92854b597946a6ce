import ObjectModel
import Rows
import StoreInterface

extension XMLDocumentCheck {
  /// Resolves the identifiers in relationships once all objects are known, and joins both sides of each relationship
  /// (spec §5.3.5 to §5.3.7).
  func resolve() {
    guard let model, let schema, let builder else { return }
    var kept: [(list: ReferenceList, targets: [ObjectKey])] = []
    for list in lists {
      let targets = resolved(list, model, schema)
      guard let column = list.column else {
        kept.append((list, targets))
        continue
      }
      if list.numbers.count > 1 {
        add(
          .xmlManyReferences, list,
          "The relationship refers to at most one object, but lists \(list.numbers.count).")
      } else if let target = targets.first {
        builder.set(.object(target), column: column, of: list.owner)
      }
    }
    var links = LinkRows()
    for (list, targets) in kept {
      if let inverse = model.inverse(of: list.relationship), !inverse.isToMany {
        join(list, targets, inverse, schema, builder)
      } else if let entity = schema[list.owner.entity]?.entity,
        let side = schema.links(of: entity, list.relationship.name)
      {
        links.add(list.owner, targets, side)
      }
    }
    checkLists(kept, model, schema, builder)
    links.insert(into: builder) { one, other in
      findings.add(
        .xmlOneEnd, Place(entity: schema[one.entity]?.entity, object: one.number),
        "The object refers to \(schema[other.entity]?.entity ?? "") \(other.number), which does not refer back."
      )
    }
  }

  private func add(_ rule: Rule, _ list: ReferenceList, _ message: @autoclosure () -> String) {
    var place = Place("line \(list.line)")
    place.entity = schema?[list.owner.entity]?.entity
    place.object = list.owner.number
    place.property = list.relationship.name
    findings.add(rule, place, message())
  }

  /// Returns the valid objects that a list names.
  private func resolved(
    _ list: ReferenceList, _ model: Model, _ schema: Schema
  ) -> [ObjectKey] {
    var targets: [ObjectKey] = []
    var seen: Set<UInt64> = []
    for number in list.numbers {
      guard seen.insert(number).inserted else {
        add(.xmlDoubledReference, list, "z\(number) occurs twice.")
        continue
      }
      guard let entity = objects[number] else {
        add(.xmlLostReference, list, "z\(number) is not in the document.")
        continue
      }
      // Errors of such an object were reported already.
      guard entity > 0, let name = schema[entity]?.entity else { continue }
      guard model.entity(name, isOrInheritsFrom: list.relationship.destination) else {
        add(
          .xmlForeignReference, list,
          "z\(number) is a '\(name)', not a '\(list.relationship.destination)'.")
        continue
      }
      targets.append(ObjectKey(entity: entity, number: number))
    }
    return targets
  }

  /// Merges a list of references with the to-one relationships that lead back. If the two differ, the to-one
  /// relationship wins.
  private func join(
    _ list: ReferenceList, _ targets: [ObjectKey], _ inverse: Relationship, _ schema: Schema,
    _ builder: LayerBuilder
  ) {
    for (position, target) in targets.enumerated() {
      guard let layout = schema[target.entity], let back = layout.index(of: inverse.name) else {
        continue
      }
      switch builder.value(column: back, of: target) {
      case .object(list.owner)?: break
      case .object(let other)?:
        // If the owner came from another list and not from the object itself, two lists name the object.
        let isClaimed = claimed.contains(target)
        add(
          isClaimed ? .xmlTwoLists : .xmlSides, list,
          "z\(target.number) refers to z\(other.number)\(isClaimed ? ", whose list contains it" : "")."
        )
        continue
      default:
        builder.set(.object(list.owner), column: back, of: target)
        claimed.insert(target)
      }
      if let order = layout.index(of: inverse.name + "#order") {
        builder.set(.integer(Int64(position)), column: order, of: target)
      }
    }
  }

  /// Checks that each list names all objects that refer to the list's owner. An object that a list omits gets a
  /// position after all listed objects.
  private func checkLists(
    _ kept: [(list: ReferenceList, targets: [ObjectKey])], _ model: Model, _ schema: Schema,
    _ builder: LayerBuilder
  ) {
    var named: Set<Side> = []
    for (list, targets) in kept {
      for target in targets {
        named.insert(
          Side(owner: list.owner, relationship: list.relationship.name, target: target))
      }
    }
    for list in lists {
      guard let column = list.column, let inverse = model.inverse(of: list.relationship),
        inverse.isToMany,
        case .object(let target)? = builder.value(column: column, of: list.owner)
      else { continue }
      if !named.contains(Side(owner: target, relationship: inverse.name, target: list.owner)) {
        add(
          .xmlSides, list,
          "The relationship refers to z\(target.number), whose list does not contain this object.")
      }
      guard inverse.keepsOrder, let layout = schema[list.owner.entity],
        let order = layout.index(of: list.relationship.name + "#order"),
        builder.value(column: order, of: list.owner) == .null
      else { continue }
      builder.set(.integer(1 << 40 + Int64(list.owner.number)), column: order, of: list.owner)
    }
  }

  /// One object in one list.
  private struct Side: Hashable {
    var owner: ObjectKey
    var relationship: String
    var target: ObjectKey
  }
}

/// The links of a document from source to target, with the ends that state each link.
private struct LinkRows {
  private struct Pair: Hashable {
    var table: UInt16
    var source: ObjectKey
    var target: ObjectKey
  }

  private struct Ends {
    /// The positions in the lists of the source and of the target.
    var targetOrder: Int64?
    var sourceOrder: Int64?
  }

  private var pairs: [Pair: Ends] = [:]
  private var tables: [UInt16: LinkTable] = [:]

  mutating func add(_ owner: ObjectKey, _ targets: [ObjectKey], _ side: LinkTable.Side) {
    let table = side.table
    tables[table.layout.entityNumber] = table
    for (position, target) in targets.enumerated() {
      // In a relationship that is its own inverse both ends state the same link.
      let isForward = table.isSymmetric ? owner <= target : side.isForward
      let pair = Pair(
        table: table.layout.entityNumber, source: isForward ? owner : target,
        target: isForward ? target : owner)
      if isForward {
        pairs[pair, default: Ends()].targetOrder = Int64(position)
      } else {
        pairs[pair, default: Ends()].sourceOrder = Int64(position)
      }
    }
  }

  /// Inserts the links, in the order of their ends.
  func insert(into builder: LayerBuilder, isOneSided: (ObjectKey, ObjectKey) -> Void) {
    let sorted = pairs.sorted {
      ($0.key.table, $0.key.source, $0.key.target) < ($1.key.table, $1.key.source, $1.key.target)
    }
    for (number, (pair, ends)) in sorted.enumerated() {
      guard let table = tables[pair.table] else { continue }
      let key = ObjectKey(entity: pair.table, number: UInt64(number + 1))
      builder.insert(key)
      func set(_ value: Value, _ column: UInt16) {
        guard let index = table.layout.index(ofNumber: column) else { return }
        builder.set(value, column: index, of: key)
      }
      set(.object(pair.source), LinkTable.Column.source)
      set(.object(pair.target), LinkTable.Column.target)
      // A link that only the other end mentions gets a position after all listed objects.
      set(.integer(ends.targetOrder ?? 1 << 40 + Int64(number)), LinkTable.Column.targetOrder)
      set(.integer(ends.sourceOrder ?? 1 << 40 + Int64(number)), LinkTable.Column.sourceOrder)
      guard table.backward != nil, pair.source != pair.target else { continue }
      if ends.sourceOrder == nil { isOneSided(pair.source, pair.target) }
      if ends.targetOrder == nil { isOneSided(pair.target, pair.source) }
    }
  }
}
