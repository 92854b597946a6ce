/// The completion of the last word of a command line, from the descriptions of the commands.
///
/// ```text
/// let completion = Completion(of: tool.commands, FileNames(reader, models, plugins))
/// completion.suggestions(for: "na", behind: ["fetch", "Trips.store", "Trip", "--sort"])
/// ```
///
/// The shells and the session use the same completion. They differ in the commands, and in the source of the names.
package struct Completion {
  private let commands: [Command]
  private let names: any CompletionSource
  /// The options that each command accepts beside its own.
  private let commonOptions: [Candidate]
  /// The options in place of a command.
  private let toolOptions: [Candidate]

  package init(
    of commands: [Command], _ names: any CompletionSource, commonOptions: [Candidate] = [],
    toolOptions: [Candidate] = []
  ) {
    self.commands = commands
    self.names = names
    self.commonOptions = commonOptions
    self.toolOptions = toolOptions
  }

  /// Returns the completions of the last word of a line.
  ///
  /// - Parameters:
  ///   - word: The word that the user is typing; empty at the beginning of a word.
  ///   - words: The words before it, the command's name included.
  ///   - quote: The quote within which the user is typing.
  package func suggestions(
    for word: String, behind words: [String], within quote: Character? = nil
  ) -> SuggestedWords {
    guard let name = words.first else {
      return word.hasPrefix("-")
        ? SuggestedWords(toolOptions, for: word, after: "")
        : SuggestedWords(commandNames, for: word, after: "")
    }
    guard let command = commands.first(where: { $0.name == name }) else { return .none }
    let line = PartialLine(command, words.dropFirst(), within: quote)
    if let option = line.pendingOption {
      // A word with a dash is not a value unless an equals sign precedes it, or it is a sort key in descending order.
      return word.hasPrefix("-") && word != "-" && option.kind != .sortKeys
        ? .none : suggestions(of: option, for: word, after: "", line)
    }
    if !line.endsOptions, word.hasPrefix("-") {
      guard let (option, value) = line.option(in: word), let value else {
        return SuggestedWords(options(of: line), for: word, after: "")
      }
      return suggestions(of: option, for: value, after: "--\(option.name)=", line)
    }
    guard let argument = line.nextArgument else { return .none }
    if !argument.choices.isEmpty {
      let words = argument.choices.map { Candidate($0.word, $0.effect) }
      return SuggestedWords(words, for: word, after: "")
    }
    let kind = argument.role == .none ? line.choice?.kind : nil
    return suggestions(of: kind ?? argument.suggestedKind, for: word, after: "", line)
  }

  private var commandNames: [Candidate] { commands.map { Candidate($0.name, $0.summary) } }

  private func options(of line: PartialLine) -> [Candidate] {
    line.openOptions.map { option in
      let hasValue = option.valueName != nil
      return Candidate(
        "--\(option.name)" + (hasValue ? "=" : ""), firstSentence(of: option.help), isOpen: hasValue
      )
    }
      + commonOptions.filter { common in
        !line.command.options.contains { "--\($0.name)" == common.text }
      }
  }

  private func suggestions(
    of option: Option, for value: String, after stem: String, _ line: PartialLine
  ) -> SuggestedWords {
    guard option.choices.isEmpty else {
      return SuggestedWords(option.choices.map { Candidate($0) }, for: value, after: stem)
    }
    return suggestions(of: option.suggestedKind, for: value, after: stem, line)
  }

  /// Returns the completions of a value of the given kind.
  ///
  /// - Parameters:
  ///   - value: The beginning of the value.
  ///   - stem: The part of the word before the value.
  private func suggestions(
    of kind: ValueKind, for value: String, after stem: String, _ line: PartialLine
  ) -> SuggestedWords {
    switch kind {
    case .text: return .none
    case .path: return SuggestedWords(.files, for: value, after: stem)
    case .folder: return SuggestedWords(.folders, for: value, after: stem)
    case .paths:
      let (before, last) = value.splitAtLast(",")
      return SuggestedWords(.files, for: last, after: stem + before)
    case .command: return SuggestedWords(commandNames, for: value, after: stem)
    default: return names.suggestions(of: kind, for: value, after: stem, in: line)
    }
  }
}

extension StringProtocol {
  /// Returns the text up to the last of some characters, that character included, and the text after it.
  package func splitAtLast(_ characters: String) -> (before: String, last: String) {
    guard let place = lastIndex(where: { characters.contains($0) }) else {
      return ("", String(self))
    }
    return (String(self[...place]), String(self[index(after: place)...]))
  }
}

/// Returns the first sentence of a text, without its full stop.
package func firstSentence(of text: String) -> String {
  let end = text.firstRange(of: ". ")?.lowerBound ?? text.endIndex
  let sentence = text[..<end]
  return String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence)
}
