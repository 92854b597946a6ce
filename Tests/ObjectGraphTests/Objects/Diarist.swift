import Entities
import Foundation
import ObjectGraph
import ObjectModel
import Synchronization

/// The events of the objects of tests, in order.
final class Diary: Sendable {
  static let shared = Diary()
  private let entries = Mutex<[String: [String]]>([:])

  func write(_ what: String, of name: String) {
    entries.withLock { $0[name, default: []].append(what) }
  }

  /// Returns the events of the objects of one test since the last call.
  func take(_ name: String) -> [String] { entries.withLock { $0.removeValue(forKey: name) ?? [] } }
}

/// An object that writes its events into the diary, under the name of its context.
@Entity class Diarist: ManagedObject {
  var book: String?
  var text: String?
  var count: Int32
  var parent: Diarist?
  // SAFETY: A test sets and reads the reactions of its own objects only, with the lock held.
  /// The closures that objects run at events.
  nonisolated(unsafe) static var reactions: [ObjectID: (String, Diarist) -> Void] = [:]
  static let lock = NSLock()

  private func note(_ what: String) {
    // The name is `nil` once the context has ended; nothing can be read then.
    guard let name = managedObjectContext?.name else { return }
    Diary.shared.write(what + (managedObjectContext?.parent == nil ? "" : " in child"), of: name)
    Diarist.lock.lock()
    let reaction = Diarist.reactions[objectID]
    Diarist.lock.unlock()
    reaction?(what, self)
  }

  override func awakeFromInsert() { note("insert") }
  override func awakeFromFetch() { note("fetch") }
  override func awake(fromSnapshotEvents events: SnapshotEvents) {
    let names: [(SnapshotEvents, String)] = [
      (.undoInsertion, "undoInsertion"), (.undoDeletion, "undoDeletion"),
      (.undoUpdate, "undoUpdate"),
      (.rollback, "rollback"), (.refresh, "refresh"), (.mergePolicy, "mergePolicy"),
    ]
    note(names.filter { events.contains($0.0) }.map(\.1).joined(separator: "+"))
  }
  override func willSave() { note("willSave") }
  override func didSave() { note("didSave") }
  override func willTurnIntoFault() { note("willTurnIntoFault") }
  override func didTurnIntoFault() { note("didTurnIntoFault") }
  override func prepareForDeletion() { note("prepareForDeletion") }
  override func validateForInsert() throws { note("validateForInsert") }
  override func validateForUpdate() throws { note("validateForUpdate") }
  override func validateForDelete() throws { note("validateForDelete") }
}
