import Foundation
import SQLiteStore
import StoreInterface
import Testing

@testable import Quire

@Suite("Containers with further types of stores")
struct ContainerBackendTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "quire-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder.appending(path: "Voyages.sqlite").path }

  @MainActor
  @Test("A container makes and opens an SQLite database")
  func sqlite() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<2 {
      let container = try PersistentContainer(
        at: path, type: .sqlite, backends: [.sqlite], for: Voyage.self, Port.self)
      let count = try container.viewContext.count(for: Voyage.all)
      try container.viewContext.insert(Voyage.self) { $0.code = "\(count)" }
      try container.viewContext.save()
    }
    let found = try PersistentContainer(
      try Model(classes: [Voyage.self, Port.self]), at: path, backends: [.sqlite],
      classes: [Voyage.self, Port.self])

    #expect(try found.viewContext.fetch(Voyage.all).map(\.code).sorted() == ["0", "1"])
    #expect(try Data(contentsOf: URL(filePath: path)).starts(with: Data("SQLite format 3".utf8)))
  }

  @Test("A container with a name has a store with the ending of its type")
  func named() throws {
    let container = try PersistentContainer(
      name: "Voyages", type: .sqlite, backends: [.sqlite], for: Voyage.self, Port.self)

    let store = try #require(container.persistentStoreDescriptions.first)
    #expect(store.type == .sqlite)
    #expect(store.path == PersistentContainer.defaultDirectory + "/Voyages.sqlite")
  }

  @Test("A container without the backend names the library and the line to write")
  func missing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: StoreError.self) {
      try PersistentContainer(at: path, type: .sqlite, for: Voyage.self, Port.self)
    }
    #expect(
      try #require(error).message.contains(
        "Link the library SQLiteStore, write 'import SQLiteStore', and give 'backends: [.sqlite]' to the container."
      ))
  }
}
