import ObjectModel
import Rows
import StoreInterface
import XMLEvents

extension DatabaseReader {
  /// Returns the contents of the document, with all references resolved.
  consuming func contents() throws -> AtomicContents {
    guard let model, let schema, place == .outside else {
      throw XMLStoreFault("The document has no 'databaseInfo'.")
    }
    var resolver = ReferenceResolver(plans: plans, places: places, lost: lost)
    try resolver.resolveToOne()
    let confirmed = try resolver.confirmed(lists, listed)
    for (list, isConfirmed) in zip(lists, confirmed) where !isConfirmed {
      try resolver.resolve(list, listed[list.range])
    }
    var parts = plans.flatMap { FrozenPart.parts($0) }
    for (number, links) in resolver.links {
      parts.append(FrozenPart(entityNumber: number, drafts: links.drafts()))
    }
    var blocks: [UInt16: [Block]] = [:]
    for (part, frozen) in zip(parts, try parts.concurrentMap { $0.blocks() }) {
      blocks[part.entityNumber, default: []] += frozen
    }
    let layer = Layer(
      blocks.map { Layer.EntityChanges(entityNumber: $0.key, put: BlockRun($0.value)) })
    return AtomicContents(
      model: model, schema: schema, metadata: try info.metadata(), layers: [layer],
      nextKey: info.highestKey + 1)
  }
}

/// Some rows of an entity, with keys between the keys of the parts before and after.
///
/// `@unchecked Sendable`, because drafts do not change once all references are resolved.
private struct FrozenPart: @unchecked Sendable {
  let entityNumber: UInt16
  let drafts: [Draft]

  /// The number of drafts for which a writer's memory is worth its cost.
  private static let draftCount = 16

  /// Returns the objects of an entity in parts; in one part if their numbers do not ascend.
  static func parts(_ plan: EntityPlan) -> [FrozenPart] {
    let (number, drafts) = (plan.layout.entityNumber, plan.drafts)
    guard plan.ascends else { return [FrozenPart(entityNumber: number, drafts: drafts)] }
    return stride(from: 0, to: drafts.count, by: draftCount).map { start in
      FrozenPart(
        entityNumber: number, drafts: Array(drafts[start...].prefix(draftCount)))
    }
  }

  func blocks() -> [Block] {
    var writer = BlockWriter()
    return Draft.freeze(drafts, version: nil, &writer)
  }
}

/// Turns the numbers in references into keys, once all objects are known.
struct ReferenceResolver {
  let plans: [EntityPlan]
  let places: ObjectPlaces
  /// The references that only the list at the inverse end contains, by object and column.
  private var claimed: Set<Claim> = []
  /// The links of relationships that are to-many on both sides, by the numbers of their tables.
  private(set) var links: [UInt16: LinkCollection] = [:]

  private struct Claim: Hashable {
    let entity: Int
    let row: Int
    let column: Int
  }

  private let lost: LostReferences?

  init(plans: [EntityPlan], places: ObjectPlaces, lost: LostReferences? = nil) {
    self.plans = plans
    self.places = places
    self.lost = lost
  }

  /// Returns whether to skip a reference, because its object is missing or has a wrong entity. Counts the skipped
  /// reference.
  private func passesOver(_ number: UInt64, _ property: PropertyPlan) -> Bool {
    guard let lost else { return false }
    if let place = places[number],
      property.destinations.contains(plans[place.entity].layout.entityNumber)
    {
      return false
    }
    lost.count += 1
    return true
  }

  /// Sets the entities in the references of to-one relationships.
  func resolveToOne() throws {
    for plan in plans {
      for property in plan.properties where property.role == .toOne {
        // Most references of a relationship lead to one entity, which is checked only once in a row.
        var known = -1
        for (index, draft) in plan.drafts.enumerated() {
          for row in 0..<draft.count {
            guard let packed = draft.integer(column: property.column, row: row) else { continue }
            let number = UInt64(packed)
            if passesOver(number, property) {
              draft.setNull(column: property.column, row: row)
              continue
            }
            var place = places[number]
            if place?.entity != known {
              place = try target(number, plan, index * Draft.maximumRowCount + row, property)
              known = place!.entity
            }
            draft.setReference(
              key(place!, number), column: property.column, row: row)
          }
        }
      }
    }
  }

  private func key(_ place: ObjectPlaces.Place, _ number: UInt64) -> ObjectKey {
    ObjectKey(entity: plans[place.entity].layout.entityNumber, number: number)
  }

  /// Returns the place of the object that a reference refers to, after checking its entity.
  private func target(
    _ number: UInt64, _ plan: EntityPlan, _ row: Int, _ property: PropertyPlan
  ) throws -> ObjectPlaces.Place {
    guard let place = places[number] else {
      throw fault(
        plan, row, "'\(property.name)' refers to z\(number), which does not exist.")
    }
    guard property.destinations.contains(plans[place.entity].layout.entityNumber) else {
      throw fault(
        plan, row,
        "'\(property.name)' refers to z\(number), whose entity is '\(plans[place.entity].name)' "
          + "instead of '\(property.relationship?.destination ?? "")'.")
    }
    return place
  }

  private func fault(_ plan: EntityPlan, _ row: Int, _ words: String) -> XMLStoreFault {
    XMLStoreFault(line: Int(plan.lines[row]), "\(plan.describe(row)): \(words)")
  }

