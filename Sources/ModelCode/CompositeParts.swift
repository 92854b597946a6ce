import ObjectModel

/// The parts of a composite attribute, down to those that hold a value each.
struct CompositeParts {
  /// One part with a value.
  struct Leaf {
    /// Where the part is in the structure: `address.street`.
    let path: String
    /// The name of its key, with those of the types around it: `Address.street`.
    let key: String
  }

  /// The parts with values, in order.
  private(set) var leaves: [Leaf] = []
  /// The expression that makes the structure of an object's values: names and leaves.
  private let value: Node
  /// The names of all structures, which the expression may call.
  private let structures: Set<String>

  private indirect enum Node {
    case leaf(label: String, Leaf)
    case group(label: String, type: String, [Node])
  }

  /// More parts than anyone writes, and fewer than composite types in one another can come to.
  static let greatestCount = 1_000
  /// The same for all composite attributes of a model together.
  static let greatestTotal = 100_000

  init(of attribute: Attribute, _ plan: ClassPlan) throws(ModelCodeError) {
    var leaves: [Leaf] = []
    var groupCount = 0
    structures = Set(plan.composites.values)
    value = try Self.node(
      attribute, label: "", path: "", key: "", plan, &leaves, &groupCount)
    self.leaves = leaves
  }

  private static func node(
    _ attribute: Attribute, label: String, path: String, key: String, _ plan: ClassPlan,
    _ leaves: inout [Leaf], _ groupCount: inout Int
  ) throws(ModelCodeError) -> Node {
    guard leaves.count + groupCount <= greatestCount else {
      throw ModelCodeError(
        code: .tooManyParts,
        message:
          "The composite attribute \"\(attribute.name)\" has more than \(greatestCount) parts.")
    }
    guard attribute.type == .composite, let name = attribute.compositeName,
      let composite = plan.model.composite(name)
    else {
      let leaf = Leaf(path: path, key: key)
      leaves.append(leaf)
      return .leaf(label: label, leaf)
    }
    groupCount += 1
    let parts = composite.storedParts
    let names = zip(members(of: parts), keys(of: parts))
    var nodes: [Node] = []
    for (part, (member, partKey)) in zip(parts, names) {
      let declared = SwiftNames.declared(member)
      nodes.append(
        try node(
          part, label: member, path: path.isEmpty ? declared : "\(path).\(declared)",
          key: (key.isEmpty ? "" : key + ".") + SwiftNames.declared(partKey), plan, &leaves,
          &groupCount))
    }
    return .group(label: label, type: plan.composites[name]!, nodes)
  }

  /// Writes statements that return the structure, made of an object's values. What lies deeper is made
  /// first, each under a name of its own.
  func writeValue(_ key: String, to lines: inout CodeLines) {
    guard case .group(_, let type, let nodes) = value else { return }
    var scope = NameScope(SwiftNames.impossibleMembers.union(structures).union(["Keys"]))
    let arguments = nodes.map { Self.argument($0, key, &scope, &lines) }
    lines.list("return \(type)(", arguments, ")")
  }

  private static func argument(
    _ node: Node, _ key: String, _ scope: inout NameScope, _ lines: inout CodeLines
  ) -> String {
    switch node {
    case .leaf(let label, let leaf):
      return "\(SwiftNames.label(label)): self[\(key).\(leaf.key)]"
    case .group(let label, let type, let nodes):
      let name = SwiftNames.declared(scope.name(for: label))
      let arguments = nodes.map { argument($0, key, &scope, &lines) }
      lines.list("let \(name) = \(type)(", arguments, ")")
      return "\(SwiftNames.label(label)): \(name)"
    }
  }

  /// The names of a structure's properties.
  static func members(of parts: [Attribute]) -> [String] {
    var scope = NameScope(SwiftNames.impossibleMembers.union(["hash", "hashValue"]))
    return scope.names(for: parts.map { SwiftNames.identifier($0.name, otherwise: "part") })
  }

  /// The names of the parts' keys. That of a composite part names a type.
  static func keys(of parts: [Attribute]) -> [String] {
    var scope = NameScope(SwiftNames.impossibleMembers.union(ReservedNames.keys))
    return scope.names(
      for: parts.map { part in
        let name = SwiftNames.identifier(part.name, otherwise: "part")
        return part.type == .composite ? SwiftNames.capitalized(name) : name
      })
  }
}

extension CompositeType {
  /// The parts that stores keep.
  var storedParts: [Attribute] {
    attributes.filter { !$0.isTransient && $0.type != .undefined && $0.type != .objectID }
  }
}
