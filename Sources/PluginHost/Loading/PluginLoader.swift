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
  /// Loads the plug-in's library into the process, once, and checks its table against the manifest.
  ///
  /// - Throws: `StoreError` with code `StoreError.Code.badPlugin`, its cause a ``PluginRefusal``.
  public func load() throws(StoreError) -> LoadedPlugin {
    do { return try PluginLoader.load(self) } catch { throw error.error() }
  }
}

/// Loads libraries, each once in the process.
enum PluginLoader {
  /// The only shared state of this module: a process loads each library once.
  private static let shared = Mutex(State())

  private struct State {
    /// The outcome of the last attempt to load each library, by its path.
    var outcomes: [String: Result<LoadedPlugin, PluginRefusal>] = [:]
    /// The identities of the files that are part of the process, by their paths, whether or not they can be used. The
    /// system's loader also identifies libraries by these paths. It returns the same library again, even if another
    /// file is at the path by then.
    var files: [String: FileIdentity] = [:]
  }

  static func load(_ plugin: FoundPlugin) throws(PluginRefusal) -> LoadedPlugin {
    let result = shared.withLock { state in
      if case .success(let loaded)? = state.outcomes[plugin.libraryPath],
        loaded.manifest == plugin.manifest
      {
        return Result<LoadedPlugin, PluginRefusal>.success(loaded)
      }
      let result = Result { () throws(PluginRefusal) in
        try LoadingWatch.watching(plugin) { () throws(PluginRefusal) in
          try loadAnew(plugin, &state.files)
        }
      }
      if case .success = result { endingAtExit }
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
    // The files may have changed since the search.
    let files = PluginFiles(plugin)
    try files.check(plugin.path, .directory)
    let before = try files.check(plugin.libraryPath, .file)
    guard loadedFiles[plugin.libraryPath] ?? before.identity == before.identity else {
      throw PluginRefusal(
        .notLoadable, plugin,
        "can't be loaded: this process has already loaded another file of that path. Restart the program."
      )
    }
    // SAFETY: The symbol of this name is a function of this type (spec §9.5.2). A symbol of another type can't be
    // detected.
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
    let loaded = unsafe try PluginTable(plugin, table).checked()
    if let reason = loaded.life.start() {
      throw PluginRefusal(.failedInUse, plugin, "can't be started: \(reason)")
    }
    return loaded
  }

  /// Ends all plug-ins when the process ends on its own.
  private static let endingAtExit: Void = {
    _ = atexit {
      // A thread that is loading a library now holds the lock, and keeps it if the process ends.
      let loaded = PluginLoader.shared.withLockIfAvailable { state in
        state.outcomes.values.compactMap { try? $0.get() }
      }
      for plugin in loaded ?? [] { plugin.life.end() }
    }
  }()

  private static func open(_ plugin: FoundPlugin) throws(PluginRefusal) -> UnsafeMutableRawPointer {
    // SAFETY: Swift lends the path for the call. The loader's message is read before another thread can call the
    // loader: the caller holds the lock.
    guard let library = unsafe dlopen(plugin.libraryPath, RTLD_NOW | RTLD_LOCAL) else {
      let words = unsafe dlerror().map { unsafe String(cString: $0) } ?? "the system gave no reason"
      // The library itself was found, so a missing file is a library that it needs.
      let remedy =
        words.contains("cannot open shared object file")
        ? " Install the package of your system that contains the missing library." : ""
      throw PluginRefusal(.notLoadable, plugin, "can't be loaded: \(words).\(remedy)")
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
  /// Creates the refusal of a plug-in with an unusable library. `fault` completes "Its library …".
  init(_ reason: Reason, _ plugin: FoundPlugin, _ fault: String) {
    self.init(
      reason, plugin: plugin.manifest.name, path: plugin.libraryPath,
      types: plugin.manifest.types.map(\.type),
      "The plug-in '\(plugin.manifest.name)' can't be used: its library, \(plugin.libraryPath), \(fault)"
    )
  }
}