  /// Resolves the list of a to-many relationship (spec §5.3.6).
  ///
  /// If the inverse is to-one, its reference takes precedence over the list. An object whose inverse has no reference
  /// belongs to the list, and its position in the list is its order.
  mutating func resolve(_ list: ReferenceList, _ numbers: ArraySlice<UInt64>) throws {
    let plan = plans[list.entity]
    let property = plan.properties[list.property]
    let source = plan.location(list.row)
    let key = ObjectKey(
      entity: plan.layout.entityNumber, number: source.draft.key(row: source.row))
    if lost == nil { try checkUnique(numbers, plan, list, property) }
    if let side = property.links {
      for (index, number) in numbers.enumerated() where !passesOver(number, property) {
        let place = try target(number, plan, list.row, property)
        links[side.table.layout.entityNumber, default: LinkCollection(side.table)]
          .add(key, self.key(place, number), side, order: index + 1)
      }
      return
    }
    guard let inverse = property.relationship?.inverse else {
      throw fault(plan, list.row, "'\(property.name)' has no inverse.")
    }
    var known: Members?
    for (index, number) in numbers.enumerated() where !passesOver(number, property) {
      var place = places[number]
      if place == nil || place!.entity != known?.entity {
        place = try target(number, plan, list.row, property)
        let other = plans[place!.entity]
        guard let column = other.layout.index(of: inverse) else {
          throw fault(plan, list.row, "'\(property.name)' has no to-one inverse.")
        }
        known = Members(
          entity: place!.entity, drafts: other.drafts, column: column,
          order: property.relationship?.keepsOrder == true
            ? other.layout.index(of: inverse + "#order") : nil)
      }
      let (members, row) = (known!, place!.row)
      let draft = members.drafts[row / Draft.maximumRowCount]
      let draftRow = row % Draft.maximumRowCount
      if let named = draft.integer(column: members.column, row: draftRow) {
        guard UInt64(bitPattern: named) == key.rawValue else {
          let claim = Claim(entity: members.entity, row: row, column: members.column)
          guard !claimed.contains(claim) || lost != nil else {
            throw fault(
              plan, list.row,
              "'\(property.name)' lists z\(number), but another object lists it too.")
          }
          continue
        }
      } else {
        draft.setReference(key, column: members.column, row: draftRow)
        claimed.insert(Claim(entity: members.entity, row: row, column: members.column))
      }
      if let order = members.order {
        draft.setInteger(Int64(index + 1), column: order, row: draftRow)
      }
    }
  }

  /// Returns for each list whether all its objects lead back to the owner of the list. Such a list needs no further
  /// work.
  ///
  /// Most documents contain both sides of each relationship. The check reads memory at scattered addresses, so it runs
  /// on all cores.
  func confirmed(_ lists: [ReferenceList], _ listed: [UInt64]) throws -> [Bool] {
    let groups = stride(from: 0, to: lists.count, by: ReferenceResolver.groupCount).map { start in
      start..<min(start + ReferenceResolver.groupCount, lists.count)
    }
    let reading = Reading(resolver: self)
    return try groups.concurrentMap { group in
      try lists[group].map { try reading.resolver.isConfirmed($0, listed[$0.range]) }
    }.flatMap { $0 }
  }

  private static let groupCount = 256

  /// `@unchecked Sendable`, because all threads only read the drafts meanwhile.
  private struct Reading: @unchecked Sendable {
    let resolver: ReferenceResolver
  }

  private func isConfirmed(
    _ list: ReferenceList, _ numbers: ArraySlice<UInt64>
  ) throws -> Bool {
    let plan = plans[list.entity]
    let property = plan.properties[list.property]
    guard property.links == nil, let relationship = property.relationship,
      !relationship.keepsOrder, let inverse = relationship.inverse
    else { return false }
    let source = plan.location(list.row)
    let key = ObjectKey(
      entity: plan.layout.entityNumber, number: source.draft.key(row: source.row))
    if lost == nil { try checkUnique(numbers, plan, list, property) }
    var (entity, column) = (-1, 0)
    for number in numbers {
      guard let place = places[number] else { return false }
      if place.entity != entity {
        let layout = plans[place.entity].layout
        guard property.destinations.contains(layout.entityNumber),
          let found = layout.index(of: inverse)
        else { return false }
        (entity, column) = (place.entity, found)
      }
      let (draft, row) = plans[entity].location(place.row)
      guard let named = draft.integer(column: column, row: row),
        UInt64(bitPattern: named) == key.rawValue
      else { return false }
    }
    return true
  }

  /// The entity of a list's objects, with their drafts, the column of the inverse, and the column of its order.
  private struct Members {
    let entity: Int
    let drafts: [Draft]
    let column: Int
    let order: Int?
  }

  private func checkUnique(
    _ numbers: ArraySlice<UInt64>, _ plan: EntityPlan, _ list: ReferenceList,
    _ property: PropertyPlan
  ) throws {
    // Most lists ascend.
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    let sorted = numbers.sorted()
    for (one, next) in zip(sorted, sorted.dropFirst()) where one == next {
      throw fault(plan, list.row, "'\(property.name)' lists z\(one) twice.")
    }
  }
}

extension Draft {
  fileprivate var count: Int { rowCount }
}
