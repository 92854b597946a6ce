/// A command line up to the word that the user is typing.
///
/// The line may contain faults, which are passed over: the user has not finished it.
package struct PartialLine {
  package let command: Command
  /// The values of arguments, in their order.
  package private(set) var values: [String] = []
  /// The values of options; empty for an option without a value.
  package private(set) var options: [Option: String] = [:]
  /// The option whose value is the word that the user is typing.
  package private(set) var pendingOption: Option?
  /// Whether the line contains `--`, so that every further word is an argument.
  package private(set) var endsOptions = false
  /// The quote of the shell within which the user is typing; `nil` for none.
  package let quote: Character?

  /// Reads the words between the command's name and the word that the user is typing.
  package init(_ command: Command, _ words: some Sequence<String>, within quote: Character? = nil) {
    self.command = command
    self.quote = quote
    for word in words {
      if let option = pendingOption {
        options[option] = word
        pendingOption = nil
      } else if endsOptions || word == "-" || !word.hasPrefix("-") {
        values.append(word)
      } else if word == "--" {
        endsOptions = true
      } else if let (option, value) = option(in: word) {
        if option.valueName == nil || value != nil {
          options[option] = value ?? ""
        } else {
          pendingOption = option
        }
      }
    }
  }

  /// Returns the option that a word names, and the value after its equals sign.
  package func option(in word: String) -> (option: Option, value: String?)? {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = command.options.first(where: { "--\($0.name)" == parts[0] }) else {
      return nil
    }
    return (option, parts.count == 2 ? String(parts[1]) : nil)
  }

  /// The argument whose value is the word that the user is typing; `nil` if the command takes no further value.
  package var nextArgument: Argument? {
    if values.count < command.arguments.count { return command.arguments[values.count] }
    return command.arguments.last.flatMap { $0.isRepeating ? $0 : nil }
  }

  /// The word that decides the command's action, such as `list`.
  package var choice: Choice? {
    zip(command.arguments, values).lazy.compactMap { argument, value in
      argument.choices.first { $0.word == value }
    }.first
  }

  /// The options that the line may still contain.
  package var openOptions: [Option] {
    let choices = command.arguments.flatMap(\.choices)
    return command.options.filter { option in
      options[option] == nil && choice?.accepts(option, among: choices) != false
    }
  }

  /// The values of the argument with the given kind.
  package func values(of kind: ValueKind) -> [String] {
    guard let index = command.arguments.firstIndex(where: { $0.kind == kind }) else { return [] }
    return Array(values.dropFirst(index).prefix(command.arguments[index].isRepeating ? .max : 1))
  }

  /// The text of the first option with the given kind.
  package func option(_ kind: ValueKind) -> String? { options.first { $0.key.kind == kind }?.value }

  /// The path of the first file that the command reads: its store, document or model.
  package var inputPath: String? {
    zip(command.arguments, values).first { $0.0.role == .input && $0.1 != "-" }?.1
  }
}
