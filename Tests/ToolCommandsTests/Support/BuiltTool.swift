import Foundation

/// The executable of the tool from the build of the tests.
enum BuiltTool {
  static let url = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "quire")
  /// The executable exists unless only some targets are built.
  static let exists = FileManager.default.isExecutableFile(atPath: url.path)
}
