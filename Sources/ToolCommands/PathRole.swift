/// How a command uses a path that its command line names.
///
/// Every argument and option that takes a path declares its role. A command gets an output only as an ``Output``,
/// which refuses what must not be written over.
enum PathRole: Sendable, Hashable {
  /// The value is no path.
  case none
  /// The command reads the file or the folder. It may also change a store or a document in its place.
  case input
  /// Several inputs, with commas between.
  case inputs
  /// The command makes the file or the folder.
  case output
  /// The command writes files into the folder, beside other files that are there.
  case outputFolder

  /// Whether the command writes to the path.
  var isOutput: Bool { self == .output || self == .outputFolder }
}

extension Invocation {
  /// All paths that the command reads.
  var inputs: [String] {
    command.arguments.filter { $0.role == .input }.flatMap { values(of: $0) }
      .filter { $0 != "-" }
      + command.options.flatMap { option -> [String] in
        switch option.role {
        case .input: value(of: option).map { [$0] } ?? []
        case .inputs: (value(of: option) ?? "").split(separator: ",").map(String.init)
        case .none, .output, .outputFolder: []
        }
      }
  }

  /// Whether the command line allows the command to replace what is there.
  var overwrites: Bool { command.options.contains { $0.name == Option.forceName && has($0) } }
}

extension Option {
  /// The name of the option that allows a command to replace a file.
  static let forceName = "force"
}
