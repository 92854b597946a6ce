import ObjectModel
import Rows
import StoreInterface

/// The unsaved changes of one store and the state that they were made on.
///
/// Changes have this form everywhere: from a child to its parent, in undo and redo, in a save, in a document.
struct Changes: Sendable {
  /// The current base of the changes.
  var base: StoreBase
  var layer: Layer
  /// The rows that the changes were made on, where another save has replaced them in ``base`` since: a layer above
  /// ``base`` that restores these rows.
  ///
  /// A changed row contains the values that another save has replaced. A whole row was deleted by another save. A
  /// removed row was inserted by another save.
  var originals = Layer()
  /// The references of deleted objects that the context changed before the deletion, as whole rows.
  var lastReferences = Layer()
  /// The rows of ``layer`` that a rebase has repaired, for example a row with a reference to a deleted object.
  var repairs = Repairs()
  /// The values that the changes set in transient properties, which no row contains.
  var transients: TransientChanges = [:]

  /// Whether the changes change nothing.
  var isEmpty: Bool { layer.isEmpty && transients.isEmpty }

  /// The rows that the changes were made on.
  var originalTables: [any RowTable] {
    originals.isEmpty ? base.tables : base.tables + [originals]
  }
}

/// The rows that a rebase has repaired, so that they agree with the rows of another save.
///
/// The next rebase first reverts all repairs, and then repairs the rows again. So no repair is in conflict, and a repair
/// ends when its reason ends. A repaired value that the context changes once more is a change of the context.
struct Repairs: Sendable {
  /// The changes of the rows after the repair.
  var repaired = Layer()
  /// The changes of the same rows before the repair; a row without changes is absent.
  var before = Layer()

  /// Whether a repair has removed a row.
  func hasRemoved(_ key: ObjectKey) throws -> Bool {
    if case .removed = try repaired.entry(of: key) { true } else { false }
  }
}

/// The rows whose newest state the context has asked to see. Its changes of these rows cause no conflict.
struct SeenRows: Sendable {
  /// The keys of rows of which the context has seen all newest values.
  var keys: Set<ObjectKey> = []
  /// The rows that a batch of the context has saved. The context has seen these values.
  var ownSave = Layer()
}
