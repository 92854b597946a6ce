import StoreInterface

/// A command together with the values that one command line gives it.
struct Invocation: Sendable {
  let command: Command
  let console: Console
  private let arguments: [Argument: [String]]
  private let options: [Option: String]

  init(
    command: Command, console: Console, arguments: [Argument: [String]],
    options: [Option: String]
  ) {
    self.command = command
    self.console = console
    self.arguments = arguments
    self.options = options
  }

  /// The value of a required argument.
  ///
  /// - Precondition: The command declares the argument, and as required.
  subscript(argument: Argument) -> String {
    precondition(!argument.role.isOutput, "An output is had as an 'Output'.")
    guard let value = arguments[argument]?.first else {
      preconditionFailure("'\(command.name)' does not require an argument \(argument.name).")
    }
    return value
  }

  /// The value of an argument, if it was given.
  func value(of argument: Argument) -> String? {
    precondition(!argument.role.isOutput, "An output is had as an 'Output'.")
    return arguments[argument]?.first
  }

  /// The path of an output, for ``output(_:on:)-(Argument,_)``.
  func path(ofOutput argument: Argument) -> String? { arguments[argument]?.first }

  /// All values of an argument that takes several.
  func values(of argument: Argument) -> [String] { arguments[argument] ?? [] }

  /// The value of an option, if it was given.
  func value(of option: Option) -> String? {
    precondition(!option.role.isOutput, "An output is had as an 'Output'.")
    return options[option]
  }

  /// The path of an output, for ``output(_:on:)-(Option,_)``.
  func path(ofOutput option: Option) -> String? { options[option] }

  /// Whether the option was given.
  func has(_ option: Option) -> Bool { options[option] != nil }

  /// Closes a store that the command has saved to.
  ///
  /// A save counts, whatever the closing of the store meets, such as a full disk when the log of a
  /// database is brought into its file. So an error is a note then: a script that took it for a failed
  /// save would save twice.
  func close(_ store: any Store, saved: Bool) throws {
    do { try store.close() } catch {
      guard saved else { throw error }
      let error = CommandError(explaining: error)
      try console.messages.writeLine("note: The change is saved. \(printable(error.message))")
    }
  }

  /// The form that the results are wanted in.
  var format: OutputFormat { value(of: .format).flatMap(OutputFormat.init) ?? .text }
}
