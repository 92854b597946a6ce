import DurableFiles
import Foundation
import ProgramRuns
import Testing

@testable import PluginHost

/// A folder of plug-ins for one test, removed when the test ends.
final class PluginWorld {
  /// The folder that is searched.
  let folder: String
  private let top: URL

  init() throws {
    top = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "plugins-\(UUID().uuidString)")
    folder = top.appending(path: "plugins").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for path in [top.path(percentEncoded: false), folder] { try setMode(0o755, path) }
  }

  deinit { try? FileManager.default.removeItem(at: top) }

  /// Creates a folder beside the searched folder, and returns its path.
  func folder(_ name: String) throws -> String {
    let path = top.appending(path: name).path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try setMode(0o755, path)
    return path
  }

  /// Returns the text of a manifest.
  static func manifest(
    _ name: String = "bad", version: String = "1.0", abi: Int = 1, library: String = "lib.so",
    types: String = #"[{"name": "Bad", "capabilities": ["durable"]}]"#
  ) -> String {
    #"{"name": "\#(name)", "version": "\#(version)", "abi": \#(abi), "library": "\#(library)", "types": \#(types)}"#
  }

  /// Adds a plug-in and returns its folder.
  @discardableResult
  func add(
    _ name: String = "bad", manifest: String = manifest(), library: [UInt8]? = [0x2A],
    in folder: String? = nil
  ) throws -> String {
    let path = (folder ?? self.folder) + "/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try setMode(0o755, path)
    try write(Array(manifest.utf8), path + "/plugin.json")
    if let library { try write(library, path + "/lib.so") }
    return path
  }

  func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
    try setMode(0o644, path)
  }

  func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Returns the result of a search.
  func search(
    _ folders: [String]? = nil, replacingBuiltIn: Bool = false, user: UInt32? = nil
  ) -> PluginRegistry {
    PluginRegistry.search(
      PluginFolders(folders ?? [folder]), on: RealDisk(), replacingBuiltIn: replacingBuiltIn,
      trust: user.map { PluginTrust(user: $0) } ?? .standard)
  }
}

/// The C compiler that builds the bad plug-ins.
enum Compiler {
  static let path: String? = ["/usr/bin/cc", "/usr/local/bin/cc", "/usr/bin/clang"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  struct Failure: Error { var words: String }

  static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "BadPlugins")

  /// Returns the library that is built from a source in `BadPlugins`.
  static func library(_ name: String) throws -> [UInt8] {
    let root = sources.appending(path: "../../..").standardized
    let result = FileManager.default.temporaryDirectory
      .appending(path: "\(name)-\(UUID().uuidString).so")
    defer { try? FileManager.default.removeItem(at: result) }
    let run = try ProgramRun(
      path!,
      [
        "-shared", "-fPIC", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
        "-I", root.appending(path: "Sources/CStorePlugin/include").path(percentEncoded: false),
        "-I", root.appending(path: "Sources/CArrow/include").path(percentEncoded: false),
        sources.appending(path: "\(name).c").path(percentEncoded: false),
        "-o", result.path(percentEncoded: false),
      ], reading: .errors)
    guard run.status == 0 else { throw Failure(words: run.text) }
    return [UInt8](try Data(contentsOf: result))
  }
}
