import ObjectModel

/// The parts of composite types as members of structures.
enum CompositeParts {
  /// Returns the names of the members, in the order of the parts.
  static func members(of parts: [Attribute]) -> [String] {
    var scope = NameScope(
      SwiftNames.impossibleMembers.union([
        "compositeName", "compositeParts", "hash", "hashValue", "propertyNames", "write",
      ]))
    return scope.names(for: parts.map { SwiftNames.identifier($0.name, otherwise: "part") })
  }
}

extension CompositeType {
  /// The parts that stores keep.
  var storedParts: [Attribute] {
    attributes.filter { !$0.isTransient && $0.type != .undefined && $0.type != .objectID }
  }
}
