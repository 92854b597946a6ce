import Foundation
import Testing

@testable import Quire

@Suite("A container with a name")
struct NamedContainerTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "quire-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes a model with one entity into the folder.
  private func writeModel(_ name: String, entity: String, in folder: URL) throws {
    let text = "model \"1\"\n\nentity \(entity)\n  name: String?\n"
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func description(_ name: String) -> PersistentContainer.StoreDescription {
    PersistentContainer.StoreDescription(folder.appending(path: name).path)
  }

  @Test("The model is found by its name, and the first folder comes first")
  func model() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (one, two) = (folder.appending(path: "one"), folder.appending(path: "two"))
    for folder in [one, two] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let search = ModelSearch(folders: [one.path, two.path])
    do {
      _ = try search.versions(named: "Notes")
      Issue.record("There is no such model.")
    } catch {
      #expect("\(error)".contains(one.path) && "\(error)".contains(two.path), "\(error)")
      #expect("\(error)".contains(".xcdatamodeld"), "\(error)")
    }
    try writeModel("Notes.model", entity: "Second", in: two)
    #expect(try search.versions(named: "Notes").current.entities.map(\.name) == ["Second"])
    try writeModel("Notes.model", entity: "First", in: one)
    #expect(try search.versions(named: "Notes").current.entities.map(\.name) == ["First"])
    let container = try PersistentContainer(
      name: "Notes", model: nil, classes: [], transformers: [], in: search)
    #expect(container.name == "Notes" && container.coordinator.stores.isEmpty)
    #expect(
      container.persistentStoreDescriptions.map(\.path)
        == [PersistentContainer.defaultDirectory + "/Notes.store"])
  }

  @Test("The search includes the program's folder and the working directory")
  func folders() throws {
    let folders = ModelSearch().folders
    let program = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
    #expect(folders.contains(program.deletingLastPathComponent().path))
    #expect(folders.last == FileManager.default.currentDirectoryPath || folders.count == 1)
    #expect(Set(folders).count == folders.count)
  }

  @Test("A file of the model that can't be read is an error, and not a missing model")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("entity {".utf8).write(to: folder.appending(path: "Notes.model"))
    do {
      _ = try ModelSearch(folders: [folder.path]).versions(named: "Notes")
      Issue.record("The model has faults.")
    } catch { #expect(!"\(error)".contains("There is no model"), "\(error)") }
  }

  @Test("The default folder follows the XDG Base Directory Specification")
  func defaultDirectory() {
    func folder(_ environment: [String: String]) -> String {
      PersistentContainer.defaultDirectory(of: "trips", environment, home: "/people/ada")
    }
    #expect(folder([:]) == "/people/ada/.local/share/trips")
    #expect(folder(["XDG_DATA_HOME": "/data"]) == "/data/trips")
    #expect(folder(["XDG_DATA_HOME": "data"]) == "/people/ada/.local/share/trips")
    #expect(folder(["XDG_DATA_HOME": ""]) == "/people/ada/.local/share/trips")
  }

  @Test("Each store reports its result, and a second call tries the failed stores again")
  @MainActor
  func loading() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try PersistentContainer(name: "Voyages", for: Voyage.self, Port.self)
    let damaged = description("damaged.store")
    try Data("no store".utf8).write(to: URL(fileURLWithPath: damaged.path))
    container.persistentStoreDescriptions = [
      description("a.store"), damaged, description("b.store"),
    ]
    #expect(container.coordinator.stores.isEmpty)
    var results: [(String, Bool)] = []
    container.loadPersistentStores { description, error in
      results.append((URL(fileURLWithPath: description.path).lastPathComponent, error == nil))
    }
    #expect(results.map(\.0) == ["a.store", "damaged.store", "b.store"])
    #expect(results.map(\.1) == [true, false, true] && container.coordinator.stores.count == 2)

    try FileManager.default.removeItem(atPath: damaged.path)
    let before = container.coordinator.stores
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(container.coordinator.stores.count == 3)
    #expect(Array(container.coordinator.stores.prefix(2)) == before)

    // A removed store is opened again.
    try container.coordinator.remove(before[0])
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(container.coordinator.stores.count == 3)
    let voyage = try Voyage(context: container.viewContext)
    voyage.code = "LIS"
    try container.viewContext.save()
  }

  @Test("Stores are opened in the background, and each has its result")
  func background() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try PersistentContainer(name: "Voyages", for: Voyage.self, Port.self)
    let damaged = description("damaged.store")
    try Data("no store".utf8).write(to: URL(fileURLWithPath: damaged.path))
    container.persistentStoreDescriptions = [damaged, description("a.store")]
    let results = await container.loadPersistentStores()
    #expect(throws: StoreError.self) { try results[0].get() }
    #expect(try results[1].get() == container.coordinator.stores[0] && results.count == 2)
  }

  @Test("The folder of the default store is created when the store is opened, and not earlier")
  func createdFolder() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try PersistentContainer(name: "Voyages", for: Voyage.self, Port.self)
    let path = folder.appending(path: "share/trips/Voyages.store").path
    #expect(container.persistentStoreDescriptions.count == 1)
    container.persistentStoreDescriptions[0].path = path
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(FileManager.default.fileExists(atPath: path))

    // A described path in a missing folder is more likely a mistake.
    let other = description("missing/Voyages.store")
    container.persistentStoreDescriptions = [other]
    container.loadPersistentStores { _, error in #expect(error is StoreError) }
  }

  @Test("A store of another version of the model is migrated")
  func migrated() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Notes.store").path
    try writeModel("Notes.model", entity: "Note", in: folder)
    func container() throws -> PersistentContainer {
      let container = try PersistentContainer(
        name: "Notes", model: nil, classes: [], transformers: [],
        in: ModelSearch(folders: [folder.path]))
      container.persistentStoreDescriptions[0].path = path
      return container
    }
    let first = try container()
    first.loadPersistentStores { _, error in #expect(error == nil) }
    try first.coordinator.remove(first.coordinator.stores[0])
    let text = "model \"2\"\n\nentity Note\n  name: String?\n  text: String?\n"
    try Data(text.utf8).write(to: folder.appending(path: "Notes.model"))
    let second = try container()
    second.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(second.coordinator.stores.count == 1)
    #expect(second.coordinator.model["Note"]?.attributes.count == 2)
  }
}
