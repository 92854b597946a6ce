package import ObjectModel

/// The objects that a walk through a tree has visited.
package struct TreeVisits {
  /// The objects from the topmost one to the present one.
  private var path: Set<ObjectKey> = []
  /// The objects whose children were visited.
  private var expanded: Set<ObjectKey> = []

  package init() {}

  /// The way in which an object with children is continued.
  package enum Continuation {
    case children
    /// The object is below itself.
    case cycle
    /// The children were visited before.
    case shownAbove
    /// The children are below the last level.
    case tooDeep
  }

  /// Returns the continuation of an object that has children.
  package func continuation(of key: ObjectKey, isLastLevel: Bool) -> Continuation {
    if path.contains(key) { return .cycle }
    if expanded.contains(key) { return .shownAbove }
    return isLastLevel ? .tooDeep : .children
  }

  package mutating func enter(_ key: ObjectKey) {
    path.insert(key)
    expanded.insert(key)
  }

  package mutating func leave(_ key: ObjectKey) { path.remove(key) }
}
