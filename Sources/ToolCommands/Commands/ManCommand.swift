import CommandInterface
import DurableFiles

/// The command `quire man`.
enum ManCommand {
  static let name = Argument(
    "COMMAND", "The command. Without it, the page is that of the tool.", isRequired: false,
    kind: .command)
  static let output = Option(
    "output", value: "DIR", role: .printed(canBeFolder: true),
    "Writes pages into this folder, as files such as quire-fetch.1: the page of COMMAND, or all pages."
  )
  static let force = Option(
    Option.forceName, "Replaces files in the output folder that Quire did not write.")

  static let command = Command(
    "man", "prints a manual page, or writes all manual pages into a folder",
    discussion: """
      The pages are in the language of troff, and 'man -l' shows them. They contain the same text as 'quire \
      help'.
      """,
    arguments: [name], options: [output, force],
    examples: [
      Example("quire man fetch | man -l -", "Shows the page of 'quire fetch'."),
      Example(
        "quire man --output /usr/local/share/man/man1", "Installs all pages, for 'man quire-fetch'."
      ),
    ]
  ) { invocation in
    let tool = Tool.quire
    let pages = ManualPages(of: tool.commands)
    let chosen = try invocation.value(of: name).map { try tool.command(named: $0) }
    let console = invocation.console
    guard let folder = try invocation.output(output, on: RealDisk()) else {
      guard !invocation.has(force) else {
        throw CommandError.wrongUsage("Option '--force' needs '--output DIR'.")
      }
      try console.output.write(pages.page(of: chosen))
      return .done
    }
    let files = pages.files.filter { file in
      chosen == nil || file.name == ManualPages.fileName(of: chosen)
    }
    let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
    try folder.writeFiles(files.map(\.name), replacingFilesThatBeginWith: Roff.firstLine) {
      name, writer in
      try writer.write(texts[name] ?? "")
    }
    for file in files { try console.output.writeLine(file.name) }
    return .done
  }
}
