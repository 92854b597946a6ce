import DurableFiles
import Foundation
import StoreInterface
import Testing

@testable import PluginHost

@Suite("The search for plug-ins")
struct PluginSearchTests {
  private static func manifest(_ name: String, _ types: String...) -> String {
    let all = types.map { #"{"name": "\#($0)", "capabilities": []}"# }
    return PluginWorld.manifest(name, types: "[" + all.joined(separator: ", ") + "]")
  }

  @Test("The search finds plug-ins by name within a folder, and ignores other files")
  func found() throws {
    let world = try PluginWorld()
    try world.add("b", manifest: Self.manifest("two", "Two"))
    try world.add("a", manifest: Self.manifest("one", "One"))
    try world.add(".hidden", manifest: Self.manifest("hidden", "Hidden"))
    try FileManager.default.createDirectory(
      atPath: world.folder + "/no-plugin", withIntermediateDirectories: true)
    try world.write([1], world.folder + "/file")

    let registry = world.search([world.folder, world.folder + "/none"])

    #expect(registry.plugins.map(\.manifest.name) == ["one", "two"])
    #expect(registry.plugins[0].path == world.folder + "/a")
    #expect(registry.plugins[0].libraryPath == world.folder + "/a/lib.so")
    #expect(registry.plugins[0].state == .available)
    #expect(registry.refusals == [])
    #expect(registry.folders.map(\.outcome) == [.searched, .missing])
    #expect(registry.plugin(for: StoreType(rawValue: "Two"))?.manifest.name == "two")
  }

  @Test("The digest is computed from the bytes of the library")
  func digest() throws {
    let world = try PluginWorld()
    try world.add(library: Array("abc".utf8))

    #expect(
      try world.search().plugins[0].digest()
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("An unreadable plug-in does not stop the search")
  func unreadable() throws {
    let world = try PluginWorld()
    try world.add("a", manifest: "{")
    try world.add("b", manifest: Self.manifest("two", "Two"))
    try world.add("c", manifest: PluginWorld.manifest("three", abi: 9))
    try world.add("d", manifest: Self.manifest("four", "Four"), library: nil)
    try world.add("e", manifest: String(repeating: " ", count: 65537))

    let registry = world.search()

    #expect(registry.plugins.map(\.manifest.name) == ["two"])
    #expect(
      registry.refusals.map(\.reason) == [.badManifest, .wrongVersion, .notFound, .badManifest])
    #expect(registry.refusals.map(\.plugin) == ["a", "three", "four", "e"])
    #expect(registry.refusals[2].message.contains("lib.so"))
    #expect(registry.refusals[3].message.contains("65537"))
  }

  @Test("The first of two plug-ins with one name is used, and the refusal names both files")
  func duplicateNames() throws {
    let world = try PluginWorld()
    let other = try world.folder("other")
    try world.add("a", manifest: Self.manifest("one", "One"))
    try world.add("b", manifest: Self.manifest("one", "Two"))
    try world.add("c", manifest: Self.manifest("one", "Three"), in: other)

    let registry = world.search([other, world.folder])

    #expect(registry.plugins.map(\.types[0].name) == ["Three"])
    #expect(registry.refusals.map(\.reason) == [.duplicate, .duplicate])
    for refusal in registry.refusals {
      #expect(refusal.message.contains(other + "/c/plugin.json"))
      #expect(refusal.message.contains(refusal.path))
    }
  }

  @Test("The first plug-in for a type is used, and the second only for its other types")
  func duplicateTypes() throws {
    let world = try PluginWorld()
    try world.add("a", manifest: Self.manifest("one", "One", "Shared"))
    try world.add("b", manifest: Self.manifest("two", "Shared", "Two"))
    try world.add("c", manifest: Self.manifest("three", "Shared"))

    let registry = world.search()

    #expect(registry.plugins.map { $0.types.map(\.name) } == [["One", "Shared"], ["Two"]])
    #expect(registry.refusals.map(\.plugin) == ["two", "three"])
    #expect(registry.refusals[0].message.contains("'one', \(world.folder)/a/plugin.json"))
  }

  @Test("A built-in type wins, unless the caller lets plug-ins replace built-in types")
  func builtIn() throws {
    let world = try PluginWorld()
    try world.add("a", manifest: Self.manifest("one", "XML", "One"))

    #expect(world.search().plugins[0].types.map(\.name) == ["One"])
    #expect(world.search().refusals.map(\.message)[0].contains("built in"))
    #expect(world.search(replacingBuiltIn: true).plugins[0].types.map(\.name) == ["XML", "One"])
  }

  @Test("Backends of plug-ins come last, and recognise files and folders by the manifest")
  func backends() throws {
    let world = try PluginWorld()
    let types =
      #"[{"name": "File", "capabilities": ["durable"], "begins": [{"text": "FILE"}]}, {"name": "Folder", "capabilities": [], "marker": "HERE"}]"#
    try world.add("a", manifest: PluginWorld.manifest("one", types: types))
    let backends = StoreBackends([MemoryStoreBackend()]).adding(contentsOf: world.search())
    let file = world.folder + "/x.file"
    try world.write(Array("FILE and more".utf8), file)
    let folder = try world.folder("x.folder")

    #expect(backends.types.map(\.rawValue) == ["InMemory", "File", "Folder"])
    #expect(backends[StoreType(rawValue: "File")]?.capabilities == .durable)
    #expect(try backends.backend(ofStoreAt: file, on: RealDisk()).type.rawValue == "File")
    #expect(throws: StoreError.self) { try backends.backend(ofStoreAt: folder, on: RealDisk()) }
    try world.write([], folder + "/HERE")
    #expect(try backends.backend(ofStoreAt: folder, on: RealDisk()).type.rawValue == "Folder")
  }

  @Test("The error for a type without a backend names the folders that were searched")
  func lacking() throws {
    let world = try PluginWorld()
    let backends = StoreBackends([MemoryStoreBackend()]).adding(contentsOf: world.search())
      .adding(MemoryStoreBackend())
    let places = StorePlaces(backends, on: RealDisk())

    let error = try #require(throws: StoreError.self) {
      try places.backend(of: StoreType(rawValue: "Ledger"))
    }

    #expect(error.code == .badPlugin)
    #expect(error.message.contains("'Ledger'") && error.message.contains(world.folder))
    #expect((error.cause as? PluginRefusal)?.reason == .notFound)
  }

