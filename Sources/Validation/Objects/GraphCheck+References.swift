import ObjectModel
import Rows
import StoreInterface

extension GraphCheck {
  /// Checks the to-one relationships of an entity's objects, and records the references of relationships with an
  /// inverse.
  func checkReferences(
    _ layout: Layout, _ objects: EntityObjects, _ blocks: [Block]
  ) throws {
    for property in model.properties(of: layout.entity) where !property.isTransient {
      guard case .relationship(let relationship) = property, !relationship.isToMany,
        let index = layout.index(of: relationship.name)
      else { continue }
      let column = try ObjectColumn(layout.columns[index], of: objects, in: blocks)
      let order = try layout.index(of: relationship.name + "#order").map {
        try ObjectColumn(layout.columns[$0], of: objects, in: blocks)
      }
      check(relationship, layout, objects, column, order)
    }
  }

  private func check(
    _ relationship: Relationship, _ layout: Layout, _ objects: EntityObjects,
    _ column: ObjectColumn, _ order: ObjectColumn?
  ) {
    let declaring = declaringEntity(of: relationship.name, in: layout.entity)
    let key = RelationshipPlace(entity: declaring, name: relationship.name)
    let hasInverse = model.inverse(of: relationship) != nil
    var destinations: [UInt16: Bool] = [:]
    var place = Place(entity: layout.entity, property: relationship.name)
    var found: [Link] = []
    for object in objects.keys.indices {
      place.object = objects.keys[object]
      let position = order?.integer(object)
      guard let target = column.reference(object) else {
        if !relationship.isOptional {
          findings.add(
            .missingReference, place, "The relationship is required, but has no object.")
        }
        if let position {
          findings.add(
            .uselessPlace, place,
            "The object has the position \(position), but the relationship has no object.")
        }
        continue
      }
      let isOfDestination =
        destinations[target.entity]
        ?? schema[target.entity].map {
          model.entity($0.entity, isOrInheritsFrom: relationship.destination)
        } ?? false
      destinations[target.entity] = isOfDestination
      guard isOfDestination else {
        findings.add(
          .foreignReference, place,
          "The relationship refers to \(name(target)), which is not a '\(relationship.destination)'."
        )
        continue
      }
      // The objects of a damaged entity are unknown, so references to them are not checked.
      if let others = self.objects[target.entity], !others.contains(target.number) {
        findings.add(
          .danglingReference, place,
          "The relationship refers to \(name(target)), which does not exist.")
        continue
      }
      if order != nil, position == nil {
        findings.add(
          .missingPlace, place,
          "The relationship refers to \(name(target)), but the object has no position in the inverse relationship."
        )
      }
      if hasInverse {
        found.append(
          Link(
            target: target.rawValue,
            source: ObjectKey(entity: layout.entityNumber, number: objects.keys[object]).rawValue,
            order: position))
      }
    }
    if hasInverse { links[key, default: []] += found }
  }

  /// Returns the entity that declares a property, which the given entity has or inherits.
  func declaringEntity(of property: String, in entity: String) -> String {
    var name = entity
    while let found = model[name],
      !found.declaredProperties.contains(where: { $0.name == property }),
      let parent = found.superentity
    {
      name = parent
    }
    return name
  }

  /// Checks the references of one to-one relationship from the other end.
  func check(_ links: [Link], at place: RelationshipPlace) {
    guard case .relationship(let relationship)? = model[place.entity]?[place.name],
      let inverse = model.inverse(of: relationship)
    else { return }
    let owner = declaringEntity(of: inverse.name, in: relationship.destination)
    if inverse.isToMany {
      let sorted = links.sorted {
        ($0.target, $0.order ?? .min, $0.source) < ($1.target, $1.order ?? .min, $1.source)
      }
      if inverse.keepsOrder { checkOrder(sorted, inverse) }
      checkCounts(sorted, inverse, of: owner)
    } else {
      let back = (self.links[RelationshipPlace(entity: owner, name: inverse.name)] ?? [])
        .sorted { $0.source < $1.source }
      checkBack(links, back, relationship, inverse)
    }
  }

  /// Checks that each reference has a reference back.
  private func checkBack(
    _ links: [Link], _ back: [Link], _ relationship: Relationship, _ inverse: Relationship
  ) {
    for link in links {
      let target = ObjectKey(rawValue: link.target)
      guard objects[target.entity] != nil else { continue }
      let index = back.position { $0.source >= link.target }
      let answer = index < back.count && back[index].source == link.target ? back[index] : nil
      guard answer?.target != link.source else { continue }
      let source = ObjectKey(rawValue: link.source)
      findings.add(
        .oneSided, at(source, relationship),
        "The relationship refers to \(name(target)), whose '\(inverse.name)' "
          + (answer.map { "refers to \(name(ObjectKey(rawValue: $0.target)))." }
            ?? "has no object."))
    }
  }

  func at(_ key: ObjectKey, _ relationship: Relationship) -> Place {
    Place(
      entity: schema[key.entity]?.entity, object: key.number, property: relationship.name)
  }

  /// Checks the positions of objects in an ordered relationship. The links must be sorted by target and position.
  func checkOrder(_ links: [Link], _ inverse: Relationship) {
    for (link, next) in zip(links, links.dropFirst())
    where link.target == next.target && link.order == next.order {
      guard let order = link.order else { continue }
      let (one, other) = (ObjectKey(rawValue: link.source), ObjectKey(rawValue: next.source))
      findings.add(
        .doubledPlace, at(ObjectKey(rawValue: link.target), inverse),
        "\(name(one)) and \(name(other)) have the same position, \(order).")
    }
  }

  /// Checks the number of objects that a to-many relationship refers to. The links must be sorted by target.
  func checkCounts(_ links: [Link], _ inverse: Relationship, of owner: String) {
    guard inverse.limitsCount else { return }
    for entity in model.family(of: owner) {
      guard let number = schema[entity.name]?.entityNumber, let found = objects[number] else {
        continue
      }
      for key in found.keys {
        let target = ObjectKey(entity: number, number: key)
        let start = links.position { $0.target >= target.rawValue }
        let count = links[start...].prefix { $0.target == target.rawValue }.count
        switch inverse.problem(withCount: count) {
        case nil: break
        case .tooFew(let least):
          findings.add(
            count == 0 ? .missingReference : .fewReferences, at(target, inverse),
            "The relationship has \(count) objects, but its minimum is \(least).")
        case .tooMany(let most):
          findings.add(
            .manyReferences, at(target, inverse),
            "The relationship has \(count) objects, but its maximum is \(most).")
        }
      }
    }
  }
}

extension [Link] {
  /// Returns the first position that satisfies a condition. All later links must satisfy the condition too.
  fileprivate func position(where condition: (Link) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
