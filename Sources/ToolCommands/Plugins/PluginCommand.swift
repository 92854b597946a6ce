import CommandInterface
import Foundation
import JSONText
import PluginHost
import PluginKit
import StoreInterface

/// The command `quire plugin`.
enum PluginCommand {
  static let action = Argument(
    "ACTION", "The action",
    oneOf: [
      Choice("list", "shows all plug-ins", kind: .text),
      Choice("info", "shows one", kind: .plugin),
      Choice("test", "tests one", options: PluginTest.options, kind: .folder),
      Choice(
        "bench", "measures one beside the built-in store", options: PluginBench.options,
        kind: .folder),
      Choice(
        "new", "creates one",
        options: [
          PluginScaffold.language, PluginScaffold.incremental, PluginScaffold.quire,
          PluginScaffold.output, PluginPackage.force,
        ],
        kind: .text),
      Choice(
        "pack", "packs a built one into a file", options: PluginPackage.options, kind: .folder),
      Choice("install", "installs a packed one", options: PluginInstallation.options, kind: .path),
    ])
  static let plugin = Argument(
    "PLUGIN",
    "The name of a plug-in or the path of its folder. 'new' needs a name, and 'install' a packed file.",
    isRequired: false)

  /// Returns the command for the plug-ins that the finder finds.
  static func command(_ finder: PluginFinder) -> Command {
    Command(
      "plugin", "lists, tests, measures, creates and installs plug-ins",
      discussion: """
        A plug-in is a folder with a manifest, plugin.json, and a library that implements types of stores. \
        'list' and 'info' read only the manifest and run no code of the library.

        Quire searches the folders in QUIRE_PLUGIN_PATH (absolute paths separated by colons), then the \
        user's folder ($XDG_DATA_HOME/quire/plugins or ~/.local/share/quire/plugins), then the system's \
        folders (/usr/local/lib/quire/plugins and /usr/lib/quire/plugins), and then the folders beside the \
        tool. If two plug-ins have the same name or the same type of store, Quire uses the first. It uses \
        only plug-ins that belong to the system or to you and that no other user can write to. \
        QUIRE_PLUGINS=off and --no-plugins disable all plug-ins.

        'test' loads the plug-in of any folder, and runs the conformance tests on stores of each of its \
        types, in a temporary folder. Each test runs in a process of its own. A process that crashes or does not \
        end in time fails its test, and the report names the function of the plug-in that was called last. \
        Two tests start another process on the same store: one process that saves at the same time, and one that is killed while it saves. \
        'new' writes a package with a small store that passes these tests, as \
        a start.

        'bench' makes a store of the plug-in and a built-in store in a temporary folder (TMPDIR names another \
        disk), with the same people. It runs six workloads on both stores, in rounds: a save of all \
        people, saves of one person each, a scan of all values, look-ups by key, queries, and opening. It prints the median \
        time of each store and their ratio; below 1, the plug-in is faster. The scan, the look-ups and \
        the queries begin with a store that was just opened. The results of both stores must be the same. A workload is not \
        measured if it needs a capability that the store does not declare: queries need 'querying', \
        and saves and opening need 'durable'. A crash of the plug-in ends 'bench', so test the plug-in first.

        'pack' loads the library and compares it with the manifest. It writes the manifest, the library and texts such as README and LICENSE of a built plug-in into one \
        file, and prints its SHA-256. --sign adds a signature by OpenSSH's ssh-keygen. 'install' checks the file and a \
        signature beside it, shows the plug-in, asks, and copies it into your folder of plug-ins. It runs no \
        code of the plug-in. --sha256 and --signers refuse any other file.

        The exit code is 5 if Quire can't use the plug-in of 'info', 'test' or 'bench', or if the plug-in \
        fails in 'bench'. It is 1 if a test fails, or if 'bench' reads other results from the plug-in's store than \
        from the built-in one.
        """,
      arguments: [action, plugin],
      options: [
        PluginTest.type, PluginTest.onlyCase, PluginTest.seed, PluginTest.limit, PluginTest.trace,
        PluginTest.inProcess, PluginBench.count, PluginBench.rounds, PluginScaffold.language,
        PluginScaffold.incremental, PluginScaffold.quire, PluginScaffold.output,
        PluginPackage.sign, PluginInstallation.digest, PluginInstallation.signers,
        PluginInstallation.yes, PluginPackage.force, .format,
      ],
      examples: [
        Example("quire plugin list", "Lists the plug-ins, the refused plug-ins, and the folders."),
        Example(
          "quire plugin info ledger", "Shows the digest, the types and the folder of a plug-in."),
        Example("quire plugin test ./ledger", "Runs all conformance tests."),
        Example(
          "quire plugin test ./ledger --case every-value-stays", "Runs one test."),
        Example(
          "quire plugin bench ./ledger --count 5000", "Measures the plug-in with 5,000 people."),
        Example("quire plugin new Ledger --language rust", "Creates the folder Ledger."),
        Example(
          "quire plugin new Ledger --language c --incremental",
          "Creates a store that appends its changes at each save."),
        Example("quire plugin pack ./ledger --output ledger.zip", "Packs a plug-in into a file."),
        Example("quire plugin install ledger.zip", "Shows the plug-in, asks, and installs it."),
      ]
    ) { invocation in
      let word = invocation[action]
      switch word {
      case "list":
        if let word = invocation.value(of: plugin) {
          throw CommandError.wrongUsage("Unexpected argument '\(word)'.")
        }
        try list(finder.registry, invocation)
      case "info": try show(find(needed(invocation), finder), invocation)
      case "test":
        let found = try pluginToRun(needed(invocation), finder)
        try warn(about: found.manifest, invocation)
        return try PluginTest(found, finder, invocation).run()
      case "bench":
        let found = try pluginToRun(needed(invocation), finder)
        return try PluginBench(
          plugin: found, services: finder.services(for: found), invocation: invocation
        ).run()
      case "pack":
        let found = try pluginToRun(needed(invocation), finder)
        try warn(about: found.manifest, invocation)
        try PluginPackage(plugin: found, invocation: invocation).write()
      case "install":
        return try PluginInstallation(
          package: needed(invocation), finder: finder, invocation: invocation
        ).run()
      case "new": try PluginScaffold(name: needed(invocation), invocation).write()
      default: preconditionFailure("'quire plugin' does not accept '\(word)'.")
      }
      return .done
    }
  }

