import DurableFiles

extension Command {
  /// Parses the words that follow the command's name.
  ///
  /// Options may be anywhere, as `--name value` or `--name=value`, and some as `-n value`. If an option is repeated, its last value counts. After `--`,
  /// every word is an argument, also with a dash at its beginning. A single dash is an argument.
  package func parse(_ words: [String], on console: Console) throws(CommandError) -> Invocation {
    var values: [String] = []
    var given: [Option: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        values += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        values.append(word)
        continue
      }
      let (option, value) = try option(of: word, followedBy: &rest)
      given[option] = value
    }
    try checkChoices(of: values, given)
    return Invocation(
      command: self, console: console, arguments: try assign(values), options: given)
  }

  /// Returns the option that `word` names and its value, which is part of the word or the next word.
  private func option(
    of word: String, followedBy rest: inout ArraySlice<String>
  ) throws(CommandError) -> (Option, String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let spelling = String(parts[0])
    let named = options.first { option in
      "--\(option.name)" == spelling || option.shortName.map { "-\($0)" == spelling } ?? false
        || option.formerName.map { "--\($0)" == spelling } ?? false
    }
    guard let option = named else {
      if let hint = ForeignOption.hint(for: spelling, among: options) {
        throw .wrongUsage("Unknown option '\(oneLine(spelling))' for 'quire \(name)'.", hint: hint)
      }
      throw .unknown(
        "option", spelling, in: "for 'quire \(name)'",
        known: options.map { "--\($0.name)" } + ["--help"], otherwise: seeHelp)
    }
    let attached = parts.count == 2 ? String(parts[1]) : nil

    guard option.valueName != nil else {
      if attached != nil {
        throw .wrongUsage("Option '\(spelling)' takes no value.", hint: seeHelp)
      }
      return (option, "")
    }
    if attached == nil, let next = rest.first, next.hasPrefix("-"), next != "-",
      !isDescendingKey(next, of: option), Int(next) == nil
    {
      throw .wrongUsage(
        "Option '\(spelling)' needs a value.",
        hint: "Write '\(spelling)=\(next)' if '\(next)' is the value.")
    }
    guard let value = attached ?? rest.popFirst() else {
      throw .wrongUsage("Option '\(spelling)' needs a value.", hint: "Write '\(option.usage)'.")
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw .wrongUsage(
        "Option '\(spelling)' does not accept '\(value)'.",
        hint: suggestion(for: value, among: option.choices)
          ?? "It accepts \(option.choices.joined(separator: " or ")).")
    }
    return (option, value)
  }

  /// Returns whether a word with a dash at its beginning is a sort key, as in `--sort -start`, and no option.
  private func isDescendingKey(_ word: String, of option: Option) -> Bool {
    option.kind == .sortKeys && !word.hasPrefix("--")
      && !options.contains { $0.shortName.map { "-\($0)" == word } ?? false }
  }

  /// Assigns the values to the declared arguments, in order.
  private func assign(_ values: [String]) throws(CommandError) -> [Argument: [String]] {
    if values.count > arguments.count, arguments.last?.isRepeating != true {
      let word = values[arguments.count]
      throw .wrongUsage(
        "Unexpected argument '\(oneLine(word))'.",
        hint: optionHint(for: word) ?? seeHelp)
    }
    if let missing = arguments.dropFirst(values.count).first(where: \.isRequired) {
      throw missingArgument(missing, after: values)
    }
    var assigned: [Argument: [String]] = [:]
    for (position, argument) in arguments.prefix(values.count).enumerated() {
      assigned[argument] = argument.isRepeating ? Array(values[position...]) : [values[position]]
    }
    return assigned
  }

  /// Returns the hint for an argument that was probably meant as the value of an option: a condition, a version, a number or
  /// the path of a result.
  private func optionHint(for word: String) -> String? {
    if options.contains(where: { $0.kind == .predicate }), word.looksLikeCondition {
      return "Write --where before a condition: --where \(oneLine(word).shellWord)."
    }
    func written(_ option: Option?) -> String? {
      option.map { "Write '--\($0.name) \(oneLine(word).shellWord)'." }
    }
    if let count = Int(word), count > 0 {
      let numbers = options.filter {
        $0.valueName == "COUNT" || $0.kind == .version && $0.name == "to"
      }
      return numbers.count == 1 ? written(numbers[0]) : nil
    }
    return word.contains(".") ? written(options.first { $0.name == "output" }) : nil
  }

  /// Returns the error for a command line that ends before a required argument. The hint shows the words of the line with
  /// the missing one in its place.
  private func missingArgument(_ last: Argument, after values: [String]) -> CommandError {
    var missing = last
    var words = values
    // In 'set STORE name=Porto' the assignment is in its place, and the entity before it is missing.
    if let place = zip(arguments, values).map(\.0).firstIndex(where: { $0.kind == .entity }),
      last.kind == .assignments, values[place].contains("=")
    {
      missing = arguments[place]
      words = values[..<place] + [missing.name] + values[place...]
    } else {
      words += arguments.dropFirst(values.count).filter(\.isRequired).map(\.name)
    }
    let line =
      (["quire", name]
      + words.map { word in
        arguments.contains { $0.name == word } ? word : oneLine(word).shellWord
      }).joined(separator: " ")
    let help = missing.help.firstRange(of: ". ").map { missing.help[..<$0.lowerBound] + "." }
    return .wrongUsage(
      "Missing argument \(missing.name): \(help ?? missing.help[...])", hint: "Write '\(line)'.")
  }

  /// Throws an error for a word that its argument does not accept, and for an option that belongs to another word.
  private func checkChoices(
    of values: [String], _ given: [Option: String]
  ) throws(CommandError) {
    for (argument, word) in zip(arguments, values) where !argument.choices.isEmpty {
      let choices = argument.choices
      guard let choice = choices.first(where: { $0.word == word }) else {
        let words = choices.map { "'\($0.word)'" }
        throw .unknown(
          argument.name.lowercased(), word, in: "for 'quire \(name)'", known: choices.map(\.word),
          otherwise: "It is \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "").")
      }
      for option in options where given[option] != nil && !choice.accepts(option, among: choices) {
        let owners = choices.filter { $0.options.contains(option) }
        let names = owners.map { "'quire \(name) \($0.word)'" }.joined(separator: " and ")
        throw .wrongUsage("Option '--\(option.name)' belongs to \(names).")
      }
    }
  }

  private var seeHelp: String { "Run 'quire help \(name)' to see its arguments and options." }
}

extension String {
  /// Whether the word is probably a condition for objects.
  fileprivate var looksLikeCondition: Bool {
    contains { "<>=".contains($0) } || contains(" ")
  }
}

extension Choice {
  /// Returns whether a command line with this word may contain the option.
  ///
  /// - Parameter choices: All words that the argument accepts.
  package func accepts(_ option: Option, among choices: [Choice]) -> Bool {
    options.contains(option) || !choices.contains { $0.options.contains(option) }
  }
}
