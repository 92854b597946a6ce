/// An option in the arguments of a macro, such as `.cascade` in `@Relationship(.cascade, inverse: \Stop.trip)`.
struct ArgumentOption: Equatable {
  /// The name without the dot.
  let name: SourceText
}

extension SourceText {
  /// The options among arguments without labels, and the one after `deleteRule:`. Options inside brackets belong to a value.
  var options: [ArgumentOption] {
    var options: [ArgumentOption] = []
    forEachToken { tokens, index, depth in
      let isRule =
        index > 1 && tokens[index - 1].isMark(":")
        && part(tokens[index - 2].range).text == "deleteRule"
      guard depth == 0, tokens[index].isMark("."),
        isRule || index == 0 || tokens[index - 1].isMark(","), index + 1 < tokens.count,
        tokens[index + 1].kind == .word
      else { return }
      options.append(ArgumentOption(name: part(tokens[index + 1].range)))
    }
    return options
  }

  /// The names that the key paths without a root begin with, such as `name` in `\.name`.
  var pathNames: [SourceText] {
    var names: [SourceText] = []
    forEachToken { tokens, index, _ in
      guard tokens[index].isMark("\\"), index + 2 < tokens.count, tokens[index + 1].isMark("."),
        tokens[index + 2].kind == .word
      else { return }
      names.append(part(tokens[index + 2].range))
    }
    return names
  }

  /// The name of the type that an expression makes or begins with, such as `Date` of `Date()` and `Kind` of `Kind.leisure`.
  var leadingTypeName: String? {
    let bytes = Array(text.utf8)
    guard let tokens = try? SourceLexer.tokens(of: bytes) else { return nil }
    var names: [String] = []
    for (index, token) in tokens.enumerated() {
      if index % 2 == 1 {
        guard token.isMark(".") else { break }
        continue
      }
      let name = String(decoding: bytes[token.range], as: UTF8.self)
      guard token.kind == .word, name.first?.isUppercase ?? false else { break }
      names.append(name)
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }

  /// A part of the text, by a range of its bytes.
  private func part(_ part: Range<Int>) -> SourceText {
    SourceText(
      text: String(decoding: Array(text.utf8)[part], as: UTF8.self),
      range: range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
  }

  private func forEachToken(_ body: ([SourceToken], Int, _ depth: Int) -> Void) {
    guard let tokens = try? SourceLexer.tokens(of: Array(text.utf8)) else { return }
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if case .mark(let mark) = token.kind {
        if "([{".contains(mark) { depth += 1 }
        if ")]}".contains(mark) { depth -= 1 }
      }
      body(tokens, index, depth)
    }
  }
}
