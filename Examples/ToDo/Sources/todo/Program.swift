import Foundation
import Quire

/// The program: it runs the command of a command line, prints the result and returns the exit code.
@MainActor
enum Program {
  static let usage = """
    Usage: todo COMMAND

      add NAME [--category NAME] [--due DAY] [--no-alert]
                          a new to-do; its category is made where there is none of the name
      list [--all]        what is open, or everything, by the day it is due
      done NUMBER         checks off the to-do of that number in the list
      due-soon [--days N] what is due within N days, or 7
      remind              what is due by tomorrow, each once a day
      categories [NAME...]
                          all categories, after making those that are named
      migrate [--custom]  brings a list of an earlier version to this one; --custom by the
                          mapping that keeps to-dos with an A in front from alerting

    Days are written 2026-12-01. The list is the file that TODO_STORE names, or todo.store.
    Exit codes: 0 done, 1 not saved, 2 wrong usage, 3 the list can't be opened or brought here.
    """

  /// Runs a command and saves its changes: all of them, or none if the command or the save fails.
  static func run(_ words: [String]) -> Int32 {
    do {
      let arguments = try Arguments(words)
      let path = ProcessInfo.processInfo.environment["TODO_STORE"] ?? "todo.store"
      if arguments.command == .migrate {
        try ListMigration.run(at: path, isCustom: arguments.has("custom"))
        return 0
      }
      let list = try ToDoList(at: path, version: arguments["model-version"])
      let lines = try list.perform(arguments)
      try list.save()
      for line in lines { print(line) }
      return 0
    } catch let error as UsageError {
      return say("error: \(error.message)\n\(usage)", 2)
    } catch let error as ContextError
      where !error.failures.isEmpty || !error.constraintConflicts.isEmpty
    {
      // The error contains all failures of the save, so the user can correct all of them at once.
      let failures = error.failures.map { "  \($0.entity): \($0.message)" }
      let conflicts = error.constraintConflicts.map { conflict in
        let values = conflict.constraint.map {
          "\($0) \"\(conflict.values[$0]?.plainText ?? "")\""
        }
        return "  \(conflict.entity): Another object has the \(values.joined(separator: " and "))."
      }
      return say((["error: Nothing was saved."] + failures + conflicts).joined(separator: "\n"), 1)
    } catch {
      return say("error: \(error)", 3)
    }
  }

  private static func say(_ message: String, _ code: Int32) -> Int32 {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    return code
  }
}

extension ToDoList {
  /// Performs the command of a command line.
  ///
  /// - Returns: The lines to print after the save.
  func perform(_ arguments: Arguments) throws -> [String] {
    switch arguments.command {
    case .add:
      return try add(
        arguments.word("a name"), category: arguments["category"],
        due: arguments["due"].map(Day.date), isQuiet: arguments.has("no-alert"))
    case .list: return try lines(all: arguments.has("all"))
    case .done: return try checkOff(arguments.number(arguments.word("a number")))
    case .dueSoon: return try dueSoon(days: arguments.number(arguments["days"] ?? "7"))
    case .remind: return try remind()
    case .categories: return try categories(adding: arguments.words)
    case .migrate: return []
    }
  }
}
