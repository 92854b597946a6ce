/// The manual pages of the tool and of its commands, from the commands' own descriptions.
package struct ManualPages {
  private let commands: [Command]
  /// The version of the tool.
  private let version: String

  package init(of commands: [Command], version: String) {
    self.commands = commands
    self.version = version
  }

  /// The section of the manual for programs that users run.
  private static let section = 1

  /// Returns the name of a command's page; the name of the tool's page for `nil`.
  package static func name(of command: Command?) -> String {
    command.map { "quire-\($0.name)" } ?? "quire"
  }

  /// The names of all pages as files, and their texts.
  package var files: [(name: String, text: String)] {
    ([nil] + commands.map(Optional.some)).map { ("\(ManualPages.fileName(of: $0))", page(of: $0)) }
  }

  /// Returns the name of the file for a page.
  package static func fileName(of command: Command?) -> String { "\(name(of: command)).\(section)" }

  /// Returns the page of a command; the page of the tool for `nil`.
  package func page(of command: Command?) -> String { command.map(page) ?? toolPage }

  private func begin(_ command: Command?, _ summary: String) -> Roff {
    let name = ManualPages.name(of: command)
    var page = Roff(
      name, section: ManualPages.section, source: "Quire \(version)",
      manual: "Quire")
    page.section("NAME")
    page.add(lines: "\(Roff.escaped(name)) \\- \(Roff.escaped(summary))")
    page.section("SYNOPSIS")
    return page
  }

  // MARK: - The page of a command

  private func page(of command: Command) -> String {
    var page = begin(command, command.summary)
    page.add(lines: synopsis(of: command))
    page.section("DESCRIPTION")
    page.add(lines: prose(HelpText.sentence(command.summary)))
    for paragraph in command.paragraphs { page.paragraph(prose(paragraph)) }
    if !command.arguments.isEmpty {
      page.section("ARGUMENTS")
      for argument in command.arguments { add(argument, to: &page) }
    }
    page.section("OPTIONS")
    for option in command.allOptions { add(option, to: &page) }
    if !command.examples.isEmpty {
      page.section("EXAMPLES")
      for example in command.examples {
        page.paragraph(prose(example.explanation))
        page.literal(example.line)
      }
    }
    addExitStatus(to: &page)
    page.section("SEE ALSO")
    let related = commands.filter { $0.name != command.name && mentions(command, $0.name) }
    page.add(lines: references([nil] + related))
    return page.text
  }

  private func synopsis(of command: Command) -> String {
    let name = Roff.unbreakable(Roff.bold("quire \(command.name)"))
    let arguments = command.arguments.map { argument in
      let name = Roff.italic(argument.name) + (argument.isRepeating ? " ...\\&" : "")
      return Roff.unbreakable(argument.isRequired ? name : "[\(name)]")
    }
    let options = command.options.map { Roff.unbreakable("[\(spelling(of: $0))]") }
    return ([name] + arguments + options).joined(separator: " ")
  }

  private func add(_ argument: Argument, to page: inout Roff) {
    page.definition(Roff.italic(argument.name), prose(argument.help))
    guard !argument.choices.isEmpty else { return }
    page.indented { page in
      for choice in argument.choices {
        let own = choice.options.map { Roff.bold("--\($0.name)") }
        let list = own.isEmpty ? "" : " Accepts \(own.formattedList)."
        page.definition(
          Roff.bold(choice.word), prose(HelpText.sentence(choice.effect)) + list)
      }
    }
  }

  private func add(_ option: Option, to page: inout Roff) {
    let help = option.name == "help" ? Roff.bold("-h") + ", " : ""
    page.definition(help + spelling(of: option), prose(option.help))
  }

  private func spelling(of option: Option) -> String {
    let name = Roff.bold("--\(option.name)")
    guard let valueName = option.valueName else { return name }
    let choices = option.choices.map { Roff.bold($0) }.joined(separator: "|")
    return "\(name) \(choices.isEmpty ? Roff.italic(valueName) : choices)"
  }

  /// Returns whether the description of a command names another command.
  private func mentions(_ command: Command, _ name: String) -> Bool {
    let texts =
      [command.discussion] + command.arguments.map(\.help) + command.options.map(\.help)
    return texts.contains { text in
      text.ranges(of: "quire \(name)").contains { range in
        guard range.upperBound < text.endIndex else { return true }
        let next = text[range.upperBound]
        return !next.isLetter && next != "-"
      }
    }
  }

  // MARK: - The page of the tool

  private var toolPage: String {
    var page = begin(nil, ToolHelp.summary)
    for (index, usage) in ToolHelp.usages.enumerated() {
      if index > 0 { page.breakLine() }
      page.add(lines: Roff.bold(usage))
    }
    page.section("DESCRIPTION")
    page.add(lines: prose("quire \(ToolHelp.summary). \(ToolHelp.streams)"))
    page.paragraph(
      prose("Each command has a page of its own; 'quire help COMMAND' explains a command too."))
    page.section("COMMANDS")
    for command in commands {
      page.definition(Roff.bold(command.name), prose(HelpText.sentence(command.summary)))
    }
    page.section("OPTIONS")
    for option in ToolHelp.commonOptions { add(option, to: &page) }
    addExitStatus(to: &page)
    page.section("SEE ALSO")
    page.add(lines: references(commands.map(Optional.some)))
    return page.text
  }

  // MARK: - Parts of both

  private func addExitStatus(to page: inout Roff) {
    page.section("EXIT STATUS")
    for code in ExitCode.allCases {
      page.definition(Roff.bold("\(code.rawValue)"), prose(HelpText.sentence(code.meaning)))
    }
  }

  private func references(_ pages: [Command?]) -> String {
    pages.map { Roff.bold(ManualPages.name(of: $0)) + "(\(ManualPages.section))" }.formattedList
  }

  private func prose(_ text: String) -> String { Roff.escaped(text) }
}

extension [String] {
  /// The texts with commas between.
  fileprivate var formattedList: String { joined(separator: ", ") }
}