  /// Prints the warnings of a manifest, such as those about unknown members.
  static func warn(about manifest: PluginManifest, _ invocation: Invocation) throws {
    for warning in manifest.warnings {
      try invocation.console.messages.writeLine("\(CaseProcess.warningMark)\(oneLine(warning))")
    }
  }

  private static func needed(_ invocation: Invocation) throws(CommandError) -> String {
    if let word = invocation.value(of: plugin) { return word }
    throw .wrongUsage("Missing argument PLUGIN: \(plugin.help)")
  }

  // MARK: - Listing plug-ins

  private static func list(_ registry: PluginRegistry, _ invocation: Invocation) throws {
    let output = invocation.console.output
    guard invocation.format == .text else {
      let object = JSON.object([
        "off": registry.offReason.map(JSON.string),
        "plugins": .array(registry.plugins.map { json($0) }),
        "refused": .array(registry.refusals.map(json)),
        "folders": .array(
          registry.folders.map {
            .object([
              "path": .string($0.folder.path), "source": .string($0.folder.kind.rawValue),
              "outcome": .string($0.outcome.rawValue),
            ])
          }),
      ])
      return try output.writeLine(object)
    }
    if let reason = registry.offReason {
      return try output.writeLine("Plug-ins are disabled: \(oneLine(reason)).")
    }
    var plugins = Table()
    for one in registry.plugins {
      let types = one.types.map(\.name).joined(separator: ", ")
      plugins.add(one.manifest.name, one.manifest.version, types, state(one), one.path)
    }
    try output.writeLine(output.styled("plug-ins", .heading))
    try output.write(registry.plugins.isEmpty ? "  none\n" : plugins.text(indent: 2))
    if !registry.refusals.isEmpty {
      try output.writeLine("\n" + output.styled("not used", .heading))
      for refusal in registry.refusals {
        try output.writeLine("  \(refusal.reason.rawValue): \(oneLine(refusal.message))")
      }
    }
    try output.writeLine("\n" + output.styled("folders", .heading))
    var folders = Table()
    for one in registry.folders {
      folders.add(one.folder.kind.rawValue, one.outcome.rawValue, one.folder.path)
    }
    try output.write(folders.text(indent: 2))
  }

  private static func state(_ plugin: FoundPlugin) -> String {
    switch plugin.state {
    case .available: "available"
    case .loaded: "loaded"
    case .refused(let refusal): "refused (\(refusal.reason.rawValue))"
    }
  }

