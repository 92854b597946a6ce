public import ObjectGraph

// Here and not beside the protocol: programs see the operators of this module whole, and only single types of `ObjectGraph`.
extension EntitySnapshot {
  /// Whether the identifiers and all values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.objectID == right.objectID && left.contents == right.contents
  }

  /// Hashes the identifier and all values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(objectID)
    hasher.combine(contents)
  }
}
