/// The exit codes of commands, for scripts. The meaning of a number never changes.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case done = 0
  /// The command worked, and its answer is no: different, invalid, in conflict with another save, nothing found.
  case no = 1
  /// The command line could not be understood.
  case wrongUsage = 2
  /// A read or write failed: no such file, no permission, a full disk.
  case inputOutput = 3
  /// The input is in no format that Quire knows, or is too damaged to be read.
  case unreadable = 4
  /// A plug-in is missing, or was refused.
  case plugin = 5
  /// The input was written in a newer version of its format.
  case newerFormat = 6
  /// The model does not fit: a migration is needed, or impossible.
  case modelMismatch = 7
  /// An internal error of Quire.
  case internalFault = 70
  /// The user interrupted the command.
  case interrupted = 130
}

extension ExitCode {
  /// The name of the code in JSON, for programs.
  package var name: String {
    switch self {
    case .done: "done"
    case .no: "no"
    case .wrongUsage: "wrong-usage"
    case .inputOutput: "input-output"
    case .unreadable: "unreadable"
    case .plugin: "plugin"
    case .newerFormat: "newer-format"
    case .modelMismatch: "model-mismatch"
    case .internalFault: "internal-fault"
    case .interrupted: "interrupted"
    }
  }

  /// The meaning of the code, in the words of the documentation.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .no:
      "the answer is no: different, invalid, in conflict with another save, or nothing found"
    case .wrongUsage: "wrong usage"
    case .inputOutput: "cannot read or write: no such file, no permission, a full disk"
    case .unreadable: "not a known format, or too damaged to read"
    case .plugin: "a plug-in is missing or refused"
    case .newerFormat: "written in a newer version of the format"
    case .modelMismatch:
      "the model does not fit the store; the store needs a migration, or none is possible"
    case .internalFault: "a fault in Quire"
    case .interrupted: "interrupted"
    }
  }
}
