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

  private mutating func add(_ facet: ModelDifference.Facet, _ value: ObjectModel.Value) {
    add(facet, value, value.text)
  }

  private mutating func add(_ facet: ModelDifference.Facet, _ notes: [String: String]) {
    add(
      facet, notes,
      notes.isEmpty ? "none" : notes.sorted(by: <).map { "\($0): \($1)" }.joined(separator: ", "))
  }
}

extension Facets {
  init(_ entity: Entity) {
    add(.superentity, entity.superentity)
    add(.isAbstract, entity.isAbstract)
    add(.className, entity.className)
    add(.compoundIndexes, entity.compoundIndexes, entity.compoundIndexes.inWords)
    add(.renamingIdentifier, entity.renamingIdentifier)
    add(.versionHashModifier, entity.versionHashModifier)
    add(.userInfo, entity.userInfo)
    hashed = [.superentity, .isAbstract, .versionHashModifier]
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
    add(.isOptional, attribute.isOptional)
    add(.isTransient, attribute.isTransient)
    add(.defaultValue, attribute.defaultValue)
    add(.minimum, attribute.validation.minimum)
    add(.maximum, attribute.validation.maximum)
    add(.pattern, attribute.validation.pattern)
    let predicates = attribute.validation.predicates
    add(.validationPredicates, predicates, predicates.inWords)
    add(.derivation, attribute.derivation?.normalizedExpression)
    add(.derivationFilter, attribute.derivation?.filter)
    add(.compositeType, attribute.compositeName)
    add(.valueTransformer, attribute.valueTransformerName)
    add(.valueClass, attribute.valueClassName)
    add(.allowsExternalStorage, attribute.options.contains(.allowsExternalStorage))
    add(.preservesValueOnDeletion, attribute.options.contains(.preservesValueOnDeletion))
    let others = attribute.options.subtracting([.allowsExternalStorage, .preservesValueOnDeletion])
    add(.otherOptions, others, others.inWords)
    add(.renamingIdentifier, attribute.renamingIdentifier)
    add(.versionHashModifier, attribute.versionHashModifier)
    add(.userInfo, attribute.userInfo)
    hashed = [.isTransient]
    if attribute.isTransient { return }
    hashed.formUnion([.kind, .derivation, .versionHashModifier])
    if attribute.derivation != nil { return }
    hashed.formUnion([.type, .isOptional, .allowsExternalStorage, .preservesValueOnDeletion])
  }

  init(_ relationship: Relationship) {
    let count = relationship.count
    add(.destination, relationship.destination)
    add(.inverse, relationship.inverse)
    add(.count, count, "\(count.minimum)…\(count.maximum > 0 ? "\(count.maximum)" : "")")
    add(.isOrdered, relationship.isOrdered)
    add(.isOptional, relationship.isOptional)
    add(.isTransient, relationship.isTransient)
    let predicates = relationship.validationPredicates
    add(.validationPredicates, predicates, predicates.inWords)
    add(.deleteRule, relationship.deleteRule, relationship.deleteRule.inWords)
    add(.renamingIdentifier, relationship.renamingIdentifier)
    add(.versionHashModifier, relationship.versionHashModifier)
    add(.userInfo, relationship.userInfo)
    hashed = [.isTransient]
    if relationship.isTransient { return }
    hashed.formUnion([
      .kind, .destination, .inverse, .count, .isOrdered, .isOptional, .versionHashModifier,
    ])
  }

  private init(_ fetched: FetchedProperty) {
    add(.request, fetched.request.bare, fetched.request.inWords)
    add(.isOptional, fetched.isOptional)
    add(.renamingIdentifier, fetched.renamingIdentifier)
    add(.versionHashModifier, fetched.versionHashModifier)
    add(.userInfo, fetched.userInfo)
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

extension Attribute.Options {
  fileprivate var inWords: String {
    let names: [(Attribute.Options, String)] = [
      (.isIndexed, "indexed"), (.isIndexedBySpotlight, "indexed by Spotlight"),
      (.isStoredInTruthFile, "stored in truth file"),
      (.allowsCloudEncryption, "encrypted in the cloud"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: ", ")
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
