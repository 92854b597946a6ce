import DurableFiles
import Foundation

/// The lines of earlier sessions, in a file of the user's, as far as there may be one.
final class LineHistory {
  private let path: String?
  private let disk: any Disk
  /// The lines, the oldest first.
  private(set) var lines: [String] = []

  private static let mostLines = 1000
  private static let mostBytes = 1 << 20

  /// The usual file: in the folder for what programs remember.
  static func usualPath(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/quire/history"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/quire/history"
  }

  /// The history in a file; in memory alone when there is none, or it can't be written.
  init(_ path: String?, on disk: any Disk) {
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
      ).map(String.init)
      // A file that grew too long is begun anew with its last lines.
      if start > 0 {
        let kept = lines.map { $0 + "\n" }.joined()
        try disk.replace(path) { writer in try writer.write(kept) }
      }
      self.path = path
    } catch {
      self.path = nil
    }
  }

  /// Adds a line, unless it is the last one again, or begins with a blank so as not to be kept.
  func add(_ line: String) {
    guard !line.isEmpty, !line.hasPrefix(" "), line != lines.last else { return }
    lines.append(line)
    guard let path, let file = try? disk.open(path, for: .update) else { return }
    _ = try? file.append(Array((line.replacing("\n", with: " ") + "\n").utf8))
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
