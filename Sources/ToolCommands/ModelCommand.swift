import ObjectModel

/// `quire model`
enum ModelCommand {
  static let path = Argument(
    "PATH",
    "A model: .xcdatamodeld, .xcdatamodel or its contents file; compiled, .momd or .mom.")
  static let version = Option(
    "version", value: "NAME", "Shows this version in place of the current one.")
  static let versions = Option("versions", "Lists the versions; the current one has a star.")
  static let diff = Option(
    "diff", value: "OTHER", "Shows what differs from PATH to OTHER, in place of a model.")

  /// The command, over models from the given reader.
  static func command(_ reader: ModelReader) -> Command {
    Command(
      "model", "shows a model: its entities, their properties and what belongs to them",
      discussion: """
        With --diff the exit code is 1 if the models differ and 0 if not. A star marks the changes that \
        version hashes see: after those, stores must be migrated.
        """,
      arguments: [path], options: [version, versions, diff, .format],
      examples: [
        Example("quire model Trips.xcdatamodeld", "Shows the current version."),
        Example("quire model Trips.xcdatamodeld --versions", "Lists the versions it holds."),
        Example(
          "quire model Trips.momd --version 'Trips 2' --format json",
          "Gives one version to a program."),
        Example(
          "quire model Trips.xcdatamodeld --version Trips --diff Trips.xcdatamodeld",
          "Shows what became of the first version."),
      ]
    ) { invocation in
      if invocation.has(versions) {
        try list(reader.read(invocation[path]), invocation)
        return .done
      }
      let chosen = try reader.model(at: invocation[path], version: invocation.value(of: version))
      if let other = invocation.value(of: diff) {
        return try compare(chosen, with: reader.model(at: other), invocation)
      }
      try show(chosen, invocation)
      return .done
    }
  }

  private static func list(_ list: ModelVersions, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      for version in list.versions {
        try output.writeLine(
          (version.name == list.currentName ? "* " : "  ") + oneLine(version.name))
      }
    case .json:
      let versions = JSON.object([
        "current": .string(list.currentName),
        "versions": .strings(list.versions.map(\.name)),
      ])
      try output.writeLine(versions.text)
    }
  }

  private static func show(_ version: ModelVersions.Version, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      let heading = output.styled("model \(oneLine(version.name))", .heading)
      try output.write("\(heading)\n\n" + Wording.text(version.model, on: output))
    case .json:
      let object = JSON.object([
        "version": .string(version.name), "model": Wording.json(version.model),
      ])
      try output.writeLine(object.text)
    }
  }
}
