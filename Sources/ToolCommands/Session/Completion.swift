import ObjectModel

/// The completions of a line: commands, entities, properties and options.
struct Completion {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Returns the words that may replace the last word of a line.
  func candidates(for line: String) -> LineEditor.Candidates {
    let start = line.lastIndex { $0 == " " || $0 == "," }.map { line.index(after: $0) }
    let word = String(line[(start ?? line.startIndex)...])
    let before = line[..<(start ?? line.startIndex)].split(whereSeparator: { $0 == " " }).map(
      String.init)
    let all = words(behind: before, word)
    return LineEditor.Candidates(word: word, all: all.filter { $0.hasPrefix(word) }.sorted())
  }

  private func words(behind before: [String], _ word: String) -> [String] {
    guard let name = before.first else { return session.actions.map { $0.command.name + " " } }
    guard let command = session.actions.first(where: { $0.command.name == name })?.command else {
      return []
    }
    if name == "help" { return session.actions.map { $0.command.name + " " } }
    if word.hasPrefix("-") {
      return command.options.map { "--\($0.name)" + ($0.valueName == nil ? " " : "=") }
    }
    guard command.arguments.contains(.entity) else { return [] }
    guard before.count > 1 else {
      return session.model.entities.map { $0.name + " " }
    }
    let names = session.model.properties(of: before[1]).map(\.name)
    let takesNames = before.last.map { $0.hasPrefix("--") } ?? false
    return command.arguments.contains(.assignments) && !takesNames
      ? names.map { $0 + "=" } : names
  }
}
