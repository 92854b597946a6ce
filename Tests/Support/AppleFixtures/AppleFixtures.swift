public import Foundation

/// Files that Core Data and Apple's tools wrote. They are in `shared/fixtures`, in a folder beside or above the package,
/// because their licences forbid keeping them in the package. Tests that read the files are skipped if the folder is
/// missing.
public enum AppleFixtures {
  /// The folder of the files; `nil` if this machine does not have it.
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

  /// The message of a skipped test.
  public static let absence = "The fixtures are not beside the package."

  /// Returns the sorted paths of files and folders by the ending of their names, of one kind or of all kinds.
  public static func paths(_ ending: String, in kind: String? = nil) -> [String] {
    guard let base = kind.map({ folder?.appending(path: $0) }) ?? folder else { return [] }
    let names = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().map { base.appending(path: $0).path }
  }

  /// Databases of Core Data's SQLite store.
  public static let databases = paths(".sqlite", in: "sqlitestore")

  /// Returns the project that a file was taken from: the name of the folder below the folder of the file's kind.
  public static func project(of path: String) -> String? {
    guard let folder, path.hasPrefix(folder.path) else { return nil }
    let parts = path.dropFirst(folder.path.count).split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : nil
  }
}
