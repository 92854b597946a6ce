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

  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The folders that contain the file: `Sources`, `Rows`.
  var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

  /// The module of the file, by the file's folder: `Sources/Rows`, `Tests/Support/SpecVectors`.
  var module: String {
    // The folder of a backend also contains the module with the backend's exported symbol.
    if folders.count > 2, folders[0] == "Plugins", folders[2] == "Export" {
      return folders[1] + "Export"
    }
    return folders[folders.count > 2 && folders[1] == "Support" ? 2 : 1]
  }

  /// The lines of a page outside of blocks of code, with their numbers from 1.
  var linesOfText: [(number: Int, line: String)] {
    var isCode = false
    return lines.enumerated().compactMap { index, line in
      if line.hasPrefix("```") { isCode.toggle() }
      return isCode || line.hasPrefix("```") || line.hasPrefix("    ") ? nil : (index + 1, line)
    }
  }

  /// Returns the lines that contain `word`, with their numbers from 1.
  func lines(with word: String) -> [(number: Int, text: String)] {
    // Without optimization the C library finds a word many times as fast as a loop in Swift.
    lines.enumerated().filter { _, line in
      line.withCString { line in word.withCString { strstr(line, $0) != nil } }
    }.map { ($0.offset + 1, $0.element) }
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

/// The repository that contains these tests.
enum House {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every text file that people of this project write.
  ///
  /// Build products are left out, and so is `Fixtures`, which contains unchanged third-party files.
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

  /// Returns the Swift files below one of the given folders.
  static func swift(in folders: String...) -> [SourceFile] {
    files.filter { file in
      file.path.hasSuffix(".swift") && folders.contains { file.path.hasPrefix($0 + "/") }
    }
  }

  /// Returns the file at the given path.
  static func file(_ path: String) throws -> SourceFile {
    SourceFile(path, try String(contentsOf: root.appending(path: path), encoding: .utf8))
  }
}

/// Returns the findings, one on each line, as the message of a failed expectation.
func list(_ findings: [Finding]) -> String {
  findings.map { "\n  \($0)" }.joined()
}
