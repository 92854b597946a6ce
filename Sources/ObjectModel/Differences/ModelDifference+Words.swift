extension ModelDifference: CustomStringConvertible {
  /// The changes, one on each line.
  public var description: String { changes.map(\.description).joined(separator: "\n") }

  /// All changes in one line: their counts by kind, and whether stores must be migrated.
  public var summary: String {
    guard !isEmpty else { return "No differences." }
    var counts: [String] = []
    for noun in ["entity", "property", "other part"] {
      let changes = changes.filter { $0.subject.noun == noun }
      for (verb, parts) in [
        ("added", changes.filter { $0.action == .added }),
        ("removed", changes.filter { $0.action == .removed }),
        ("renamed", changes.filter { if case .renamed = $0.action { true } else { false } }),
        ("changed", changes.filter { if case .changed = $0.action { true } else { false } }),
      ] {
        let count = Set(parts.map(\.subject)).count
        if count > 0 { counts.append("\(count) \(count == 1 ? noun : noun.plural) \(verb)") }
      }
    }
    return counts.joined(separator: ", ")
      + (isSeenByHashes ? ". Stores must be migrated." : ". Stores fit both versions.")
  }
}

extension ModelDifference.Change: CustomStringConvertible {
  /// The change in words: `Trip.name: type changed from String to Integer 64`.
  public var description: String {
    switch action {
    case .added: "\(subject): added"
    case .removed: "\(subject): removed"
    case .renamed(let name): "\(subject): renamed from \(name)"
    case .changed(let facet, let old, let new): "\(subject): \(facet) changed from \(old) to \(new)"
    }
  }
}

extension ModelDifference.Subject: CustomStringConvertible {
  /// The part's name, and its kind where the name is not clear.
  public var description: String {
    switch self {
    case .model: "model"
    case .entity(let name): name
    case .property(let name, let entity): "\(entity).\(name)"
    case .uniquenessConstraint(let columns, let entity):
      "\(entity): uniqueness constraint (\(columns.joined(separator: ", ")))"
    case .fetchIndex(let name, let entity): "\(entity): index \(name)"
    case .compositeType(let name): "composite type \(name)"
    case .compositeAttribute(let name, let type): "composite type \(type).\(name)"
    case .configuration(let name): "configuration \(name)"
    case .template(let name): "fetch request template \(name)"
    }
  }

  fileprivate var noun: String {
    switch self {
    case .entity: "entity"
    case .property: "property"
    default: "other part"
    }
  }
}

extension ModelDifference.Facet: CustomStringConvertible {
  /// The facet in words: `delete rule` for ``deleteRule``.
  public var description: String {
    let name = rawValue.hasPrefix("is") ? String(rawValue.dropFirst(2)) : rawValue
    return name.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
      .drop { $0 == " " }.description
  }
}

extension String {
  /// The plural of a noun for a part of a model.
  fileprivate var plural: String { hasSuffix("y") ? dropLast() + "ies" : self + "s" }
}
