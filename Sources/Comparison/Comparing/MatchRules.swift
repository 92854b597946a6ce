import ObjectModel

/// The rules of all entities of a comparison.
struct MatchRules {
  /// The rule of each pair of entities.
  let rules: [MatchRule]
  /// The positions of the pairs that have no uniqueness constraint, and are compared by identifier for that reason.
  let unmatched: [Int]

  /// Whether every entity is matched by identifier.
  var areIdentifiers: Bool { rules.allSatisfy { $0.key == nil } }

  /// Finds the rules for pairs of entities.
  ///
  /// - Throws: ``ComparisonError`` for a key with an entity or a property that does not exist.
  init(
    _ choices: MatchChoices, _ pairs: [EntityPair], _ stores: BothSides<ComparedStore>
  ) throws(ComparisonError) {
    let isSame = stores.old.uuid != nil && stores.old.uuid == stores.new.uuid
    let mode = choices.mode ?? (isSame ? .identifier : .unique)
    var rules: [MatchRule] = []
    var unmatched: [Int] = []
    var used: Set<Int> = []
    for (index, pair) in pairs.enumerated() {
      guard let old = pair.old, let new = pair.new else {
        rules.append(.identifier)
        continue
      }
      if let position = MatchRules.choice(for: pair, choices.keys, stores) {
        used.insert(position)
        let key = choices.keys[position]
        rules.append(.key(try MatchRules.key(key, pair)))
      } else if let key = MatchRules.plainKey(for: pair, choices.keys) {
        used.insert(key.position)
        rules.append(.key(key.key))
      } else if mode == .identifier {
        rules.append(.identifier)
      } else if let key = MatchRules.uniqueKey(old, new, pair, stores) {
        rules.append(.key(key))
      } else {
        rules.append(.identifier)
        unmatched.append(index)
      }
    }
    for (position, key) in choices.keys.enumerated() where !used.contains(position) {
      try MatchRules.refuse(key, pairs, stores)
    }
    self.rules = rules
    self.unmatched = unmatched
  }

  /// Returns the position of the key for a pair's entity, or for its nearest superentity that has a key.
  private static func choice(
    for pair: EntityPair, _ keys: [MatchChoices.Key], _ stores: BothSides<ComparedStore>
  ) -> Int? {
    for side in [ComparedSide.new, .old] {
      var name = pair[side]?.name
      while let entity = name {
        // The last of several keys for an entity counts, as for repeated options.
        if let position = keys.lastIndex(where: { $0.entity == entity }) { return position }
        name = stores[side].model[entity]?.superentity
      }
    }
    return nil
  }

  /// Returns the first key without an entity whose properties the pair has.
  private static func plainKey(
    for pair: EntityPair, _ keys: [MatchChoices.Key]
  ) -> (position: Int, key: MatchKey)? {
    for (position, key) in keys.enumerated() where key.entity == nil {
      if let found = try? self.key(key, pair) { return (position, found) }
    }
    return nil
  }

  private static func key(
    _ key: MatchChoices.Key, _ pair: EntityPair
  ) throws(ComparisonError) -> MatchKey {
    var positions: [BothSides<Int>] = []
    for name in key.names {
      guard let shared = shared(name, pair) else { throw refusal(of: name, pair) }
      positions.append(shared)
    }
    let names = positions.map { pair.new!.properties[$0.new].name }
    return MatchKey(names: names, positions: positions)
  }

  /// Returns the property with the given new or old name, if both sides have it as an attribute or a to-one
  /// relationship.
  private static func shared(_ name: String, _ pair: EntityPair) -> BothSides<Int>? {
    let usable = pair.shared.filter {
      if case .list = pair.new!.properties[$0.new].content { false } else { true }
    }
    return usable.first { pair.new!.properties[$0.new].name == name }
      ?? usable.first { pair.old!.properties[$0.old].name == name }
  }

  /// Returns the key of the first uniqueness constraint that both sides can evaluate: a constraint of the entity, or
  /// else of a superentity, and a constraint of the new model before one of the old model.
  private static func uniqueKey(
    _ old: ComparedEntity, _ new: ComparedEntity, _ pair: EntityPair,
    _ stores: BothSides<ComparedStore>
  ) -> MatchKey? {
    for side in [ComparedSide.new, .old] {
      var entity = stores[side].model[pair[side]!.name]
      while let known = entity {
        for names in known.uniquenessConstraints where !names.isEmpty {
          if let key = try? key(MatchChoices.Key(entity: nil, names: names), pair) { return key }
        }
        entity = known.superentity.flatMap { stores[side].model[$0] }
      }
    }
    return nil
  }

  // MARK: - Errors

  private static func refusal(of name: String, _ pair: EntityPair) -> ComparisonError {
    let known = pair.shared.map { pair.new!.properties[$0.new] }
    if known.contains(where: { if case .list = $0.content { $0.name == name } else { false } }) {
      return ComparisonError(
        .badKey,
        "Objects of '\(pair.name)' can't be matched by '\(name)', a to-many relationship.",
        hint: "Give attributes or to-one relationships.", .toManyKey)
    }
    let hasOne = [pair.old, pair.new].contains { $0?.index(of: name) != nil }
    if hasOne {
      return ComparisonError(
        .badKey,
        "Objects of '\(pair.name)' can't be matched by '\(name)', which only one side has.",
        hint: "Give properties that both sides have.", .oneSidedKey)
    }
    return .unknown(
      "property", name, in: "in the key of '\(pair.name)'", known: known.map(\.name),
      otherwise: "It has \(known.map { "'\($0.name)'" }.joined(separator: ", ")).")
  }

  /// Throws an error for a key that no pair of entities can use.
  private static func refuse(
    _ key: MatchChoices.Key, _ pairs: [EntityPair], _ stores: BothSides<ComparedStore>
  ) throws(ComparisonError) {
    guard let entity = key.entity else {
      throw ComparisonError(
        .badKey, "No entity has the stored properties '\(key.names.joined(separator: "+"))'.",
        hint: "Write 'ENTITY=PROPERTY' for the key of one entity.")
    }
    if stores.old.model[entity] == nil, stores.new.model[entity] == nil {
      let known = pairs.map(\.name)
      let unknown = ComparisonError.unknown(
        "entity", entity, in: "in the keys", known: known,
        otherwise: "The entities are \(known.map { "'\($0)'" }.joined(separator: ", ")).")
      throw ComparisonError(
        unknown.code, unknown.message, hint: unknown.hint, .unknownEntity(entity, known: known))
    }
    // A second key for the same entity, or a key of an entity that only one side has, changes nothing.
  }
}
