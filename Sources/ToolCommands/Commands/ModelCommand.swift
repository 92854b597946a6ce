import JSONText
import ModelCode
import ObjectModel

/// The command `quire model`.
enum ModelCommand {
  static let path = Argument(
    "PATH",
    "A model: .xcdatamodeld, .xcdatamodel or its contents file; compiled, .momd or .mom; or a document, "
      + "packed or not, or a store that contains its model.", role: .input)
  static let version = Option(
    "version", value: "NAME", "Shows this version in place of the current one.")
  static let versions = Option("versions", "Lists the versions; the current one has a star.")
  static let diff = Option(
    "diff", value: "OTHER", role: .input,
    "Shows what differs from PATH to OTHER, in place of a model.")

  static let form = Option(
    "format", value: "FORMAT", choices: ["text", "json", "swift"],
    "The form of the results; text unless said otherwise. With swift, the model as source: a class for "
      + "each entity.")
  static let output = Option(
    "output", value: "DIR", role: .outputFolder,
    "Writes a file for each class into this folder, with --format swift.")
  static let force = Option(
    Option.forceName, "Replaces files in that folder that Quire did not write.")
  static let access = Option(
    "access", value: "WHO", choices: CodeAccess.allCases.map(\.rawValue),
    "Who sees the classes; public unless said otherwise.")
  static let unmarked = Option(
    "unmarked", value: "KIND", choices: CodeKind.allCases.map(\.rawValue),
    "What is made of entities whose source does not say: a class, an extension of one, or nothing; class "
      + "unless said otherwise.")
  static let module = Option(
    "module", value: "NAME",
    "The module that the classes are to be part of. With it, a class written by hand that the model says "
      + "is of another module is imported from there.")

  /// Returns the command. It reads models through `reader`.
  static func command(_ reader: ModelReader) -> Command {
    Command(
      "model", "shows a model: its entities, their properties and what belongs to them",
      discussion: """
        With --diff the exit code is 1 if the models differ and 0 if not. A star marks the changes that \
        version hashes see: after those, stores must be migrated.

        With --format swift the result is Swift source with typed classes, to be compiled with Quire. \
        Packages can have it made while they are built; docs/typed-classes.md tells how. Files that hold \
        what they should are left alone, and the names of the others are printed. Files of entities that \
        are gone are removed where they begin with the comment that Quire writes. A file that does not begin so \
        is replaced with --force only.
        """,
      arguments: [path],
      options: [version, versions, diff, form, output, force, access, unmarked, module],
      examples: [
        Example("quire model Trips.xcdatamodeld", "Shows the current version."),
        Example("quire model Trips.xcdatamodeld --versions", "Lists the versions it holds."),
        Example(
          "quire model Trips.momd --version 'Trips 2' --format json",
          "Gives one version to a program."),
        Example(
          "quire model Trips.xcdatamodeld --version Trips --diff Trips.xcdatamodeld",
          "Shows what became of the first version."),
        Example(
          "quire model Trips.xcdatamodeld --format swift --output Sources/Trips/Model",
          "Writes a class for each entity, and the list of them."),
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
        throw .wrongUsage("Option '--\(option.name)' does not go together with '--format swift'.")
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