  private static func json(_ refusal: PluginRefusal) -> JSON {
    .object([
      "name": refusal.plugin.map(JSON.string), "path": .string(refusal.path),
      "reason": .string(refusal.reason.rawValue), "message": .string(refusal.message),
      "types": refusal.types.isEmpty ? nil : .strings(refusal.types.map(\.rawValue)),
    ])
  }

  private static func json(_ plugin: FoundPlugin, digest: String? = nil) -> JSON {
    let manifest = plugin.manifest
    return .object([
      "name": .string(manifest.name), "version": .string(manifest.version),
      "abi": .number(Int(manifest.abi)), "state": .string(state(plugin)),
      "description": manifest.description.map(JSON.string),
      "author": manifest.author.map(JSON.string), "path": .string(plugin.path),
      "library": .string(plugin.libraryPath), "sha256": digest.map(JSON.string),
      "source": .string(plugin.folder.kind.rawValue),
      "types": .array(
        plugin.types.map {
          .object([
            "name": .string($0.name), "capabilities": .strings($0.capabilities.names),
            "extensions": $0.extensions.isEmpty ? nil : .strings($0.extensions),
            "marker": $0.marker.map(JSON.string),
            "schemes": $0.schemes.isEmpty ? nil : .strings($0.schemes),
          ])
        }),
      "warnings": manifest.warnings.isEmpty ? nil : .strings(manifest.warnings),
    ])
  }

  // MARK: - Showing one plug-in

  /// Returns the plug-in with a name, or the plug-in in a folder.
  private static func find(_ word: String, _ finder: PluginFinder) throws -> FoundPlugin {
    let registry = finder.registry
    if let found = registry[word] { return found }
    if word.contains("/"), finder.folders.offReason == nil { return try found(at: word, finder) }
    let refused = registry.refusals.filter { $0.plugin == word }
    guard refused.isEmpty else {
      throw CommandError(.plugin, refused.map(\.message).joined(separator: "\n"))
    }
    if let reason = registry.offReason {
      throw CommandError(.plugin, "Plug-ins are disabled: \(oneLine(reason)).")
    }
    let places = registry.folders.map(\.folder.path).joined(separator: ", ")
    throw CommandError(
      .plugin, "The plug-in '\(oneLine(word))' was not found. Searched: \(places).",
      hint: suggestion(for: word, among: registry.plugins.map(\.manifest.name))
        ?? "Run 'quire plugin list' to see the installed plug-ins.")
  }

  /// Returns the plug-in that a command tests or measures: the plug-in in a folder, or an installed one by its name.
  private static func pluginToRun(_ word: String, _ finder: PluginFinder) throws -> FoundPlugin {
    let isName = !word.contains("/") && !FileManager.default.fileExists(atPath: word)
    if isName, finder.folders.offReason == nil { return try find(word, finder) }
    return try found(at: word, finder, replacingBuiltIn: true)
  }

  /// Returns the plug-in in a folder, by the path of the folder or of its manifest.
  static func found(
    at path: String, _ finder: PluginFinder, replacingBuiltIn: Bool = false
  ) throws -> FoundPlugin {
    if let reason = finder.folders.offReason {
      throw CommandError(.plugin, "Plug-ins are disabled: \(oneLine(reason)).")
    }
    return try FoundPlugin.inFolder(path, replacingBuiltIn: replacingBuiltIn)
  }

  private static func show(_ plugin: FoundPlugin, _ invocation: Invocation) throws {
    let output = invocation.console.output
    let digest = try plugin.digest()
    guard invocation.format == .text else {
      return try output.writeLine(json(plugin, digest: digest))
    }
    let manifest = plugin.manifest
    var table = Table()
    table.add("name", manifest.name)
    table.add("version", manifest.version)
    if let text = manifest.description { table.add("description", text) }
    if let text = manifest.author { table.add("author", text) }
    table.add("interface", "version \(manifest.abi)")
    table.add("state", state(plugin))
    table.add("library", plugin.libraryPath)
    table.add("SHA-256", digest)
    table.add("found in", "\(plugin.folder.path) (\(plugin.folder.kind.rawValue))")
    for type in plugin.types {
      table.add("stores", type.name)
      for ability in StoreAbility.declared {
        let has = ability.isDeclared(in: type.capabilities) == true
        table.add("  " + ability.rawValue, (has ? "yes  " : "no   ") + ability.sentence(has: has))
      }
    }
    for warning in manifest.warnings { table.add("warning", warning) }
    try output.write(table.text())
  }
}
