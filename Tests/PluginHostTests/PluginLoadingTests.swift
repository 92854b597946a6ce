import CStorePlugin
import DurableFiles
import Foundation
import StoreInterface
import Testing

@testable import PluginHost

@Suite("Loading plug-ins", .enabled(if: Compiler.path != nil, "There is no C compiler."))
struct PluginLoadingTests {
  /// Returns a plug-in whose library is built from a source in `BadPlugins`.
  private func found(
    _ name: String, _ world: PluginWorld, capabilities: String = #"["durable"]"#
  ) throws -> FoundPlugin {
    let manifest = PluginWorld.manifest(
      types: #"[{"name": "Bad", "capabilities": \#(capabilities)}]"#)
    try world.add(manifest: manifest, library: Compiler.library(name))
    return try #require(world.search().plugins.first)
  }

  @Test("A sound plug-in is loaded once")
  func sound() throws {
    let world = try PluginWorld()
    let plugin = try found("sound", world)

    let loaded = try plugin.load()

    #expect(loaded === (try plugin.load()))
    #expect(plugin.state == .loaded)
    #expect(loaded.manifest == plugin.manifest)
    #expect(loaded.path == plugin.libraryPath)
    #expect(loaded.flags(of: StoreType(rawValue: "Bad")) == UInt32(QUIRE_THREADED))
    #expect(String(cString: loaded.table.pointee.name) == "bad")
    #expect(loaded.table.pointee.query == nil)
  }

  @Test("The host ignores functions of a table that is newer than the program")
  func later() throws {
    let world = try PluginWorld()

    let loaded = try found("later-table", world).load()

    #expect(loaded.table.pointee.read_value == nil)
  }

  /// Each source with the capability in its manifest, the reason of the refusal, and words of the message.
  static let bad: [(String, String, PluginRefusal.Reason, [String])] = [
    ("missing-symbol", "durable", .missingSymbol, ["'quire_store_plugin'"]),
    ("unresolved", "durable", .notLoadable, ["nobody_has_this"]),
    ("null-table", "durable", .badTable, ["no table"]),
    ("wild-table", "durable", .badTable, ["can't be read"]),
    ("later-version", "durable", .wrongVersion, ["version 7", "version 1"]),
    ("small-table", "durable", .badTable, ["296 bytes, less than the 304 bytes"]),
    ("small-type", "durable", .badTable, ["number 0", "24 bytes, which is not from 32 to"]),
    ("large-table", "durable", .badTable, ["2147483647", "1048576"]),
    ("lying-table", "durable", .badTable, ["not all of these bytes can be read"]),
    ("wild-name", "durable", .badTable, ["no readable name"]),
    ("other-name", "durable", .badTable, ["'good'", "'bad'"]),
    ("other-version", "durable", .badTable, ["'1.1'", "'1.0'"]),
    ("many-types", "durable", .badTable, ["4294967295 types"]),
    ("other-type", "durable", .badTable, ["lacks the type 'Bad'"]),
    (
      "other-capabilities", "durable", .badTable,
      ["capabilities durable, shared,", "it the capabilities durable."]
    ),
    ("no-commit", "durable", .badTable, ["lacks commit,"]),
    ("no-rows", "durable", .badTable, ["lacks rows or blocks"]),
    ("no-history", "durable\", \"history", .badTable, ["lacks commits", "'history'"]),
    ("half-log", "durable", .badTable, ["lacks logged_transactions", "log of changes"]),
    ("no-query", "durable\", \"querying", .badTable, ["lacks query", "'querying'"]),
    ("failing-start", "durable", .failedInUse, ["can't be started: The engine is cold."]),
    ("no-advance", "durable\", \"confirmation", .badTable, ["lacks advance"]),
  ]

  @Test(
    "A plug-in that breaks the interface is refused with its file and the reason", arguments: bad)
  func refused(
    _ name: String, _ capabilities: String, _ reason: PluginRefusal.Reason, _ words: [String]
  ) throws {
    let world = try PluginWorld()
    let plugin = try found(name, world, capabilities: "[\"\(capabilities)\"]")

    let error = try #require(throws: StoreError.self) { try plugin.load() }

    let refusal = try #require(error.cause as? PluginRefusal)
    #expect(error.code == .badPlugin)
    #expect(refusal.reason == reason)
    #expect(refusal.plugin == "bad")
    for word in words + [plugin.libraryPath] { #expect(error.message.contains(word)) }
    #expect(plugin.state == .refused(refusal))
    #expect(world.search().refusal(ofType: StoreType(rawValue: "Other")).reason == .notFound)
  }

  @Test("Every bad plug-in has a test")
  func all() throws {
    let sources = try FileManager.default.contentsOfDirectory(
      atPath: Compiler.sources.path(percentEncoded: false))
    let sound = [
      "sound", "later-table", "crash", "ends", "crash-loading", "crash-in-entry", "hangs-loading",
    ]

    #expect(
      Set(sources.filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) })
        == Set(Self.bad.map(\.0) + sound))
  }

  @Test("A file that is not a library is refused with the loader's message")
  func noLibrary() throws {
    let world = try PluginWorld()
    try world.add(
      library: [UInt8](Data(contentsOf: Compiler.sources.appending(path: "not-a-library.txt"))))
    let plugin = try #require(world.search().plugins.first)

    let error = try #require(throws: StoreError.self) { try plugin.load() }

    #expect((error.cause as? PluginRefusal)?.reason == .notLoadable)
    #expect(error.message.contains("can't be loaded: "))
    #expect(error.message.contains("ELF") || error.message.contains("mach-o"))
  }

  #if os(Linux)
    @Test("If a library of the system is missing, the refusal names it and says what to install")
    func missingLibrary() throws {
      let world = try PluginWorld()
      var library = Data(try Compiler.library("crash"))
      let name = try #require(library.range(of: Data("libc.so.6".utf8)))
      library.replaceSubrange(name, with: Data("libq.so.6".utf8))
      try world.add(library: [UInt8](library))
      let plugin = try #require(world.search().plugins.first)

      let error = try #require(throws: StoreError.self) { try plugin.load() }

      #expect(error.message.contains("libq.so.6"))
      #expect(
        error.message.hasSuffix(
          "Install the package of your system that contains the missing library."))
    }
  #endif

  @Test("A library that could not be loaded is tried again on the next request")
  func mended() throws {
    let world = try PluginWorld()
    let plugin = try found("unresolved", world)
    #expect(throws: StoreError.self) { try plugin.load() }
    try FileManager.default.removeItem(atPath: plugin.libraryPath)
    try world.write(Compiler.library("sound"), plugin.libraryPath)

    #expect(throws: Never.self) { try plugin.load() }
    #expect(plugin.state == .loaded)
  }

  @Test("A loaded library stays the same after another file replaces its file")
  func replaced() throws {
    let world = try PluginWorld()
    let plugin = try found("missing-symbol", world)
    #expect(throws: StoreError.self) { try plugin.load() }
    let other = world.folder + "/other.so"
    try world.write(Compiler.library("sound"), other)
    try #require(rename(other, plugin.libraryPath) == 0)

    let error = try #require(throws: StoreError.self) { try plugin.load() }

    #expect(error.message.contains("has already loaded another file"))
  }

  @Test("A plug-in reports an unsupported operation with a code and a message")
  func refusing() throws {
    let world = try PluginWorld()
    let loaded = try found("sound", world).load()
    let type = loaded.description(of: StoreType(rawValue: "Bad"))
    var error = QuireError()

    let code = loaded.table.pointee.open(nil, type, "/none", nil, nil, &error)

    #expect(String(cString: type.pointee.name) == "Bad")
    #expect(code == Int32(QUIRE_NOT_SUPPORTED))
    #expect(String(cString: error.message) == "This plug-in is for tests and keeps nothing.")
  }

  @Test("A plug-in that crashes ends only its own process")
  func crash() async throws {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      let world = try PluginWorld()
      try world.add(library: Compiler.library("crash"))
      let plugin = try #require(world.search().plugins.first)
      let table = try plugin.load().table
      _ = table.pointee.open(nil, nil, "/none", nil, nil, nil)
    }
  }

  /// Loads a plug-in in a process that ends with the exit code 5 if that fails. Returns the messages of the process.
  private func messages(
    whileLoading name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let result = await #expect(
      processExitsWith: .exitCode(5), observing: [\.standardErrorContent],
      sourceLocation: sourceLocation
    ) { [name = name as String] in
      LoadingWatch.endProcess(exitCode: 5, limit: 2)
      let world = try PluginWorld()
      try world.add(library: Compiler.library(name))
      _ = try #require(world.search().plugins.first).load()
    }
    return String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  }

  @Test("A plug-in that crashes or hangs while it is loaded is named before the process ends")
  func endWhileLoading() async throws {
    for (name, words) in [
      ("crash-loading", "crashed while it was loaded, by signal 06."),
      ("crash-in-entry", "crashed while it was loaded, by signal 11."),
      ("hangs-loading", "was not loaded within 2 seconds."),
    ] {
      let messages = try await messages(whileLoading: name)
      #expect(
        messages.contains("error: The plug-in 'bad' can't be used: its library, /"), "\(name)")
      #expect(messages.contains(words), "\(messages)")
      #expect(messages.contains("hint: 'quire plugin remove bad'"), "\(messages)")
    }
  }

  @Test("After a plug-in was loaded, a crash ends the process by its signal as before")
  func crashAfterLoading() async throws {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      LoadingWatch.endProcess(exitCode: 5, limit: 60)
      let world = try PluginWorld()
      try world.add(library: Compiler.library("crash"))
      _ = try #require(world.search().plugins.first).load()
      abort()
    }
  }

  @Test("The host starts a plug-in once, and ends it when the process ends by itself")
  func startAndEnd() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      let world = try PluginWorld()
      try world.add(library: Compiler.library("ends"))
      let plugin = try #require(world.search().plugins.first)
      _ = try plugin.load()
      _ = try plugin.load()
      exit(0)
    }
  }

  @Test("The host does not end a plug-in while one of its stores is open")
  func openAtEnd() async throws {
    await #expect(processExitsWith: .exitCode(0)) {
      let world = try PluginWorld()
      try world.add(library: Compiler.library("ends"))
      let plugin = try #require(world.search().plugins.first)
      try plugin.load().life.addStore()
      exit(0)
    }
    await #expect(processExitsWith: .exitCode(7)) {
      let world = try PluginWorld()
      try world.add(library: Compiler.library("ends"))
      let life = try #require(world.search().plugins.first).load().life
      life.addStore()
      life.removeStore()
      exit(0)
    }
  }
}
