// Checks of relationships: their destination, their inverse, and their number of objects.

extension ModelCheck {
  mutating func checkRelationship(_ relationship: Relationship, of entity: Int) {
    let (owner, name) = (description.entities[entity].name, relationship.name)
    checkCount(of: relationship, owner)
    guard let destination = index.entityByName[relationship.destination] else {
      report(
        .unknownDestination, entity: owner, property: name,
        "The destination \"\(relationship.destination)\" is not an entity of the model."
          + suggestEntity(relationship.destination))
      return
    }
    guard let inverse = relationship.inverse else {
      report(
        .missingInverse, severity: .warning, entity: owner, property: name,
        """
        The relationship has no inverse, so it is not updated when its objects are deleted. \
        Add a relationship from "\(relationship.destination)" \
        to "\(owner)" and make each the inverse of the other.
        """)
      return
    }
    checkInverse(inverse, of: relationship, of: entity, at: destination)
  }

  private mutating func checkInverse(
    _ inverse: String, of relationship: Relationship, of entity: Int, at destination: Int
  ) {
    guard index.hasKnownAncestors[destination], index.hasKnownAncestors[entity] else { return }
    let (owner, name) = (description.entities[entity].name, relationship.name)
    let destinationName = relationship.destination
    guard let place = index.property(inverse, of: destination) else {
      report(
        .unknownInverse, entity: owner, property: name,
        "The inverse \"\(inverse)\" is not a relationship of \"\(destinationName)\"."
          + suggestProperty(inverse, of: destination))
      return
    }
    guard case .relationship(let back) = index[place] else {
      report(
        .unknownInverse, entity: owner, property: name,
        "The inverse \"\(destinationName).\(inverse)\" is not a relationship.")
      return
    }
    if let named = relationship.inverseEntity, !isNamed(named, orBelow: place, at: destination) {
      report(
        .mismatchedInverse, entity: owner, property: name,
        """
        The model names "\(named)" as the entity of the inverse, \
        but the inverse is a relationship of "\(description.entities[place.entity].name)".
        """)
    }
    guard let backInverse = back.inverse else {
      report(
        .oneSidedInverse, entity: owner, property: name,
        """
        The inverse "\(destinationName).\(inverse)" has no inverse itself. \
        Its inverse must be "\(owner).\(name)".
        """)
      return
    }
    // The inverse's destination must be this relationship's entity, or an entity that inherits the relationship.
    guard let origin = index.entityByName[back.destination] else { return }
    guard index.hasKnownAncestors[origin] else { return }
    let leadsBack = index.entity(origin, isOrInheritsFrom: entity)
    if backInverse != name || !leadsBack {
      report(
        .mismatchedInverse, entity: owner, property: name,
        """
        The inverse "\(destinationName).\(inverse)" refers to "\(back.destination)" and has \
        the inverse "\(backInverse)". It must refer to "\(owner)" and have the inverse "\(name)".
        """)
    }
  }

  /// Returns whether the named entity of the inverse declares it, or lies between the declaring entity and the
  /// destination.
  private func isNamed(_ name: String, orBelow place: ModelIndex.Place, at destination: Int) -> Bool
  {
    guard let named = index.entityByName[name] else { return false }
    return index.entity(destination, isOrInheritsFrom: named)
      && index.entity(named, isOrInheritsFrom: place.entity)
  }

  private mutating func checkCount(of relationship: Relationship, _ owner: String) {
    let count = relationship.count
    // Compiled models write 0 or -1 for "any number".
    let isInRange =
      count.minimum >= 0 && count.maximum >= -1
      && count.minimum <= Int32.max && count.maximum <= Int32.max
    if !isInRange || count.maximum > 0 && count.minimum > count.maximum {
      report(
        .wrongCount, entity: owner, property: relationship.name,
        """
        The minimum of \(count.minimum) and the maximum of \(count.maximum) objects do not fit: neither may be \
        negative, and the minimum must not exceed the maximum. A maximum of 0 means any number.
        """)
    }
    if relationship.isOrdered && !relationship.isToMany {
      report(
        .orderedToOne, severity: .warning, entity: owner, property: relationship.name,
        "The relationship is ordered, but it refers to at most one object.")
    }
  }
}
