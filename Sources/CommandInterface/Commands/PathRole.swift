/// The use that a command makes of a path on its command line.
///
/// Every argument and option that takes a path declares its role. A command gets an output only as an ``Output``, which
/// protects the command's inputs and existing files from being overwritten.
package enum PathRole: Sendable, Hashable {
  /// The value is not a path.
  case none
  /// The command reads the file or the folder. The command may also change a store or a document in place.
  case input
  /// The command reads the file from its beginning to its end, and so reads standard input without a copy.
  case stream
  /// Several inputs, with commas between.
  case inputs
  /// The command makes the file or the folder.
  case output
  /// The command makes the file. A lone dash is standard output.
  case file
  /// The command writes files into the folder, beside existing files.
  case outputFolder
  /// Without a path, or for a lone dash, the command prints. Otherwise it makes the file, or writes files into the
  /// folder.
  case printed(canBeFolder: Bool)

  /// Whether the command writes to the path.
  package var isOutput: Bool {
    isFolder || self == .output || self == .file || self == .printed(canBeFolder: false)
  }
  /// Whether the command may write files into the folder at the path.
  package var isFolder: Bool { self == .outputFolder || self == .printed(canBeFolder: true) }
}

extension Invocation {
  /// All paths that the command reads.
  package var inputs: [String] {
    let ofOptions = command.options.flatMap { option -> [String] in
      switch option.role {
      case .input, .stream: value(of: option).map { [$0] } ?? []
      case .inputs: (value(of: option) ?? "").split(separator: ",").map(String.init)
      case .none, .output, .file, .printed, .outputFolder: []
      }
    }
    let ofArguments = command.arguments.filter { $0.role == .input || $0.role == .stream }
      .flatMap { values(of: $0) }
    // A lone dash is standard input.
    return (ofArguments + ofOptions).filter { $0 != StandardFiles.word }
  }

  /// Whether the command line allows the command to replace existing files.
  package var overwrites: Bool {
    command.options.contains { $0.name == Option.forceName && has($0) }
  }
}

extension Option {
  /// The name of the option that allows a command to replace a file.
  package static let forceName = "force"
}
