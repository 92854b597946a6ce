package import ObjectModel

/// The content of one property of a snapshot, to be compared.
package enum SnapshotContent: Hashable {
  case value(Value)
  /// A related object, or a list of objects.
  case related(AnyHashable)
}
