import CommandInterface
import JSONText
import ObjectModel

/// `quire version`, also spelled `quire --version`
enum VersionCommand {
  /// The version of this tool and of Quire.
  static var version: String { QuireVersion.version }

  static let command = Command(
    "version", "prints the version of Quire", options: [.format],
    examples: [Example("quire --version", "Prints the version; 'quire version' is the same.")]
  ) { invocation in
    switch invocation.format {
    case .text: try invocation.console.output.writeLine("quire \(version)")
    case .json:
      try invocation.console.output.writeLine(JSON.object(["quire": .string(version)]))
    }
    return .done
  }
}
