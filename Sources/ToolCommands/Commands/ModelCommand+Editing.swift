import CommandInterface
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import SystemPrograms

extension ModelCommand {
  static let edited = Argument(
    "DOC", "With 'edit' in place of PATH, the document or store whose model is edited.",
    isRequired: false, role: .input)
  static let yes = Option("yes", "With 'edit', migrates without a question.")
  static let allowLoss = Option(
    "allow-loss",
    "With 'edit', permits the migration to drop the objects, values and links that its plan lists.")

  /// Opens the text of a document's model in an editor, shows the changes and the plan of the migration, and migrates.
  static func edit(
    _ path: String, _ models: ModelReader, _ stores: StoreReader, _ invocation: Invocation
  ) throws -> ExitCode {
    let console = invocation.console
    guard console.input.isTerminal || invocation.has(yes) else {
      throw CommandError.wrongUsage(
        "'quire model edit' asks questions, so it needs a terminal or --yes.",
        hint:
          "Or write the text with 'quire model \(oneLine(path)) --output NAME.model', edit it, and run "
          + "'quire migrate \(oneLine(path)) --model NAME.model'.")
    }
    let current = try models.model(at: path)
    let name = nextName(current.name)
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "quire-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "\(name.replacing("/", with: "-")).model")
    let before = ModelText.write(current.model)
    try Data(before.utf8).write(to: file)
    var answers = InputText(console.input)
    var keepsText = false
    defer { if !keepsText { try? FileManager.default.removeItem(at: folder) } }

    while true {
      try openEditor(on: file, invocation)
      let text = try String(contentsOf: file, encoding: .utf8)
      if text == before {
        try console.messages.writeLine("The model is unchanged.")
        return .done
      }
      keepsText = true
      do {
        let changed = try models.model(at: file.path)
        let difference = ModelDifference(from: current.model, to: changed.model)
        if difference.isEmpty {
          keepsText = false
          try console.messages.writeLine("The model is unchanged.")
          return .done
        }
        _ = try compare(current, with: changed, invocation)
        try invocation.write(notes: renamings(difference))
        try invocation.writeWarnings(about: changed.model)
        try console.output.write("\n")
        // With --yes nobody reads the plan before the migration, which prints it too.
        if !invocation.has(yes) {
          _ = try migrate(path, to: file, stores, models, invocation, more: ["--dry-run"])
        }
        guard try invocation.has(yes) || answers.agrees(to: "Migrate? [y/N] ", console) else {
          try console.messages.writeLine("Nothing is migrated. The text is kept: \(file.path)")
          return .done
        }
        // With a question before it, the plan is on the screen already.
        let code = try migrate(
          path, to: file, stores, models, invocation, showsPlan: invocation.has(yes))
        keepsText = false
        return code
      } catch {
        guard console.input.isTerminal, !invocation.has(yes) else {
          try console.messages.writeLine("The text is kept: \(file.path)")
          throw error
        }
        console.report(CommandError(explaining: error))
        guard try answers.agrees(to: "Edit again? [y/N] ", console) else {
          try console.messages.writeLine("Nothing is migrated. The text is kept: \(file.path)")
          return .no
        }
      }
    }
  }

  /// Returns the name of the next version: `Trips 3` after `Trips 2`.
  static func nextName(_ name: String) -> String {
    let stem = name.hasSuffix(".quire") ? String(name.dropLast(6)) : name
    let parts = stem.split(separator: " ")
    guard parts.count > 1, let number = parts.last.flatMap({ Int($0) }), number < .max else {
      return stem + " 2"
    }
    return parts.dropLast().joined(separator: " ") + " \(number + 1)"
  }

  private static func openEditor(on file: URL, _ invocation: Invocation) throws {
    let environment = ThisProgram.environment
    let command =
      [environment["VISUAL"], environment["EDITOR"]].lazy
      .compactMap(\.self).first { !$0.isEmpty } ?? "vi"
    let code = try ShellProgram(
      role: "editor", command: command + " \"$1\"", arguments: [file.path]
    ).run()
    guard code == 0 else {
      throw CommandError(
        .inputOutput,
        "The editor '\(oneLine(command))' ended with exit code \(code), so nothing is changed.",
        hint: "The variables VISUAL and EDITOR name the editor.")
    }
  }

  /// Runs `quire migrate` with the text as the new version.
  ///
  /// - Parameter showsPlan: Whether the plan is printed, and not only that the migration is done.
  private static func migrate(
    _ path: String, to file: URL, _ stores: StoreReader, _ models: ModelReader,
    _ invocation: Invocation, more: [String] = [], showsPlan: Bool = true
  ) throws -> ExitCode {
    let command = MigrateCommand.command(stores, models)
    let loss = invocation.has(allowLoss) ? ["--allow-loss"] : []
    let origin = [Option.message, .author].flatMap { option in
      invocation.value(of: option).map { ["--\(option.name)", $0] } ?? []
    }
    let words = ["--model", file.path] + loss + origin + more + ["--", path]
    let console = showsPlan ? invocation.console : invocation.console.withoutOutput
    let code = try command.run(command.parse(words, on: console))
    if !showsPlan { try invocation.console.output.writeLine("Done.") }
    return code
  }

  /// Returns sentences about properties that may have been renamed: of one entity, one property is gone and another one
  /// is new.
  private static func renamings(_ difference: ModelDifference) -> [String] {
    var removed: [String: [String]] = [:]
    var added: [String: [String]] = [:]
    for change in difference.changes {
      guard case .property(let name, of: let entity) = change.subject else { continue }
      switch change.action {
      case .removed: removed[entity, default: []].append(name)
      case .added: added[entity, default: []].append(name)
      case .renamed, .changed: break
      }
    }
    return removed.sorted { $0.key < $1.key }.compactMap { entity, gone in
      guard gone.count == 1, let new = added[entity], new.count == 1 else { return nil }
      return
        "\(oneLine(entity)).\(oneLine(gone[0])) is gone and \(oneLine(new[0])) is new. If it is the same "
        + "property under another name, write ', was \(oneLine(gone[0]))' after it, so that its values stay."
    }
  }
}
