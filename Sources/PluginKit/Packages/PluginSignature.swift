import SystemPrograms

/// The signature of a packed plug-in, in a file beside the package. OpenSSH's `ssh-keygen` makes and checks it.
package struct PluginSignature {
  /// The path of the package.
  private let package: String

  package init(package: String) { self.package = package }

  /// The path of the signature.
  package var path: String { package + ".sig" }

  /// The purpose that is part of each signature. It keeps a signature of another file, made with the same key,
  /// from passing for one of a plug-in.
  private static let namespace = "quire-plugin"
  private static let program = CapturedProgram(name: "ssh-keygen")

  /// Signs the package with a private key. Replaces an old signature.
  ///
  /// - Throws: ``PluginKitError`` with the message of `ssh-keygen`.
  package func sign(with key: String) throws {
    let run = try Self.program.run(["-Y", "sign", "-f", key, "-n", Self.namespace, package])
    guard run.exitCode == 0 else {
      throw PluginKitError(
        .inputOutput, "'\(package)' can't be signed: \(run.messages)",
        hint:
          "--sign takes the file of a private key of OpenSSH. 'ssh-keygen -t ed25519 -f KEY' makes one."
      )
    }
  }

  /// Checks the signature, and returns its signer in words.
  ///
  /// - Parameter signers: The file with the keys of known signers, in OpenSSH's form *allowed signers*; `nil` to check
  ///   only that the package is the one that was signed.
  /// - Throws: ``PluginKitError`` for a signature of another file, and of a signer who is not known.
  package func check(against signers: String?) throws -> String {
    guard let signers else {
      let run = try Self.program.run(
        ["-Y", "check-novalidate", "-n", Self.namespace, "-s", path], input: package)
      guard run.exitCode == 0 else { throw wrong(run) }
      let key = run.output.split(separator: " ").last.map { String($0) } ?? "unknown"
      return "the key \(key), which is not compared with known keys"
    }
    let named = try Self.program.run(["-Y", "find-principals", "-s", path, "-f", signers])
    guard named.exitCode == 0, let signer = named.output.split(separator: "\n").first else {
      throw PluginKitError(
        .refused,
        "The signature '\(path)' is of no signer in '\(signers)'.",
        hint: "Install only packages of signers that you trust.")
    }
    let run = try Self.program.run(
      [
        "-Y", "verify", "-n", Self.namespace, "-f", signers, "-I", String(signer), "-s", path,
      ], input: package)
    guard run.exitCode == 0 else { throw wrong(run) }
    return String(signer)
  }

  private func wrong(_ run: CapturedProgram.Run) -> PluginKitError {
    PluginKitError(
      .refused,
      "'\(package)' is not the file that was signed: the signature '\(path)' does not fit it.",
      hint: "Get the package and its signature again.")
  }
}