  @Test("If plug-ins are off, no folder is searched")
  func off() throws {
    let registry = PluginRegistry.search(.off("a test says so"))

    #expect(registry.plugins.isEmpty && registry.folders.isEmpty)
    #expect(registry.offReason == "a test says so")
    let refusal = registry.refusal(ofType: StoreType(rawValue: "Ledger"))
    #expect(refusal.reason == .refusedByPolicy)
    #expect(refusal.message.contains("a test says so"))
  }

  @Test("The refusal for a missing type lists the searched folders and the plug-ins found")
  func missing() throws {
    let world = try PluginWorld()
    try world.add("a", manifest: Self.manifest("one", "One"))
    try world.add("b", manifest: Self.manifest("two", "Two"), library: nil)
    let registry = world.search([world.folder, world.folder + "-none"])

    let none = registry.refusal(ofType: StoreType(rawValue: "Ledger"))
    let refused = registry.refusal(ofType: StoreType(rawValue: "Two"))

    #expect(none.reason == .notFound)
    #expect(none.message.contains("'Ledger'"))
    #expect(none.message.contains("\(world.folder) (program), \(world.folder)-none (missing)"))
    #expect(none.message.contains("'one' for One"))
    #expect(!none.message.contains("'two'"))
    #expect(refused.plugin == "two")
    #expect(refused.message.contains("/b/lib.so"))
    #expect(refused.error().code == .badPlugin)
    #expect(refused.error().cause as? PluginRefusal == refused)
  }
}
