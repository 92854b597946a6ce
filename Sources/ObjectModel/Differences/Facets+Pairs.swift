// Descriptions of how two parts with the same name differ, where neither version is the older one:
// `type: String or Date`.

extension Facets {
  static func differences(_ one: Entity, _ other: Entity) -> [String] {
    differences(Facets(one), Facets(other), "")
      + named(one.declaredProperties, other.declaredProperties, name: \.name) { one, other in
        differences(one, other)
      }
      + named(one.fetchIndexes, other.fetchIndexes, name: \.name) { one, other in
        differences(Facets(one), Facets(other), "index \(one.name)'s ")
      }
      + (one.uniquenessConstraints == other.uniquenessConstraints
        ? []
        : [
          """
          uniqueness constraints: \
          \(one.uniquenessConstraints.inWords) or \(other.uniquenessConstraints.inWords)
          """
        ])
  }

  static func differences(_ one: CompositeType, _ other: CompositeType) -> [String] {
    named(one.attributes, other.attributes, name: \.name) { one, other in
      differences(.attribute(one), .attribute(other))
    }
  }

  static func differences(
    _ one: FetchRequestTemplate, _ other: FetchRequestTemplate
  ) -> [String] {
    differences(Facets(one), Facets(other), "")
  }

  private static func differences(_ one: Property, _ other: Property) -> [String] {
    one.kind == other.kind
      ? differences(Facets(one), Facets(other), "\(one.name)'s ")
      : ["\(one.name): \(one.kind) or \(other.kind)"]
  }

  private static func differences(_ one: Facets, _ other: Facets, _ owner: String) -> [String] {
    zip(one.values, other.values).filter { $0.identity != $1.identity }
      .map { "\(owner)\($0.facet): \($0.text) or \($1.text)" }
  }

  /// Compares parts with the same name, and reports parts that only one side has.
  private static func named<Part>(
    _ one: [Part], _ other: [Part], name: (Part) -> String, _ compare: (Part, Part) -> [String]
  ) -> [String] {
    let others = Dictionary(other.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let known = Set(one.map(name))
    return one.flatMap { part in
      others[name(part)].map { compare(part, $0) } ?? ["only one of the two has \(name(part))"]
    } + other.map(name).filter { !known.contains($0) }.map { "only one of the two has \($0)" }
  }
}
