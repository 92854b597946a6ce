/// The parsed command line.
struct Arguments {
  /// A command, with the names of its options: options that take a value, and options without one.
  enum Command: String {
    case add, list, done, remind, categories, migrate
    case dueSoon = "due-soon"

    var options: (valued: Set<String>, bare: Set<String>) {
      switch self {
      // `--model-version ToDo` makes a list of version 1, on which migrations can be tried.
      case .add: (["category", "due", "model-version"], ["no-alert"])
      case .list: ([], ["all"])
      case .dueSoon: (["days"], [])
      case .migrate: ([], ["custom"])
      case .done, .remind, .categories: ([], [])
      }
    }

    /// The number of words that may follow the command.
    var wordCount: ClosedRange<Int> {
      switch self {
      case .add, .done: 1...1
      case .categories: 0...1000
      case .list, .dueSoon, .remind, .migrate: 0...0
      }
    }
  }

  let command: Command
  private(set) var words: [String] = []
  private var options: [String: String] = [:]

  init(_ all: [String]) throws(UsageError) {
    guard let first = all.first else { throw UsageError("There is no command.") }
    guard let command = Command(rawValue: first) else {
      throw UsageError("There is no command '\(first)'.")
    }
    self.command = command
    var rest = all.dropFirst()
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        words.append(word)
        continue
      }
      let name = String(word.dropFirst(2))
      if command.options.bare.contains(name) {
        options[name] = ""
      } else if command.options.valued.contains(name) {
        guard let value = rest.popFirst() else { throw UsageError("'\(word)' needs a value.") }
        options[name] = value
      } else {
        throw UsageError("'\(first)' has no option '\(word)'.")
      }
    }
    guard command.wordCount.contains(words.count) else {
      throw UsageError("'\(first)' can't be given \(words.count) words.")
    }
  }

  /// Returns the value of an option.
  subscript(option: String) -> String? { options[option] }

  func has(_ option: String) -> Bool { options[option] != nil }

  /// Returns the first word after the command.
  func word(_ what: String) throws(UsageError) -> String {
    guard let first = words.first else { throw UsageError("'\(command.rawValue)' needs \(what).") }
    return first
  }

  func number(_ text: String) throws(UsageError) -> Int {
    guard let number = Int(text), (0...100_000).contains(number) else {
      throw UsageError("'\(text)' is not a number.")
    }
    return number
  }
}

/// An error in the command line.
struct UsageError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
