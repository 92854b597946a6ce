import ObjectModel
import Rows
import StoreInterface

/// The changes that a merge combines, with the keys of the copy that receives the changes.
package struct MergeLayers {
  /// The changes that turn the rows of this copy into the rows of the base.
  let base: Layer
  /// The changes of the second copy, above the base.
  let theirs: Layer
  /// The keys in the second copy of the objects that got a new key.
  let originalKeys: [ObjectKey: ObjectKey]
  /// The lanes of the second copy; `nil` if it has none.
  var lanes: StoreLanes?
}
