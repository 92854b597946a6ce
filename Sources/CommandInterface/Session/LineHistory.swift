package import DurableFiles
import Foundation
import SystemPrograms

/// The lines of earlier sessions. They are kept in a file of the user if the file can be written.
///
/// A command of several lines is one entry. In the file, the separator U+2028 stands for its line breaks.
package final class LineHistory {
  private let path: String?
  private let disk: any Disk
  /// The lines, the oldest first.
  package private(set) var lines: [String] = []

  private static let mostLines = 1000
  private static let mostBytes = 1 << 20

  /// Returns the usual path of the file, in the user's folder for the state of programs.
  package static func usualPath(
    _ environment: [String: String] = ThisProgram.environment
  ) -> String? {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/quire/history"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/quire/history"
  }

  /// Opens the history in a file. The history is in memory only if there is no path or the file can't be written.
  package init(_ path: String?, on disk: any Disk) {
    self.disk = disk
    guard let path else {
      self.path = nil
      return
    }
    do {
      try LineHistory.makeFolder(of: path, on: disk)
      let file = try disk.open(path, for: .updateOrCreate, permissions: .ownerOnly)
      let count = try file.byteCount()
      let start = max(0, count - LineHistory.mostBytes)
      let bytes = try file.read(byteCount: count - start, at: start)
      lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(
        LineHistory.mostLines
      ).map { String($0).replacing(LineHistory.separator, with: "\n") }
      // A file that is too long is replaced by a file with its last lines.
      if start > 0 {
        let kept = lines.map(LineHistory.inFile).joined()
        try disk.replace(path) { writer in try writer.write(kept) }
      }
      self.path = path
    } catch {
      self.path = nil
    }
  }

  /// Adds a line, unless it repeats the last line. A line that begins with a space is not kept.
  package func add(_ line: String) {
    guard !line.isEmpty, !line.hasPrefix(" "), line != lines.last else { return }
    lines.append(line)
    guard let path, let file = try? disk.open(path, for: .update) else { return }
    _ = try? file.append(Array(LineHistory.inFile(line).utf8))
  }

  private static let separator = "\u{2028}"

  private static func inFile(_ line: String) -> String {
    line.replacing("\n", with: separator) + "\n"
  }

  private static func makeFolder(of path: String, on disk: any Disk) throws {
    let parts = path.split(separator: "/").dropLast()
    var folder = path.hasPrefix("/") ? "" : "."
    for part in parts {
      folder += "/" + part
      if try !disk.exists(folder) { try disk.makeDirectory(folder) }
    }
  }
}
