/// The name of a temporary file or folder that a process makes beside a path, to take the place of that path.
///
/// ```text
/// .Trips.xml.9c1f03e25d0f0e3c-1267-3ddf-00112233445566ff.quire-tmp
/// ```
///
/// The name contains the identity of the process that makes it. A later process can therefore check whether that
/// process still runs, and remove the leftovers of an ended process.
struct TemporaryName: Hashable {
  /// The last component of the path whose place is taken, shortened if it is long.
  var stem: String
  /// The hashes of the maker's host name and boot identifier, as hexadecimal digits.
  var origin: String
  /// The process number of the maker.
  var processID: Int32
  /// The start time of the maker.
  var startTime: UInt64
  /// A number that no other temporary name has.
  var number: UInt64

  static let ending = ".quire-tmp"
  /// Endings that SQLite adds to the name of a database.
  static let companionEndings = ["-wal", "-shm", "-journal"]

  /// Creates a new name for a file or folder that will take the place of `path`.
  init(for path: String, _ calls: any DiskCalls) {
    let name = path.lastPathComponent
    // A temporary file that is itself replaced has the stem of the first path, so that one search finds both.
    stem = TemporaryName.shortened(TemporaryName(parsing: name)?.stem ?? name)
    let process = calls.process
    origin = TemporaryName.origin(of: process)
    processID = process.processID
    startTime = process.startTime
    number = calls.uniqueNumber()
  }

  /// Parses a name; `nil` for a name that Quire did not make.
  init?(parsing name: String) {
    var text = name[...]
    for ending in TemporaryName.companionEndings where text.hasSuffix(TemporaryName.ending + ending)
    {
      text = text.dropLast(ending.count)
    }
    guard text.utf8.first == UInt8(ascii: "."), text.hasSuffix(TemporaryName.ending) else {
      return nil
    }
    text = text.dropFirst().dropLast(TemporaryName.ending.count)
    guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    stem = String(text[..<dot])
    let signature = text[text.utf8.index(after: dot)...]
    let parts = signature.split(separator: "-", omittingEmptySubsequences: false)
    guard !stem.isEmpty, parts.count == 4, parts[0].utf8.count == 16,
      UInt64(parts[0], radix: 16) != nil, let processID = Int32(parts[1], radix: 16),
      let startTime = UInt64(parts[2], radix: 16), parts[3].utf8.count == 16,
      let number = UInt64(parts[3], radix: 16)
    else { return nil }
    origin = String(parts[0])
    self.processID = processID
    self.startTime = startTime
    self.number = number
  }

  /// The name as a path component.
  var text: String {
    let process = String(processID, radix: 16) + "-" + String(startTime, radix: 16)
    return
      ".\(stem).\(origin)-\(process)-\(TemporaryName.digits(number, 16))\(TemporaryName.ending)"
  }

  /// Returns whether the process that made the name has ended, or is this process and could not remove the file.
  ///
  /// This process cannot check a process on another host, or in a container with its own host name. Such a
  /// process counts as running.
  func isAbandoned(seenBy calls: any DiskCalls) -> Bool {
    let own = calls.process
    let ownOrigin = TemporaryName.origin(of: own)
    guard origin.prefix(8) == ownOrigin.prefix(8) else { return false }
    if origin != ownOrigin { return true }
    let maker = ProcessIdentity(
      hostName: own.hostName, bootID: own.bootID, processID: processID, startTime: startTime)
    if maker == own { return calls.hasAbandoned(temporaryNumber: number) }
    return !calls.isRunning(maker)
  }

  /// Returns whether this process made the name.
  func isOwn(_ calls: any DiskCalls) -> Bool {
    let own = calls.process
    return origin == TemporaryName.origin(of: own) && processID == own.processID
      && startTime == own.startTime
  }

  /// Returns the beginning of a long name. Most file systems allow 255 bytes, and the rest of the name takes up to
  /// 90.
  static func shortened(_ name: String) -> String {
    var stem = name
    while stem.utf8.count > 150 { stem.removeLast() }
    return stem
  }

  private static func origin(of process: ProcessIdentity) -> String {
    hash(process.hostName) + hash(process.bootID)
  }

  /// Returns a hash (FNV-1a) of a text, in eight digits. It only has to differ from host to host and from boot to
  /// boot.
  private static func hash(_ text: String) -> String {
    var hash: UInt32 = 0x811c_9dc5
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return digits(UInt64(hash), 8)
  }

  private static func digits(_ number: UInt64, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: count - text.utf8.count) + text
  }
}
