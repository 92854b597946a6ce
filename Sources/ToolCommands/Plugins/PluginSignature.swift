import CommandInterface
import SystemPrograms

/// The signature of a packed plug-in, in a file beside the package. OpenSSH's `ssh-keygen` makes and checks it.
struct PluginSignature {
  /// The path of the package.
  let package: String

  /// The path of the signature.
  var path: String { package + ".sig" }

  /// The purpose that a signature states, so that no signature of another file can be taken for one of a plug-in.
  private static let namespace = "quire-plugin"
  private static let program = CapturedProgram(name: "ssh-keygen")

  /// Signs the package with a private key. Replaces an old signature.
  ///
  /// - Throws: ``CommandError`` with the message of `ssh-keygen`.
  func sign(with key: String) throws {
    let run = try Self.program.run(["-Y", "sign", "-f", key, "-n", Self.namespace, package])
    guard run.exitCode == 0 else {
      throw CommandError(
        .inputOutput, "'\(oneLine(package))' can't be signed: \(oneLine(run.messages))",
        hint:
          "--sign takes the file of a private key of OpenSSH. 'ssh-keygen -t ed25519 -f KEY' makes one."
      )
    }
  }

  /// Checks the signature, and returns its signer in words.
  ///
  /// - Parameter signers: The file with the keys of known signers, in OpenSSH's form *allowed signers*; `nil` to check
  ///   only that the package is the one that was signed.
  /// - Throws: ``CommandError`` for a signature of another file, and of a signer who is not known.
  func check(against signers: String?) throws -> String {
    guard let signers else {
      let run = try Self.program.run(
        ["-Y", "check-novalidate", "-n", Self.namespace, "-s", path], input: package)
      guard run.exitCode == 0 else { throw wrong(run) }
      let key = run.output.split(separator: " ").last.map { oneLine(String($0)) } ?? "unknown"
      return "the key \(key), which is not compared with known keys"
    }
    let named = try Self.program.run(["-Y", "find-principals", "-s", path, "-f", signers])
    guard named.exitCode == 0, let signer = named.output.split(separator: "\n").first else {
      throw CommandError(
        .plugin,
        "The signature '\(oneLine(path))' is of no signer in '\(oneLine(signers))'.",
        hint: "Install only packages of signers that you trust.")
    }
    let run = try Self.program.run(
      [
        "-Y", "verify", "-n", Self.namespace, "-f", signers, "-I", String(signer), "-s", path,
      ], input: package)
    guard run.exitCode == 0 else { throw wrong(run) }
    return oneLine(String(signer))
  }

  private func wrong(_ run: CapturedProgram.Run) -> CommandError {
    CommandError(
      .plugin,
      "'\(oneLine(package))' is not the file that was signed: the signature '\(oneLine(path))' does not fit it.",
      hint: "Get the package and its signature again.")
  }
}
