import DurableFiles
import Foundation
import SystemPrograms

extension Exchange {
  /// The signatures of packs, made and checked by `ssh-keygen -Y` (spec §16.1.5).
  ///
  ///     let signing = Exchange.Signing(key: "~/.ssh/id_ed25519", signers: "signers")
  ///     try document.addRemote(named: "origin", at: "/mnt/share/trip", signing: signing)
  ///
  /// A document whose remote has this takes in only packs that one of the signers has signed. Any writer into the folder
  /// could change the document otherwise.
  public struct Signing: Sendable, Hashable {
    /// The path of the private key, or of the public key of a key that the SSH agent holds.
    public let key: String
    /// The path of the file with the trusted keys, in the form of `allowed_signers` of `ssh-keygen`: a name and a public key on
    /// each line.
    public let signers: String

    /// The purpose that a signature is for. A signature of anything else with the same key does not count.
    static let namespace = "quire-pack"
    /// The end of the name of a signature, behind the name of the pack.
    static let suffix = ".sig"

    /// Chooses the key and the trusted keys.
    public init(key: String, signers: String) {
      (self.key, self.signers) = (key, signers)
    }

    private static let program = CapturedProgram(name: "ssh-keygen")

    /// Returns the signature of a file.
    ///
    /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/signature`` if the key can't sign.
    func signature(of file: String, on disk: any Disk) throws -> [UInt8] {
      let made = file + Exchange.Signing.suffix
      defer { try? disk.remove(made) }
      do {
        let run = try Exchange.Signing.program.run([
          "-Y", "sign", "-f", key, "-n", Exchange.Signing.namespace, file,
        ])
        guard run.exitCode == 0 else { throw ProgramError(run.messages) }
      } catch let error as ProgramError {
        throw ExchangeError(
          .signature, "The pack can't be signed with the key '\(key)': \(error.message)",
          path: file,
          hint: error.hint)
      }
      return try disk.read(made, byteLimit: 1 << 20)
    }

    /// Checks the signature of a pack.
    ///
    /// - Throws: ``PackFault`` unless one of the signers has signed the file.
    func check(_ path: String, on disk: any Disk) throws {
      let signature = path + Exchange.Signing.suffix
      guard try disk.exists(signature) else { throw PackFault("is not signed.") }
      do {
        let found = try Exchange.Signing.program.run([
          "-Y", "find-principals", "-s", signature, "-f", signers,
        ])
        for name in found.output.split(separator: "\n") where found.exitCode == 0 {
          let run = try Exchange.Signing.program.run(
            [
              "-Y", "verify", "-f", signers, "-I", String(name), "-n", Exchange.Signing.namespace,
              "-s", signature,
            ], input: path)
          if run.exitCode == 0 { return }
        }
      } catch let error as ProgramError {
        throw PackFault("can't be checked: \(error.message)")
      }
      throw PackFault("is not signed by one of the signers in \(signers).")
    }
  }
}
