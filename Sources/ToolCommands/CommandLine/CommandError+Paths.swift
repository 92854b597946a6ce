import CommandInterface
import DurableFiles

extension CommandError {
  /// Returns a hint for a path of the command line where no file is: the right order of the words, or a name beside it
  /// that resembles it; `nil` if there is neither.
  ///
  /// - Parameter words: The command line.
  static func missingFileHint(_ path: String, _ words: [String]) -> String? {
    let disk = RealDisk()
    func exists(_ path: String) -> Bool { (try? disk.exists(path)) ?? false }
    if words.count > 2, words[1] == path, !words[2].hasPrefix("-"), exists(words[2]) {
      let line = [words[0], words[2], words[1]] + words[3...]
      return
        "The store comes before the entity: 'quire \(line.map(quoted).joined(separator: " "))'."
    }
    let stem = path.trimmingSlashes
    let name = stem.lastPathComponent
    let folder = stem.dropLast(name.count)
    guard let entries = try? disk.list(folder.isEmpty ? "." : String(folder)) else { return nil }
    let names = entries.map(\.name).sorted()
    let extended = names.filter { $0.hasPrefix(name + ".") }
    if extended.count == 1 { return "Did you mean '\(folder)\(extended[0])'?" }
    return suggestion(for: name, among: names).map {
      folder.isEmpty ? $0 : $0.replacing("Did you mean '", with: "Did you mean '\(folder)")
    }
  }

  /// Returns the hint for a file that is not a store: the command that reads a file of this kind; `nil` for any other file.
  static func otherFileHint(_ path: String) -> String? {
    let stem = path.trimmingSlashes
    let parts = stem.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for count in stride(from: parts.count - 1, to: 0, by: -1) {
      let folder = parts[..<count].joined(separator: "/")
      guard !folder.isEmpty, (try? RealDisk().exists(folder + "/manifest.json")) == true else {
        continue
      }
      return "It is a part of the document '\(oneLine(folder))': 'quire fetch \(quoted(folder))'."
    }
    switch stem.lowercased().split(separator: ".").last {
    case "csv", "tsv", "json", "jsonl", "ndjson":
      let document = withoutExtension(stem) + ".quire"
      return
        "'quire new \(quoted(document)) --from \(quoted(path))' makes a document of the file, "
        + "and 'quire import' adds its objects to one."
    case "model", "xcdatamodel", "xcdatamodeld", "mom", "momd":
      return "'quire model \(quoted(path))' shows a model."
    default: return nil
    }
  }

  /// Returns the error for a command that works on documents, if there is a store or another file in place of one.
  static func isNoDocument(_ path: String, isStore: Bool) -> CommandError {
    let document = quoted(withoutExtension(path.trimmingSlashes) + ".quire")
    guard isStore else {
      return CommandError(
        .unreadable, "'\(oneLine(path))' is not a document.",
        hint: otherFileHint(path) ?? "'quire new' makes a document.")
    }
    return .wrongUsage(
      "'\(oneLine(path))' is a store, and this command works on documents.",
      hint: "'quire save-as \(quoted(path)) \(document)' makes a document of the store.")
  }

  private static func withoutExtension(_ path: String) -> String {
    let name = path.lastPathComponent
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return path }
    return path.dropLast(name.count) + String(name[..<dot])
  }
}
