import DurableFiles
public import Foundation
public import PluginHost
import ProgramRuns
public import StoreInterface

/// The plug-ins of this package, built and installed in a folder as a user would install them: the linked stores as
/// libraries, and the examples in C.
public enum InstalledPlugins {
  /// An error that says why the plug-ins can't be installed.
  public struct NotInstalled: Error, CustomStringConvertible {
    /// The missing program or file, or the failure of a program.
    public var description: String
  }

  private static let installed = Result { try install() }

  /// The registry of a search in the folder. The plug-ins that replace a linked backend are part of the registry.
  public static var registry: PluginRegistry { get throws { try installed.get().registry } }

  /// The folder of the installed plug-ins.
  public static var folder: URL { get throws { try installed.get().folder } }

  /// Returns the backend of a type, loaded from its plug-in at the first use.
  public static func backend(_ name: String) throws -> PluginBackend {
    let registry = try registry
    let type = StoreType(rawValue: name)
    guard let plugin = registry.plugin(for: type),
      let described = plugin.types.first(where: { $0.type == type })
    else { throw NotInstalled(description: registry.refusal(ofType: type).message) }
    return PluginBackend(plugin, described)
  }

  /// Returns the linked backends, with the plug-ins' backends of the given types in place of or beside the linked ones.
  public static func backends(
    _ linked: [any StoreBackend], loading types: [String]
  ) throws -> StoreBackends {
    try types.reduce(StoreBackends(linked)) { $0.adding(try backend($1)) }
  }

  /// The path of a C compiler; `nil` if the machine has none.
  public static let compiler: String? = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Whether the machine has the header of LMDB, Debian's liblmdb-dev, beside a compiler.
  public static let hasLMDB =
    compiler != nil
    && ["/usr/include/lmdb.h", "/usr/local/include/lmdb.h"].contains {
      FileManager.default.fileExists(atPath: $0)
    }

  /// A Python that has pyarrow and cffi. `nil` under a sanitizer, because the library would load the sanitizer's runtime too late.
  public static let python: String? =
    ProcessInfo.processInfo.environment["QUIRE_SANITIZER"] == nil ? ProgramRun.python : nil

  public static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func install() throws -> (folder: URL, registry: PluginRegistry) {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "quire-plugins-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
    try makeFolder(folder)
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for name in ["BinaryStore", "XMLStore", "SQLiteStore"] {
      try add(
        name, manifest: root.appending(path: "Plugins/\(name)/plugin.json"),
        library: products.appending(path: "lib\(name)Plugin.so"), in: folder)
    }
    if compiler != nil { try addFolderStore(in: folder) }
    if hasLMDB { try addExample("LMDBStore", in: folder, linking: ["-llmdb", "-lm", "-pthread"]) }
    let registry = PluginRegistry.search(
      PluginFolders([folder.path(percentEncoded: false)]), replacingBuiltIn: true)
    if let refusal = registry.refusals.first { throw NotInstalled(description: refusal.message) }
    return (folder, registry)
  }

  /// Builds the example of a folder against the current headers, or the given ones, and adds it to a folder of plug-ins.
  public static func addFolderStore(in folder: URL, headers: [URL]? = nil) throws {
    try addExample("FolderStore", in: folder, headers: headers, linking: [])
  }

  /// Builds an example in C, and adds it to a folder of plug-ins.
  private static func addExample(
    _ name: String, in folder: URL, headers: [URL]? = nil, linking libraries: [String]
  ) throws {
    let library = folder.appending(path: "lib\(name).so")
    defer { try? FileManager.default.removeItem(at: library) }
    try makeFolder(folder)
    try compile(
      name,
      headers ?? ["CStorePlugin", "CArrow"].map { root.appending(path: "Sources/\($0)/include") },
      libraries, to: library)
    try add(
      name, manifest: root.appending(path: "Examples/\(name)/plugin.json"), library: library,
      in: folder)
  }

  /// The headers of version 1.0 of the interface. The files never change, also when the interface grows.
  public static let oldestHeaders = root.appending(
    path: "Tests/Support/InstalledPlugins/Headers/1.0")

  private static func makeFolder(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  private static func add(_ name: String, manifest: URL, library: URL, in folder: URL) throws {
    let own = folder.appending(path: name)
    try makeFolder(own)
    for (file, target) in [
      (manifest, own.appending(path: "plugin.json")),
      (library, own.appending(path: library.lastPathComponent)),
    ] {
      try FileManager.default.copyItem(at: file, to: target)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: target.path(percentEncoded: false))
    }
  }

  private static func compile(
    _ name: String, _ headers: [URL], _ libraries: [String], to library: URL
  ) throws {
    let example = root.appending(path: "Examples/\(name)")
    let sources = try FileManager.default.contentsOfDirectory(atPath: example.path)
      .filter { $0.hasSuffix(".c") }.map { "\(example.path)/\($0)" }
    let run = try ProgramRun(
      compiler ?? "cc",
      ["-std=c11", "-D_DEFAULT_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
        + ["-fPIC", "-shared", "-fvisibility=hidden"] + headers.map { "-I\($0.path)" }
        + ["-o", library.path] + sources + libraries)
    guard run.status == 0 else {
      throw NotInstalled(description: "The compiler refused Examples/\(name): \(run.text)")
    }
  }
}
