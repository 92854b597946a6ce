// The walks over the parts of composite attributes.

extension Model {
  /// Returns the stored attributes that an attribute consists of: the parts of a composite attribute at any depth, or
  /// the attribute itself. Each result is the path to a stored attribute: the whole attribute first, the stored one
  /// last.
  package func storedParts(of attribute: Attribute) -> [[Attribute]] {
    guard let type = composite(of: attribute) else { return [[attribute]] }
    return type.attributes.filter { !$0.isTransient }.flatMap { part in
      storedParts(of: part).map { [attribute] + $0 }
    }
  }

  /// Returns the part of a composite attribute at the end of a path of names; `nil` if the part does not exist. An
  /// empty path names the attribute itself.
  package func part(at path: some Sequence<String>, of attribute: Attribute) -> Attribute? {
    var part = attribute
    for name in path {
      guard let next = storage.index.part(name, of: part) else { return nil }
      part = next
    }
    return part
  }
}

extension Model {
  /// Returns the attribute at the end of a path of names, through relationships and composite attributes; `nil` if the
  /// path does not end at an attribute.
  package func attribute(at path: [String], of entity: String) -> Attribute? {
    var entity = entity
    for (index, name) in path.enumerated() {
      switch property(name, of: entity) {
      case .relationship(let relationship): entity = relationship.destination
      case .attribute(let attribute): return part(at: path[(index + 1)...], of: attribute)
      default: return nil
      }
    }
    return nil
  }

  /// Returns the precision of an attribute, or of a part of a composite attribute: `price`, `home.since`.
  package func precision(of path: String, of entity: String) -> Attribute.Precision? {
    attribute(at: path.split(separator: ".").map(String.init), of: entity)?.validation.precision
  }
}

extension ModelContinuation {
  /// A stored attribute without parts: a part of a composite attribute at any depth, or a whole attribute.
  package struct Part: Sendable {
    /// The attribute. It is composite only if it continues an attribute that is not.
    package let attribute: Attribute
    /// The names from the whole attribute to the part.
    package let path: [String]
    /// The stored attribute of the older model that the part continues, with its path, if any.
    package let before: (attribute: Attribute, path: [String])?
  }

  /// A stored part of a composite attribute of the older model that no stored part continues.
  package struct RemovedPart: Sendable {
    /// The names from the newer model's attribute to the type that lacks the part, and the part's own name.
    package let path: [String]
    /// The names from the older model's attribute to the part.
    package let oldPath: [String]
  }

  /// Returns the continuation of the parts of an attribute.
  ///
  /// - Parameters:
  ///   - attribute: An attribute of the newer model.
  ///   - before: The attribute of the older model that the attribute continues, if any.
  package func parts(
    of attribute: Attribute, continuing before: Attribute?
  ) -> (parts: [Part], removed: [RemovedPart]) {
    var found: (parts: [Part], removed: [RemovedPart]) = ([], [])
    collect(attribute, [attribute.name], before.map { ($0, [$0.name]) }, into: &found)
    return found
  }

  private func collect(
    _ attribute: Attribute, _ path: [String], _ before: (attribute: Attribute, path: [String])?,
    into found: inout (parts: [Part], removed: [RemovedPart])
  ) {
    let oldType = before.flatMap { old.composite(of: $0.attribute) }
    guard let type = new.composite(of: attribute), before == nil || oldType != nil else {
      found.parts.append(Part(attribute: attribute, path: path, before: before))
      return
    }
    let continued = oldType.map { ModelContinuation.attributes(of: type, before: $0) } ?? [:]
    var kept: Set<String> = []
    for part in type.attributes where !part.isTransient {
      var partBefore: (attribute: Attribute, path: [String])?
      if let before, let old = continued[part.name], !old.isTransient {
        kept.insert(old.name)
        partBefore = (old, before.path + [old.name])
      }
      collect(part, path + [part.name], partBefore, into: &found)
    }
    guard let before, let oldType else { return }
    for part in oldType.attributes where !part.isTransient && !kept.contains(part.name) {
      found.removed.append(
        RemovedPart(path: path + [part.name], oldPath: before.path + [part.name]))
    }
  }
}
