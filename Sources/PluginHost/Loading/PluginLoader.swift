import CStorePlugin
import DurableFiles
public import StoreInterface
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

extension FoundPlugin {
  /// Makes the plug-in's library part of the process, once, and holds its table against the manifest.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badPlugin``, its cause a ``PluginRefusal``.
  public func load() throws(StoreError) -> LoadedPlugin {
    do { return try PluginLoader.load(self) } catch { throw error.error() }
  }
}

/// Loads libraries, each once in the process.
enum PluginLoader {
  /// The one thing in this module that all share, because a process has each library once.
  private static let shared = Mutex(State())

  private struct State {
    /// What could be used and what could not when somebody last tried, by the library's path.
    var outcomes: [String: Result<LoadedPlugin, PluginRefusal>] = [:]
    /// Which files are part of the process, by their paths, whether or not they can be used. The system's loader
    /// knows them by these paths, and gives the same again whatever lies there by then.
    var files: [String: FileIdentity] = [:]
  }

  static func load(_ plugin: FoundPlugin) throws(PluginRefusal) -> LoadedPlugin {
    let result = shared.withLock { state in
      if case .success(let loaded)? = state.outcomes[plugin.libraryPath],
        loaded.manifest == plugin.manifest
      {
        return Result<LoadedPlugin, PluginRefusal>.success(loaded)
      }
      let result = Result { () throws(PluginRefusal) in try loadAnew(plugin, &state.files) }
      state.outcomes[plugin.libraryPath] = result
      return result
    }
    return try result.get()
  }

  static func state(of plugin: FoundPlugin) -> FoundPlugin.State {
    switch shared.withLock({ $0.outcomes[plugin.libraryPath] }) {
    case nil: .available
    case .success(let loaded)?: loaded.manifest == plugin.manifest ? .loaded : .available
    case .failure(let refusal)?: .refused(refusal)
    }
  }

  private static func loadAnew(
    _ plugin: FoundPlugin, _ loadedFiles: inout [String: FileIdentity]
  ) throws(PluginRefusal) -> LoadedPlugin {
    // Much may have happened since the search.
    let files = PluginFiles(plugin)
    try files.check(plugin.path, .directory)
    let before = try files.check(plugin.libraryPath, .file)
    guard loadedFiles[plugin.libraryPath] ?? before.identity == before.identity else {
      throw PluginRefusal(
        .notLoadable, plugin,
        "can't be loaded: another file that had its name is part of the process, and stays until that ends."
      )
    }
    // SAFETY: The symbol of this name is a function of this kind (spec §9.5.2); one that is not is beyond what
    // can be checked.
    let library = unsafe try open(plugin)
    loadedFiles[plugin.libraryPath] = before.identity
    let entry = unsafe try entryPoint(library, plugin)
    let after = try files.check(plugin.libraryPath, .file)
    guard before.identity == after.identity else {
      throw PluginRefusal(
        .refusedByPolicy, plugin, "was replaced by another file while it was loaded.")
    }
    guard let table = unsafe entry(UInt32(QUIRE_PLUGIN_ABI)) else {
      throw PluginRefusal(.badTable, plugin, "returned no table.")
    }
    return unsafe try PluginTable(plugin, table).checked()
  }

  private static func open(_ plugin: FoundPlugin) throws(PluginRefusal) -> UnsafeMutableRawPointer {
    // SAFETY: Swift lends the path for the call. The loader's words are read before anybody else asks it for
    // anything: whoever loads holds the lock.
    guard let library = unsafe dlopen(plugin.libraryPath, RTLD_NOW | RTLD_LOCAL) else {
      let words = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason was given"
      throw PluginRefusal(.notLoadable, plugin, "can't be loaded: \(words).")
    }
    return unsafe library
  }

  @unsafe private static func entryPoint(
    _ library: UnsafeMutableRawPointer, _ plugin: FoundPlugin
  ) throws(PluginRefusal) -> @convention(c) (UInt32) -> UnsafePointer<QuirePlugin>? {
    guard let symbol = unsafe dlsym(library, QUIRE_STORE_PLUGIN_SYMBOL) else {
      throw PluginRefusal(
        .missingSymbol, plugin, "does not export the symbol '\(QUIRE_STORE_PLUGIN_SYMBOL)'.")
    }
    return unsafe unsafeBitCast(
      symbol, to: (@convention(c) (UInt32) -> UnsafePointer<QuirePlugin>?).self)
  }
}

extension PluginRefusal {
  /// The library of a plug-in can't be used. `fault` completes "Its library …".
  init(_ reason: Reason, _ plugin: FoundPlugin, _ fault: String) {
    self.init(
      reason, plugin: plugin.manifest.name, path: plugin.libraryPath,
      types: plugin.manifest.types.map(\.type),
      "The plug-in '\(plugin.manifest.name)' can't be used: its library, \(plugin.libraryPath), \(fault)"
    )
  }
}
