public import Foundation

/// Files that Core Data and Apple's tools wrote: in `shared/fixtures`, in a folder beside the package or above,
/// because their licences forbid keeping them in it. Where there are none, tests that read them are skipped.
public enum AppleFixtures {
  /// The folder, if this machine has it.
  public static let folder: URL? = {
    var folder = URL(filePath: #filePath)
    while folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
      let fixtures = folder.appending(path: "shared/fixtures")
      if FileManager.default.fileExists(atPath: fixtures.path) { return fixtures }
    }
    return nil
  }()

  /// Whether this machine has the folder.
  public static var areHere: Bool { folder != nil }

  /// What a skipped test says.
  public static let absence = "The fixtures are not beside the package."

  /// The files and folders whose names end in the given way, of one kind or of all, in order.
  public static func paths(_ ending: String, in kind: String? = nil) -> [String] {
    guard let base = kind.map({ folder?.appending(path: $0) }) ?? folder else { return [] }
    let names = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().map { base.appending(path: $0).path }
  }

  /// Databases of Core Data's SQLite store.
  public static let databases = paths(".sqlite", in: "sqlitestore")

  /// The project that a file was taken from: the folder below that of its kind.
  public static func project(of path: String) -> String? {
    guard let folder, path.hasPrefix(folder.path) else { return nil }
    let parts = path.dropFirst(folder.path.count).split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : nil
  }
}
