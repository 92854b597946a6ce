import ObjectModel
import Rows
import StoreInterface

/// The unsaved changes of one store and the state that they were made on.
///
/// Changes travel in this form only: from a child to its parent, into undo and redo, into a save, into a document.
struct Changes: Sendable {
  /// The state that shows beneath the changes now.
  var base: StoreBase
  /// The changes.
  var layer: Layer
  /// The rows that the changes were made on, where another save has replaced them in ``base`` since: a layer above
  /// ``base`` that leads back to them.
  ///
  /// A changed row gives the values that another save has replaced. A whole row was deleted by another save. A
  /// removed row was inserted by another save.
  var originals = Layer()
  /// The references of deleted objects, where the context changed them before the deletion: whole rows.
  var lastReferences = Layer()
  /// The rows of ``layer`` that a rebase has repaired, for example a row with a reference to a deleted object.
  var repairs = Repairs()

  /// The rows that the changes were made on.
  var originalTables: [any RowTable] {
    originals.isEmpty ? base.tables : base.tables + [originals]
  }
}

/// The rows that a rebase has repaired, so that they agree with the rows of another save.
///
/// The next rebase first takes all repairs back, and then repairs the rows anew. So no repair is in conflict, and a repair
/// without a reason ends.
struct Repairs: Sendable {
  /// The changes of the rows after the repair. If the context changes a row once more, the row counts as changed by the
  /// context.
  var repaired = Layer()
  /// The changes of the same rows before the repair; a row without changes is absent.
  var before = Layer()
}

/// The rows of which a context has asked to see the newest state, so that its changes of them are in no conflict.
struct SeenRows: Sendable {
  /// The keys of rows that the context has seen whole.
  var keys: Set<ObjectKey> = []
  /// A save on behalf of the context, of which it has seen the values that the save gave.
  var ownSave = Layer()
}
