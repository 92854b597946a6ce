import Checksums
import DiskSimulation
import Documents
import DurableFiles
import Validation

extension HostileInputs {
  /// Reads any bytes as a manifest: an error is allowed. A manifest that is written must read back equal, and the
  /// validator must find an error in exactly the manifests that the reader refuses.
  public static func manifest(_ bytes: [UInt8]) {
    read(bytes)
    // A changed manifest has a wrong checksum, which would hide all its other faults.
    read(withRightChecksum(bytes))
  }

  /// Returns a manifest with the right checksum in the place of its checksum (spec §7.3.9). Bytes that do not end with a
  /// checksum stay unchanged.
  public static func withRightChecksum(_ manifest: [UInt8]) -> [UInt8] {
    var end = manifest.endIndex
    for mark in [UInt8(ascii: "}"), UInt8(ascii: "\"")] {
      while end > 9, [0x20, 0x09, 0x0A, 0x0D].contains(manifest[end - 1]) { end -= 1 }
      guard end > 9, manifest[end - 1] == mark else { return manifest }
      end -= 1
    }
    guard manifest[end - 9] == UInt8(ascii: "\"") else { return manifest }
    let start = Array(manifest[..<(end - 8)])
    let digits = String(CRC32C.checksum(of: start), radix: 16)
    return start + Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
      + manifest[end...]
  }

  private static func read(_ bytes: [UInt8]) {
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
