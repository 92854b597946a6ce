import CommandInterface
import DurableFiles
import Foundation
import SystemPrograms

/// A file that git could not merge, and the three versions of it in git's index.
struct GitConflict {
  /// The path in the repository.
  let path: String
  private let repository: GitProgram
  private let gitFolder: String

  /// The versions of the file; `nil` for one that does not have the file.
  struct Versions {
    let base: String?
    let ours: String?
    let theirs: String?
  }

  /// Looks at a file; `nil` if git has no conflict in it, or knows nothing of it.
  ///
  /// - Throws: ``CommandError`` if git is not installed.
  init?(_ file: String) throws {
    let git = GitProgram(folder: file.parentPath)
    let listed = try git.run([
      "--literal-pathspecs", "ls-files", "--unmerged", "-z", "--full-name", "--",
      file.lastPathComponent,
    ])
    // Each version is a line with the mode, the hash and the number, and then the path.
    guard listed.exitCode == 0, let line = listed.output.split(separator: "\0").first,
      let tab = line.firstIndex(of: "\t")
    else { return nil }
    path = String(line[line.index(after: tab)...])
    repository = GitProgram(folder: try git.output(["rev-parse", "--show-toplevel"]))
    gitFolder = try git.output(["rev-parse", "--absolute-git-dir"])
  }

  /// Calls `body` with copies of the versions, which are removed afterwards.
  func withVersions<R>(on disk: any Disk, _ body: (Versions) throws -> R) throws -> R {
    let folder = disk.temporaryPath(
      for: FileManager.default.temporaryDirectory.appending(path: path.lastPathComponent)
        .path(percentEncoded: false))
    try disk.makeDirectory(folder, permissions: FilePermissions(rawValue: 0o700))
    defer { try? disk.removeTree(folder) }
    // Git applies the filters of the file, and writes into the folder as if it were that of the repository.
    let names = try GitProgram(folder: folder).output([
      "--git-dir=\(gitFolder)", "--work-tree=\(folder)", "--literal-pathspecs", "checkout-index",
      "--stage=all", "--temp", "--", path,
    ]).prefix { $0 != "\t" }.split(separator: " ")
    guard names.count == 3 else {
      throw CommandError(.inputOutput, "git did not write the versions of '\(oneLine(path))'.")
    }
    let paths = names.map { $0 == "." ? nil : folder.appendingPathComponent(String($0)) }
    return try body(Versions(base: paths[0], ours: paths[1], theirs: paths[2]))
  }

  /// Tells git that the file in the working folder is the result.
  func add() throws {
    try repository.output(["--literal-pathspecs", "add", "--", path])
  }

  /// The command that resolves the conflict.
  static func hint(_ file: String) -> String {
    "Run 'quire git resolve \(CommandError.quoted(file))' with --ours, --theirs or --interactive."
  }
}
