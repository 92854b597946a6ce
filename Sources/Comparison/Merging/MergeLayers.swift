package import ObjectModel
package import Rows
package import StoreInterface

/// The changes that a merge combines, with the keys of the copy that receives the changes.
package struct MergeLayers {
  /// The changes that turn the rows of this copy into the rows of the base.
  let base: Layer
  /// The changes of the second copy, above the base.
  package let theirs: Layer
  /// The keys in the second copy of the objects that got a new key.
  let originalKeys: [ObjectKey: ObjectKey]
  /// The lanes of the second copy; `nil` if it has none.
  package var lanes: StoreLanes?
  /// Whether members that the second copy has added to a list precede members that this copy has added at the same place.
  package var theirsComeFirst = false

  package init(
    base: Layer, theirs: Layer, originalKeys: [ObjectKey: ObjectKey] = [:],
    lanes: StoreLanes? = nil
  ) {
    (self.base, self.theirs) = (base, theirs)
    (self.originalKeys, self.lanes) = (originalKeys, lanes)
  }
}
