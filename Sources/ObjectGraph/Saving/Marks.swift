import ObjectModel
import Rows

/// The objects that a context has marked (``ManagedObjectContext/detectConflicts(for:)``), until its next save succeeds.
struct Marks: Sendable {
  /// A marked object.
  struct Mark: Sendable {
    /// The row below the context's own changes at the time of the mark; `nil` if there was none.
    ///
    /// The row is kept and not only its version, because a parent compares it with a row that it may not have saved.
    let row: ViewRow?
    /// Whether the row has changed since. The save then fails whatever the store contains.
    var isBroken = false
  }

  private var marks: [ObjectID: Mark] = [:]

  var isEmpty: Bool { marks.isEmpty }

  /// Whether objects of a store are marked.
  func concern(_ store: StoreTag) -> Bool { marks.keys.contains { $0.store == store } }

  /// Returns the marks of a store's objects, in the order of their keys.
  func of(_ store: StoreTag) -> [(key: ObjectKey, mark: Mark)] {
    marks.filter { $0.key.store == store }.map { ($0.key.key, $0.value) }
      .sorted { $0.key < $1.key }
  }

  /// The stores with marked objects.
  var stores: Set<StoreTag> { Set(marks.keys.map(\.store)) }

  /// Adds a mark. An earlier mark of the object stays, because the save must find every change since that one.
  mutating func add(_ mark: Mark, of object: ObjectID) {
    if mark.isBroken { marks[object]?.isBroken = true }
    if marks[object] == nil { marks[object] = mark }
  }

  /// Replaces the mark of an object, if the object is marked.
  mutating func move(_ object: ObjectID, to row: ViewRow?) {
    if marks[object] != nil { marks[object] = Mark(row: row) }
  }

  mutating func remove(_ object: ObjectID) { marks[object] = nil }
  mutating func removeAll() { marks = [:] }
}
