import DiskSimulation
import Documents
import DurableFiles
import Validation

extension HostileInputs {
  /// Reads any bytes as a manifest: an error is allowed. A manifest that is written must read back equal, and the
  /// validator must find an error in exactly the manifests that the reader refuses.
  public static func manifest(_ bytes: [UInt8]) {
    let rules = manifestErrors(bytes)
    let manifest: Manifest
    do { manifest = try Manifest(bytes, path: "manifest") } catch {
      precondition(!rules.isEmpty, "No error was found, and the library refuses it: \(error)")
      return
    }
    precondition(rules.isEmpty, "The library takes it, and breaks \(rules).")
    let written = manifest.text
    let again = try? Manifest(Array(written.utf8), path: "manifest")
    precondition(again == manifest, "What is written is read.")
    precondition(again?.text == written, "And written the same.")
  }

  /// Returns the rules of severity error that the manifest breaks.
  public static func manifestErrors(_ bytes: [UInt8]) -> [String] {
    let disk = SimulatedDisk()
    try! disk.makeDirectory("/d")
    try! disk.open("/d/manifest.json", for: .create).append(bytes)
    let report = try! Validator().validate("/d", on: disk)
    return report.counts.keys.filter { $0.id.hasPrefix("MANI") && $0.severity == .error }.map(\.id)
      .sorted()
  }
}
