import DurableFiles
import Foundation
import Testing

@testable import PluginHost

@Suite("Trust in plug-ins")
struct PluginTrustTests {
  /// Expects that a trusted plug-in is no longer trusted after a change.
  private func expectRefused(
    _ words: String, _ change: (PluginWorld, _ plugin: String) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let world = try PluginWorld()
    let plugin = try world.add()
    try #require(world.search().plugins.count == 1, sourceLocation: sourceLocation)

    try change(world, plugin)

    let registry = world.search()
    #expect(registry.plugins.isEmpty, sourceLocation: sourceLocation)
    #expect(
      registry.refusals.map(\.reason) == [.refusedByPolicy], sourceLocation: sourceLocation)
    #expect(
      registry.refusals.first?.message.contains(words) == true,
      "\(registry.refusals)", sourceLocation: sourceLocation)
  }

  @Test(
    "A plug-in that other users can write to is refused",
    arguments: ["", "/plugin.json", "/lib.so"])
  func writable(_ name: String) throws {
    try expectRefused("'s group (mode 775)".dropFirst(2).description) { world, plugin in
      try world.setMode(0o775, plugin + name)
    }
    try expectRefused("by every user (mode 777)") { world, plugin in
      try world.setMode(0o777, plugin + name)
    }
  }

  @Test("A folder of plug-ins that other users can write to is not searched")
  func writableFolder() throws {
    try expectRefused("is not searched for plug-ins") { world, _ in
      try world.setMode(0o775, world.folder)
    }
    try expectRefused("a folder above it, can be written by every user") { world, _ in
      try world.setMode(0o777, URL(filePath: world.folder).deletingLastPathComponent().path)
    }
  }

  @Test("A plug-in with a link in it is refused", arguments: ["/plugin.json", "/lib.so"])
  func links(_ name: String) throws {
    try expectRefused("is a symbolic link, not a file") { world, plugin in
      let other = try world.folder("other") + "/file"
      try FileManager.default.moveItem(atPath: plugin + name, toPath: other)
      try FileManager.default.createSymbolicLink(
        atPath: plugin + name, withDestinationPath: other)
    }
  }

  @Test("A plug-in behind a link is refused")
  func linkedPlugin() throws {
    try expectRefused("is a symbolic link, not a directory") { world, plugin in
      let other = try world.folder("other") + "/plugin"
      try FileManager.default.moveItem(atPath: plugin, toPath: other)
      try FileManager.default.createSymbolicLink(atPath: plugin, withDestinationPath: other)
    }
  }

  @Test("A search folder may be reached through links, and its target is checked")
  func linkedFolder() throws {
    let world = try PluginWorld()
    try world.add()
    let link = try world.folder("other") + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "../plugins/../plugins/.")

    let registry = world.search([link, world.folder])

    #expect(registry.plugins.map(\.path) == [world.folder + "/bad"])
    #expect(registry.refusals == [])
    try world.setMode(0o775, world.folder)
    #expect(world.search([link]).plugins.isEmpty)
  }

  @Test("A plug-in of another user is refused")
  func owners() throws {
    let world = try PluginWorld()
    let plugin = try world.add()
    if geteuid() == 0 {
      #expect(chown(plugin + "/lib.so", 12345, 0) == 0)
      #expect(world.search(user: 12345).plugins.count == 1)
      #expect(world.search().refusals.first?.message.contains("belongs to user 12345") == true)
    } else {
      let registry = world.search(user: geteuid() + 1)
      #expect(registry.refusals.first?.message.contains("belongs to user \(geteuid())") == true)
    }
  }

  @Test("A plug-in inside a document is refused at any depth", arguments: [0, 1, 2])
  func documents(_ depth: Int) throws {
    let world = try PluginWorld()
    let document = try world.folder("trip")
    var folder = document
    for level in 0..<depth {
      folder = try world.folder("trip" + String(repeating: "/a", count: level + 1))
    }
    try world.add(in: folder)
    try #require(world.search([folder]).plugins.count == 1)
    try world.write(
      Array(#"{"formatVersion": 1, "format": "quire-document"}"#.utf8), document + "/manifest.json")

    let registry = world.search([folder])

    #expect(registry.plugins.isEmpty)
    #expect(registry.refusals.map(\.reason) == [.refusedByPolicy])
    #expect(registry.refusals.first?.message.contains("'\(document)'") == true)
  }

  @Test("A plug-in that is a document, or has a document's name, is refused")
  func documentItself() throws {
    try expectRefused("a document must not contain code") { world, plugin in
      try world.write(Array(#"{"format": "quire-document"}"#.utf8), plugin + "/manifest.json")
    }
    let world = try PluginWorld()
    let plugin = try world.add("x.Quire")
    try world.write([0], plugin + "/manifest.json")
    #expect(world.search().plugins.isEmpty)
  }

  @Test("A manifest.json of another format is ignored")
  func otherManifest() throws {
    let world = try PluginWorld()
    let plugin = try world.add()
    try world.write(Array(#"{"format": "web-app"}"#.utf8), plugin + "/manifest.json")

    #expect(world.search().plugins.count == 1)
  }

  @Test("Loading checks the plug-in again, in case it changed after the search")
  func late() throws {
    let world = try PluginWorld()
    let plugin = try world.add()
    let found = try #require(world.search().plugins.first)
    try world.setMode(0o666, plugin + "/lib.so")

    let refusal = try #require(throws: PluginRefusal.self) { try PluginLoader.load(found) }

    #expect(refusal.reason == .refusedByPolicy)
    #expect(found.state == .refused(refusal))
  }
}
