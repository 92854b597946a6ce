private import Foundation

/// All comparable aspects of one part of a model, in a fixed order.
struct Facets {
  /// One aspect: its value for comparison, and its text.
  struct Value {
    var facet: ModelDifference.Facet
    var identity: AnyHashable
    var text: String
  }

  private(set) var values: [Value] = []
  /// The facets that the part's version hash covers.
  private(set) var hashed: Set<ModelDifference.Facet> = []

  /// Marks a facet as not covered by the part's version hash.
  mutating func ignoreInHashes(_ facet: ModelDifference.Facet) { hashed.remove(facet) }

  private mutating func add(
    _ facet: ModelDifference.Facet, _ identity: some Hashable, _ text: String
  ) {
    values.append(Value(facet: facet, identity: AnyHashable(identity), text: text))
  }

  private mutating func add(_ facet: ModelDifference.Facet, _ text: String?) {
    add(facet, text, text.map { "\"\($0)\"" } ?? "none")
  }

  private mutating func add(_ facet: ModelDifference.Facet, _ flag: Bool) {
    add(facet, flag, flag ? "yes" : "no")
  }

  private mutating func add(_ facet: ModelDifference.Facet, _ notes: [String: String]) {
    add(
      facet, notes,
      notes.isEmpty ? "none" : notes.sorted(by: <).map { "\($0): \($1)" }.joined(separator: ", "))
  }
}

extension Facets {
  private mutating func add<Part>(_ facets: [ModelFacet<Part>], of part: Part) {
    for facet in facets {
      if facet.isHashed { hashed.insert(facet.difference) }
      switch facet.content {
      case .flag(let path):
        if facet.difference != .otherOptions { add(facet.difference, part[keyPath: path]) }
      case .text(let path, _, _): add(facet.difference, part[keyPath: path])
      case .number(let path, _):
        let number = part[keyPath: path]
        add(facet.difference, number, number.map { "\($0)" } ?? "none")
      case .notes(let path): add(facet.difference, part[keyPath: path])
      }
    }
  }

  init(_ entity: Entity) {
    add(.superentity, entity.superentity)
    add(Entity.basicFacets, of: entity)
    add(.className, entity.className)
    add(.compoundIndexes, entity.compoundIndexes, entity.compoundIndexes.inWords)
    add(Entity.history, of: entity)
    hashed.insert(.superentity)
  }

  init(_ property: Property) {
    switch property {
    case .attribute(let attribute): self.init(attribute)
    case .relationship(let relationship): self.init(relationship)
    case .fetched(let fetched): self.init(fetched)
    }
  }

  init(_ attribute: Attribute) {
    add(.type, attribute.type, attribute.type.sourceName)
    add(Attribute.basicFacets, of: attribute)
    for (facet, value) in [
      (ModelDifference.Facet.defaultValue, attribute.defaultValue),
      (.minimum, attribute.validation.minimum), (.maximum, attribute.validation.maximum),
    ] {
      add(facet, value, value.text(attribute.validation.precision))
    }
    add(.pattern, attribute.validation.pattern)
    add(Attribute.precisionFacets, of: attribute)
    let predicates = attribute.validation.predicates
    add(.validationPredicates, predicates, predicates.inWords)
    add(.derivation, attribute.derivation?.normalizedExpression)
    add(.derivationFilter, attribute.derivation?.filter)
    add(.compositeType, attribute.compositeName)
    add(Attribute.nameFacets, of: attribute)
    add(Attribute.optionFacets, of: attribute)
    let others = Attribute.optionFacets.filter {
      $0.difference == .otherOptions && $0.flag(of: attribute) == true
    }.compactMap { $0.option?.words }
    add(.otherOptions, others, others.isEmpty ? "none" : others.joined(separator: ", "))
    add(Attribute.history, of: attribute)
    hashed.formUnion([.kind, .type, .derivation])
    if attribute.derivation != nil {
      hashed = [.isTransient, .kind, .derivation, .versionHashModifier]
    }
    if attribute.isTransient { hashed = [.isTransient] }
  }

  init(_ relationship: Relationship) {
    let count = relationship.count
    add(.destination, relationship.destination)
    add(.inverse, relationship.inverse)
    add(.count, count, "\(count.minimum)…\(count.maximum > 0 ? "\(count.maximum)" : "")")
    add([Relationship.orderFacet] + Relationship.basicFacets, of: relationship)
    let predicates = relationship.validationPredicates
    add(.validationPredicates, predicates, predicates.inWords)
    add(.deleteRule, relationship.deleteRule, relationship.deleteRule.inWords)
    add(Relationship.history, of: relationship)
    hashed.formUnion([.kind, .destination, .inverse, .count])
    if relationship.isTransient { hashed = [.isTransient] }
  }

  private init(_ fetched: FetchedProperty) {
    add(.request, fetched.request.bare, fetched.request.inWords)
    add(FetchedProperty.facets, of: fetched)
    hashed = []
  }

  init(_ index: FetchIndex) {
    var bare = index
    for element in bare.elements.indices { bare.elements[element].source = SourceDetails() }
    add(.elements, bare, index.inWords)
  }

  init(_ configuration: Configuration) {
    let members = configuration.entities.sorted { $0.precedesInHashes($1) }
    add(.members, members, members.joined(separator: ", "))
  }

  init(_ template: FetchRequestTemplate) {
    add(.request, template.bare, template.inWords)
  }

  init(_ description: Model.Description) {
    let identifiers = description.versionIdentifiers
    add(.versionIdentifiers, identifiers, identifiers.joined(separator: ", "))
  }
}

extension [[String]] {
  /// The lists of names in words: `(name, date), (code)`.
  var inWords: String {
    isEmpty ? "none" : map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")
  }
}

extension Relationship.DeleteRule {
  fileprivate var inWords: String {
    switch self {
    case .noAction: "no action"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}

extension FetchRequestTemplate {
  /// The request without its name and the details of its source.
  fileprivate var bare: FetchRequestTemplate {
    var bare = self
    bare.name = ""
    bare.source = SourceDetails()
    return bare
  }

  fileprivate var inWords: String {
    var words = entity
    if let predicate { words += " where \(predicate)" }
    if !sortKeys.isEmpty {
      let keys = sortKeys.map { ($0.isAscending ? "" : "-") + $0.keyPath }
      words += " sorted by \(keys.joined(separator: ", "))"
    }
    return words
  }
}

extension FetchIndex {
  fileprivate var inWords: String {
    let names = elements.map { ($0.isAscending ? "" : "-") + $0.text }.joined(separator: ", ")
    return names + (partialPredicate.map { " where \($0)" } ?? "")
  }
}
