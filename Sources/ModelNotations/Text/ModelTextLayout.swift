import ObjectModel

/// The usual layout of a model's text.
enum ModelTextLayout {
  /// The columns after which a statement is wrapped.
  private static let width = 100

  static func text(_ statements: [ModelTextStatement]) -> String {
    var text = ""
    for (position, statement) in statements.enumerated() {
      let indent = statement.isHeader ? 0 : 2
      let isEditors = isEditorStatement(statement)
      let followsEditors = position > 0 && isEditorStatement(statements[position - 1])
      var before = statement.linesBefore[...]
      let hasBlank = before.first == ""
      if hasBlank { before = before.dropFirst() }
      // An empty line separates the parts. The statements of the editor are one part.
      let beginsPart =
        statement.isHeader && !statement.tokens.isEmpty && !(isEditors && followsEditors)
      if position > 0, hasBlank || beginsPart {
        text += "\n"
      }
      for line in before { text += line.isEmpty ? "\n" : spaces(indent) + line + "\n" }
      guard !statement.tokens.isEmpty else { continue }
      text += lines(of: statement.tokens, indent)
      if let comment = statement.trailingComment { text += "  " + comment }
      text += "\n"
    }
    return text
  }

  private static func isEditorStatement(_ statement: ModelTextStatement) -> Bool {
    statement.isHeader && statement.tokens.first?.kind == .name("editor")
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  /// Returns the lines of a statement, without the end of the last line.
  private static func lines(of tokens: [ModelTextToken], _ indent: Int) -> String {
    let pieces = tokens.split(after: .symbol(",")).map { piece in
      var text = ""
      var previous: ModelTextToken?
      for token in piece {
        if let previous, hasSpace(previous.kind, token.kind) { text += " " }
        text += token.text
        previous = token
      }
      return text
    }
    var lines = ""
    var line = spaces(indent)
    var isFirst = true
    for piece in pieces {
      if !isFirst {
        if line.count + 1 + piece.count > width {
          lines += line + "\n"
          line = spaces(indent + 4)
        } else {
          line += " "
        }
      }
      line += piece
      isFirst = false
    }
    return lines + line
  }

  /// Returns whether a space separates two tokens of a statement.
  private static func hasSpace(
    _ left: ModelTextToken.Kind, _ right: ModelTextToken.Kind
  ) -> Bool {
    switch (left, right) {
    case (_, .symbol(":")), (_, .symbol(",")), (_, .symbol("?")), (_, .symbol("]")),
      (_, .symbol(".")), (.symbol("."), _), (.symbol("["), _), (.symbol("-"), _),
      (.number, .symbol("...")), (.symbol("..."), .number):
      false
    default: true
    }
  }
}

extension [ModelTextToken] {
  /// Returns the tokens in pieces that end with the given token.
  fileprivate func split(after kind: ModelTextToken.Kind) -> [[ModelTextToken]] {
    var pieces: [[ModelTextToken]] = [[]]
    for token in self {
      pieces[pieces.count - 1].append(token)
      if token.kind == kind { pieces.append([]) }
    }
    if pieces.last?.isEmpty ?? false { pieces.removeLast() }
    return pieces
  }
}
