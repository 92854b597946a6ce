import JSONText
import ModelCode
import ObjectModel

/// The command `quire model`.
enum ModelCommand {
  static let path = Argument(
    "PATH",
    "A model (.xcdatamodeld, .xcdatamodel or its contents file), a compiled model (.momd or "
      + ".mom), or a document, packed document or store that contains its model.", role: .input)
  static let version = Option(
    "version", value: "NAME", "Uses this version instead of the current one.")
  static let versions = Option("versions", "Lists the versions. A star marks the current one.")
  static let diff = Option(
    "diff", value: "OTHER", role: .input,
    "Shows the differences from PATH to OTHER instead of a model.")

  static let form = Option(
    "format", value: "FORMAT", choices: ["text", "json", "swift"],
    "The format of the results; the default is text. The format swift writes the model as Swift "
      + "source with a class for each entity.")
  static let output = Option(
    "output", value: "DIR", role: .outputFolder,
    "Writes a file for each class into this folder. Needs --format swift.")
  static let force = Option(
    Option.forceName, "Replaces files in the output folder that Quire did not write.")
  static let access = Option(
    "access", value: "WHO", choices: CodeAccess.allCases.map(\.rawValue),
    "The access level of the classes; the default is public.")
  static let unmarked = Option(
    "unmarked", value: "KIND", choices: CodeKind.allCases.map(\.rawValue),
    "The Swift type for entities that do not specify one: a class, an extension of a class, or "
      + "nothing. The default is class.")
  static let module = Option(
    "module", value: "NAME",
    "The module that will contain the classes. The source imports the modules of classes by hand "
      + "that the model places in other modules.")

  /// Returns the command. It reads models through `reader`.
  static func command(_ reader: ModelReader) -> Command {
    Command(
      "model", "shows the entities and properties of a model",
      discussion: """
        With --diff the exit code is 1 if the models differ, and 0 if they do not. A star marks the changes \
        that alter a version hash. After such a change stores need a migration.

        With --format swift the result is Swift source with typed classes for programs that use Quire. A \
        package can generate the source in each build: see docs/typed-classes.md. Quire writes the files \
        that have changed and prints their names. It removes the files of entities that the model no longer \
        has, and it replaces files, only if they begin with Quire's comment. --force replaces other files \
        too.
        """,
      arguments: [path],
      options: [version, versions, diff, form, output, force, access, unmarked, module],
      examples: [
        Example("quire model Trips.xcdatamodeld", "Shows the current version."),
        Example("quire model Trips.xcdatamodeld --versions", "Lists the versions of the model."),
        Example(
          "quire model Trips.momd --version 'Trips 2' --format json",
          "Prints one version as JSON for another program."),
        Example(
          "quire model Trips.xcdatamodeld --version Trips --diff Trips.xcdatamodeld",
          "Shows the changes since the first version."),
        Example(
          "quire model Trips.xcdatamodeld --format swift --output Sources/Trips/Model",
          "Writes a class for each entity, and a list of the classes."),
      ]
    ) { invocation in
      let makesCode = invocation.value(of: form) == "swift"
      try checkOptions(invocation, makesCode: makesCode)
      if invocation.has(versions) {
        try list(reader.read(invocation[path]), invocation)
        return .done
      }
      if makesCode { return try writeCode(reader, invocation) }
      let chosen = try reader.model(at: invocation[path], version: invocation.value(of: version))
      if let other = invocation.value(of: diff) {
        return try compare(chosen, with: reader.model(at: other), invocation)
      }
      try show(chosen, invocation)
      return .done
    }
  }

  /// Throws an error for options that would have no effect.
  private static func checkOptions(
    _ invocation: Invocation, makesCode: Bool
  ) throws(CommandError) {
    if makesCode {
      for option in [versions, diff] where invocation.has(option) {
        throw .wrongUsage("Option '--\(option.name)' can't be combined with '--format swift'.")
      }
    } else {
      for option in [output, force, access, unmarked, module] where invocation.has(option) {
        throw .wrongUsage(
          "Option '--\(option.name)' needs '--format swift'.", hint: "Add '--format swift'.")
      }
    }
  }

  /// Returns the format of results that are not source code.
  static func format(_ invocation: Invocation) -> OutputFormat {
    invocation.value(of: form).flatMap(OutputFormat.init) ?? .text
  }

  private static func list(_ list: ModelVersions, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch format(invocation) {
    case .text:
      for version in list.versions {
        try output.writeLine(
          (version.name == list.currentName ? "* " : "  ") + oneLine(version.name))
      }
      for version in list.oldVersions {
        try output.writeLine("  \(oneLine(version.name)) (not read: the format before Xcode 4)")
      }
    case .json:
      let versions = JSON.object([
        "current": .string(list.currentName),
        "versions": .strings(list.versions.map(\.name)),
        "notRead": list.oldVersions.isEmpty ? nil : .strings(list.oldVersions.map(\.name)),
      ])
      try output.writeLine(versions)
    }
  }

  static func show(_ version: ModelVersions.Version, _ invocation: Invocation) throws {
    let output = invocation.console.output
    switch format(invocation) {
    case .text:
      let heading = output.styled("model \(oneLine(version.name))", .heading)
      try output.write("\(heading)\n\n" + Wording.text(version.model, on: output))
    case .json:
      let object = JSON.object([
        "version": .string(version.name), "model": Wording.json(version.model),
      ])
      try output.writeLine(object)
    }
  }
}
