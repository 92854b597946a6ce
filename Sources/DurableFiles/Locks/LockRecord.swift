/// The record that a lock holder writes into the lock file to name itself.
///
/// The operating system's lock decides which process is the holder. The record only names the holder, and shows that
/// a holder ended without releasing the lock. Its text has one field in each line:
///
/// ```text
/// quire-lock 1
/// host ada
/// boot 5d0f0e3c-…
/// process 4711
/// started 88123
/// ```
struct LockRecord: Hashable {
  var process: ProcessIdentity

  /// The longest record, in bytes. A longer file is not a lock record.
  static let byteLimit = 1024

  init(_ process: ProcessIdentity) { self.process = process }

  /// Reads the record in a lock file's bytes; `nil` for anything but a complete record.
  ///
  /// A reader may see a record that is only partly written, so the last line must end with a newline.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.byteLimit, bytes.last == UInt8(ascii: "\n") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.first == Self.heading else { return nil }
    var fields: [Substring: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ", maxSplits: 1)
      if let name = parts.first { fields[name] = parts.count > 1 ? String(parts[1]) : "" }
    }
    guard let host = fields["host"], let boot = fields["boot"],
      let process = fields["process"].flatMap(Int32.init),
      let started = fields["started"].flatMap(UInt64.init)
    else { return nil }
    self.process = ProcessIdentity(
      hostName: host, bootID: boot, processID: process, startTime: started)
  }

  /// Returns whether a file with the given first bytes contains a lock record of any version, or the beginning of
  /// one.
  static func mayBegin(_ bytes: [UInt8]) -> Bool {
    bytes.count <= byteLimit && zip(bytes, "quire-lock ".utf8).allSatisfy { $0 == $1 }
      && bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A }
  }

  /// The bytes of the record.
  var bytes: [UInt8] {
    let text = """
      \(Self.heading)
      host \(Self.oneLine(process.hostName))
      boot \(Self.oneLine(process.bootID))
      process \(process.processID)
      started \(process.startTime)

      """
    return Array(text.utf8)
  }

  private static let heading: Substring = "quire-lock 1"

  private static func oneLine(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(255))
  }
}
