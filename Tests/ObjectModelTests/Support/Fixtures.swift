import Foundation

/// Files that Apple's tools wrote, kept beside the package where licences forbid keeping them in it.
enum Fixtures {
  /// The folder, if this machine has it.
  static let folder: URL? = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let fixtures = folder.deletingLastPathComponent().appending(path: "shared/fixtures")
    return FileManager.default.fileExists(atPath: fixtures.path) ? fixtures : nil
  }()

  /// Whether this machine has the folder.
  static var areHere: Bool { folder != nil }

  /// The files and folders whose names end in the given way, in order.
  static func paths(withExtension pathExtension: String) -> [String] {
    guard let folder, let names = FileManager.default.enumerator(atPath: folder.path) else {
      return []
    }
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix("." + pathExtension) }
      .sorted().map { folder.appending(path: $0).path }
  }

  /// The project that a file was taken from: the folder below that of its kind.
  static func project(of path: String) -> String? {
    guard let folder, path.hasPrefix(folder.path) else { return nil }
    let parts = path.dropFirst(folder.path.count).split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : nil
  }
}
