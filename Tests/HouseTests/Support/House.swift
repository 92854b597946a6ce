import Foundation

/// One text file of the repository.
struct SourceFile: Sendable {
  /// The path from the repository's root.
  let path: String
  let lines: [String]

  init(_ path: String, _ text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The file's name.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The folders that lead to the file: `Sources`, `Rows`.
  var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

  /// The module that the file belongs to, by the folder it is in: `Sources/Rows`,
  /// `Tests/Support/SpecVectors`.
  var module: String {
    // The exported symbol of a backend lies beside it.
    if folders.count > 2, folders[0] == "Plugins", folders[2] == "Export" {
      return folders[1] + "Export"
    }
    return folders[folders.count > 2 && folders[1] == "Support" ? 2 : 1]
  }

  /// The lines by number, the first being 1, that hold `word`.
  func lines(with word: String) -> [(number: Int, text: String)] {
    lines.enumerated().filter { $0.element.contains(word) }.map { ($0.offset + 1, $0.element) }
  }
}

/// A place that breaks a rule.
struct Finding: CustomStringConvertible, Equatable {
  let path: String
  let line: Int
  let message: String

  init(_ file: SourceFile, _ line: Int, _ message: String) {
    path = file.path
    self.line = line
    self.message = message
  }

  var description: String { "\(path):\(line): \(message)" }
}

/// The repository these tests stand in.
enum House {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every text file that people of this project write.
  ///
  /// Left out is what tools make, and `Fixtures`: files of others, kept as they were found.
  static let files: [SourceFile] = {
    let leftOut: Set = [".build", ".git", ".swiftpm", "site", "Fixtures", "Seeds"]
    let enumerator = FileManager.default.enumerator(atPath: root.path)
    var files: [SourceFile] = []
    while let path = enumerator?.nextObject() as? String {
      if leftOut.contains(String(path.split(separator: "/").last ?? "")) {
        enumerator?.skipDescendants()
      } else if let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) {
        files.append(SourceFile(path, text))
      }
    }
    return files.sorted { $0.path < $1.path }
  }()

  /// The Swift files below one of the given folders.
  static func swift(in folders: String...) -> [SourceFile] {
    files.filter { file in
      file.path.hasSuffix(".swift") && folders.contains { file.path.hasPrefix($0 + "/") }
    }
  }

  /// The file at the given path.
  static func file(_ path: String) throws -> SourceFile {
    SourceFile(path, try String(contentsOf: root.appending(path: path), encoding: .utf8))
  }
}

/// The findings one a line, as the message of a failed expectation.
func list(_ findings: [Finding]) -> String {
  findings.map { "\n  \($0)" }.joined()
}
