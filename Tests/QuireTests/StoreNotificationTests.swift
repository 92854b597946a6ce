import Foundation
import Quire
import Synchronization
import Testing

@Suite("Notifications of stores")
struct StoreNotificationTests {
  /// The notifications of one coordinator, as lines of text.
  private final class Notes: Sendable {
    private let lines = Mutex<[String]>([])

    init(of coordinator: PersistentStoreCoordinator) {
      let names: [(Notification.Name, String)] = [
        (.persistentStoreCoordinatorWillRemoveStore, "will remove"),
        (.persistentStoreCoordinatorStoresDidChange, "did change"),
      ]
      for (name, word) in names {
        _ = NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) {
          [self] note in
          func types(_ key: String) -> String {
            let stores = note.userInfo?[key] as? [PersistentStore]
            return stores.map { $0.map(\.type.rawValue).joined(separator: " ") } ?? "none"
          }
          let count = (note.object as? PersistentStoreCoordinator)?.stores.count ?? -1
          let line =
            "\(word): added \(types(PersistentStoreCoordinator.addedStoresKey)), "
            + "removed \(types(PersistentStoreCoordinator.removedStoresKey)), now \(count)"
          lines.withLock { $0.append(line) }
        }
      }
    }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test("Adding, moving and removing a store is announced")
  func stores() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let coordinator = PersistentStoreCoordinator(
      model: try Model(classes: [Voyage.self, Port.self]))
    let notes = Notes(of: coordinator)

    let store = try coordinator.addStore(at: "/dev/null")
    #expect(notes.take() == ["did change: added InMemory, removed none, now 1"])
    #expect(throws: StoreError.self) {
      try coordinator.addStore(at: folder.appending(path: "missing/a.store").path)
    }
    #expect(notes.take() == [])
    let moved = try coordinator.migrate(
      store, to: folder.appending(path: "a.xml").path, type: .xml)
    #expect(notes.take() == ["did change: added XML, removed InMemory, now 1"])
    try coordinator.remove(moved)
    #expect(
      notes.take() == [
        "will remove: added none, removed XML, now 1",
        "did change: added none, removed XML, now 0",
      ])
    try? coordinator.remove(moved)
    #expect(notes.take() == [])
  }
}
