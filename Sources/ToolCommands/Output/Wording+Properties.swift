import JSONText
import ObjectModel

extension Wording {
  /// Returns the type of the property's values: `Integer 16`, `to-many Stop`.
  static func type(of property: Property) -> String {
    switch property {
    case .attribute(let attribute):
      attribute.compositeName.map { "Composite \($0)" } ?? attribute.type.sourceName
    case .relationship(let relationship):
      "\(relationship.isToMany ? "to-many" : "to-one") \(relationship.destination)"
    case .fetched(let property): "fetched \(property.request.entity)"
    }
  }

  /// Returns the other characteristics of the property, one phrase for each.
  static func details(of property: Property) -> [String] {
    let own =
      switch property {
      case .attribute(let attribute): details(of: attribute)
      case .relationship(let relationship): details(of: relationship)
      case .fetched(let property): details(of: property.request)
      }
    return own
      + history(
        renamingIdentifier: property.renamingIdentifier == property.name
          ? nil : property.renamingIdentifier,
        versionHashModifier: property.versionHashModifier) + notes(property.userInfo)
  }

  /// Returns phrases for the renaming identifier and the hash modifier, which migrations and later versions use.
  static func history(renamingIdentifier: String?, versionHashModifier: String?) -> [String] {
    [
      renamingIdentifier.map { "was \($0)" },
      versionHashModifier.map { "hash modifier \"\($0)\"" },
    ].compactMap(\.self)
  }

  /// Returns the application's own notes, sorted by name.
  static func notes(_ userInfo: [String: String]) -> [String] {
    userInfo.sorted { $0.key < $1.key }.map { "note \($0.key) = \"\($0.value)\"" }
  }

  /// Returns the parts of the request, one phrase for each.
  static func details(of request: FetchRequestTemplate) -> [String] {
    var details: [String] = []
    if let predicate = request.predicate { details.append("where \(predicate)") }
    if !request.sortKeys.isEmpty {
      let keys = request.sortKeys.map { $0.isAscending ? $0.keyPath : "\($0.keyPath) descending" }
      details.append("sorted by \(keys.joined(separator: ", then "))")
    }
    switch request.resultType {
    case .objects: break
    case .identifiers: details.append("gives identifiers")
    case .dictionaries: details.append("gives dictionaries")
    case .count: details.append("gives the count")
    }
    if request.fetchOffset > 0 { details.append("after the first \(request.fetchOffset)") }
    if request.fetchLimit > 0 { details.append("at most \(request.fetchLimit)") }
    if request.fetchBatchSize > 0 { details.append("\(request.fetchBatchSize) at a time") }
    let flags = flags.compactMap { flag, usual, unusual in
      request.flags.contains(flag) == FetchRequestTemplate.Flags.usual.contains(flag)
        ? nil : request.flags.contains(flag) ? usual : unusual
    }
    return details + flags
  }

  private static func details(of attribute: Attribute) -> [String] {
    var details: [String] = []
    if let derivation = attribute.derivation {
      details.append("derived from \(derivation.expression)")
      if let filter = derivation.filter { details.append("of the objects where \(filter)") }
    }
    if !attribute.defaultValue.isNull { details.append("default \(text(attribute.defaultValue))") }
    details += bounds(attribute.validation, of: attribute.type)
    if let className = attribute.valueClassName { details.append("class \(className)") }
    if let name = attribute.valueTransformerName { details.append("transformer \(name)") }
    return details + options.filter { attribute.options.contains($0.option) }.map(\.words)
  }

  private static func details(of relationship: Relationship) -> [String] {
    var details: [String] = []
    if relationship.isOrdered { details.append("ordered") }
    if let count = count(relationship.count) { details.append(count) }
    details.append(relationship.inverse.map { "inverse \($0)" } ?? "no inverse")
    details.append("on delete \(word(for: relationship.deleteRule))")
    return details + relationship.validationPredicates.map { "meets \($0.predicate)" }
  }

  /// Returns the number of objects, or `nil` if the type of the relationship already expresses it.
  private static func count(_ count: Relationship.Count) -> String? {
    // Models that programs made may have -1 for any number.
    switch (count.minimum, max(count.maximum, 0)) {
    case (0, 0), (0, 1), (1, 1): nil
    case (let minimum, 0): "at least \(minimum)"
    case (0, let maximum): "at most \(maximum)"
    case (let minimum, let maximum): "\(minimum) to \(maximum)"
    }
  }

  /// Returns the delete rule in lower case, in the same form as the JSON output.
  static func word(for rule: Relationship.DeleteRule) -> String {
    switch rule {
    case .noAction: "no action"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }

  private static func bounds(
    _ validation: Attribute.Validation, of type: AttributeType
  ) -> [String] {
    let unit = type == .string ? " characters" : ""
    let range: String? =
      switch (validation.minimum, validation.maximum) {
      case (.null, .null): nil
      case (let minimum, .null): "at least \(text(minimum))\(unit)"
      case (.null, let maximum): "at most \(text(maximum))\(unit)"
      case (let minimum, let maximum): "\(text(minimum)) to \(text(maximum))\(unit)"
      }
    return [range, validation.pattern.map { "matches \($0)" }].compactMap(\.self)
      + validation.predicates.map { "meets \($0.predicate)" }
  }

  private static let options: [(option: Attribute.Options, words: String)] = [
    (.allowsExternalStorage, "stored separately when large"),
    (.preservesValueOnDeletion, "kept in the history after deletion"),
    (.isIndexed, "indexed"),
    (.isIndexedBySpotlight, "indexed by Spotlight"),
    (.isStoredInTruthFile, "stored in the truth file"),
    (.allowsCloudEncryption, "encrypted in the cloud"),
  ]

  /// The flags of a request, with the words for a flag that is on and for a flag that is off. Only flags without their usual
  /// value are mentioned.
  private static let flags: [(FetchRequestTemplate.Flags, on: String, off: String)] = [
    (.includesSubentities, "with subentities", "without subentities"),
    (.includesPropertyValues, "with values", "without values"),
    (.includesPendingChanges, "with unsaved changes", "without unsaved changes"),
    (.returnsObjectsAsFaults, "as faults", "not as faults"),
    (.returnsDistinctResults, "distinct", "not distinct"),
  ]
}
