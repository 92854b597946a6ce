import CommandInterface
import Comparison
import DurableFiles

extension Invocation {
  /// Returns the invocation with `--version 3` and the path `X` in place of the path `X@3`, for commands that read one version.
  ///
  /// - Throws: ``CommandError`` if the command line names the version twice, or if no version follows the @.
  func readingVersionInPath(on disk: any Disk = RealDisk()) throws -> Invocation {
    guard command.options.contains(.version), let argument = command.arguments.first,
      argument.role == .input, let word = value(of: argument)
    else { return self }
    let place = try VersionedPath(word, on: disk)
    guard let version = place.version else { return self }
    guard !has(.version) else {
      throw CommandError.wrongUsage(
        "'\(oneLine(word))' and --version both name a version.", hint: "Leave out one of them.")
    }
    return replacing(word, by: place.path, in: [argument], []).setting(.version, to: "\(version)")
  }
}
