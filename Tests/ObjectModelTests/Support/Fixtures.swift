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
}
