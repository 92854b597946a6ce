import Rows
package import StoreInterface

/// The merge of one store.
package struct MergePart {
  /// The name of the store; `nil` if there is only one.
  package let name: String?
  /// The store that receives the changes.
  package let store: any Store
  package let base: ComparedStore
  package let ours: ComparedStore
  package let theirs: ComparedStore
  /// The objects that both copies are known to have in common.
  var common: View?
  /// Whether both copies are versions of one file, so that a number belongs to one object.
  var isSameFile = false

  package init(
    name: String?, store: any Store, base: ComparedStore, ours: ComparedStore,
    theirs: ComparedStore
  ) {
    (self.name, self.store) = (name, store)
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
  }
}
