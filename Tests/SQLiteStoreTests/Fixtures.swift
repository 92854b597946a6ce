import Foundation

/// Databases that Core Data wrote, kept beside the package where licences forbid keeping them in it.
enum Fixtures {
  /// The folder of all of them; `nil` where there is none.
  static let folder: URL? = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<5 { folder.deleteLastPathComponent() }
    folder = folder.appending(path: "shared/fixtures")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// The databases' paths.
  static let databases: [String] = {
    guard let folder else { return [] }
    let root = folder.appending(path: "sqlitestore")
    let names = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
    return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { root.appending(path: $0).path }
  }()

  static let areHere = folder != nil
  static let absence = "The fixtures are not beside the package." as String
}
