/// A command together with the values of one command line.
package struct Invocation: Sendable {
  package let command: Command
  package let console: Console
  private let arguments: [Argument: [String]]
  private let options: [Option: String]

  package init(
    command: Command, console: Console, arguments: [Argument: [String]],
    options: [Option: String]
  ) {
    self.command = command
    self.console = console
    self.arguments = arguments
    self.options = options
  }

  /// Returns the value of a required argument.
  ///
  /// - Precondition: The command declares the argument as required.
  package subscript(argument: Argument) -> String {
    precondition(!argument.role.isOutput, "An output must be read as an 'Output'.")
    guard let value = arguments[argument]?.first else {
      preconditionFailure("'\(command.name)' does not require an argument \(argument.name).")
    }
    return value
  }

  /// Returns the value of an argument; `nil` if it was not given.
  package func value(of argument: Argument) -> String? {
    precondition(!argument.role.isOutput, "An output must be read as an 'Output'.")
    return arguments[argument]?.first
  }

  package func path(ofOutput argument: Argument) -> String? { arguments[argument]?.first }

  /// Returns all values of an argument that takes several.
  package func values(of argument: Argument) -> [String] { arguments[argument] ?? [] }

  /// Returns the value of an option; `nil` if it was not given.
  package func value(of option: Option) -> String? {
    precondition(!option.role.isOutput, "An output must be read as an 'Output'.")
    return options[option]
  }

  package func path(ofOutput option: Option) -> String? { options[option] }

  /// Returns the whole number of an option; `nil` if the option was not given.
  ///
  /// - Throws: ``CommandError`` for another text, or a number below `least`, which is 0 or 1.
  package func number(of option: Option, atLeast least: Int = 0) throws(CommandError) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), number >= least else {
      let bound = Int(text) != nil ? " of at least \(least)" : least > 0 ? " above 0" : ""
      throw .wrongUsage(
        "--\(option.name) needs a whole number\(bound), not '\(oneLine(text))'.")
    }
    return number
  }

  /// Returns whether the option was given.
  package func has(_ option: Option) -> Bool { options[option] != nil }

  /// Returns the invocation with another value of an option; without the option if the value is `nil`.
  ///
  /// A command that opens several stores names the version and the model of each in this way.
  package func setting(_ option: Option, to value: String?) -> Invocation {
    var options = options
    options[option] = value
    return Invocation(command: command, console: console, arguments: arguments, options: options)
  }

  /// Returns the invocation with another path in place of a word, in the values of some arguments and options.
  package func replacing(
    _ word: String, by path: String, in arguments: [Argument], _ options: [Option]
  ) -> Invocation {
    var (values, settings) = (self.arguments, self.options)
    for argument in arguments {
      values[argument] = values[argument]?.map { $0 == word ? path : $0 }
    }
    for option in options { settings[option] = path }
    return Invocation(command: command, console: console, arguments: values, options: settings)
  }

  /// Returns the invocation of another command with one more argument, for a command whose arguments are those of this one
  /// and the given one.
  package func adding(
    _ argument: Argument, _ value: String, for command: Command
  ) -> Invocation {
    var arguments = self.arguments
    arguments[argument] = [value]
    return Invocation(command: command, console: console, arguments: arguments, options: options)
  }

  /// Returns the invocation with another console.
  package func on(_ console: Console) -> Invocation {
    Invocation(command: command, console: console, arguments: arguments, options: options)
  }

  /// The requested format of the results.
  package var format: OutputFormat { value(of: .format).flatMap(OutputFormat.init) ?? .text }
}
