/// How a command ended, as scripts see it. The numbers are a promise and never change meaning.
public enum ExitCode: Int32, Sendable, CaseIterable {
  /// The command did what it was asked to do.
  case done = 0
  /// The command worked, and its answer is no: different, invalid, in conflict with another save, nothing found.
  case no = 1
  /// The command line could not be understood.
  case wrongUsage = 2
  /// Something could not be read or written: no such file, no permission, a full disk.
  case inputOutput = 3
  /// The input is in no format Quire knows, or damaged beyond reading.
  case unreadable = 4
  /// A plug-in is missing, or was refused.
  case plugin = 5
  /// The input was written in a newer version of its format.
  case newerFormat = 6
  /// The model does not fit: a migration is needed, or impossible.
  case modelMismatch = 7
  /// A fault of Quire's own.
  case internalFault = 70
  /// The user interrupted the command.
  case interrupted = 130
}

extension ExitCode {
  /// What the code means, in the words of the documentation.
  public var meaning: String {
    switch self {
    case .done: "done"
    case .no: "the answer is no: different, invalid, in conflict with another save, nothing found"
    case .wrongUsage: "wrong usage"
    case .inputOutput: "cannot read or write: no such file, no permission, a full disk"
    case .unreadable: "not a format Quire knows, or damaged beyond reading"
    case .plugin: "a plug-in is missing or refused"
    case .newerFormat: "a newer format version"
    case .modelMismatch: "the model does not fit: migration needed, or impossible"
    case .internalFault: "a fault of Quire's own"
    case .interrupted: "interrupted"
    }
  }
}
