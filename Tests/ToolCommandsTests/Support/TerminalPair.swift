import Foundation

/// A terminal, and the end that a test types into.
final class TerminalPair: Sendable {
  /// The end of the typist.
  let outer: Int32
  let inner: Int32

  struct Failure: Error {}

  init() throws {
    // These are the requests TIOCSPTLCK and TIOCGPTN to the device. They replace `posix_openpt`, `unlockpt` and
    // `ptsname`, which Swift does not import.
    outer = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: CInt = 0
    var number: CInt = 0
    guard outer >= 0, ioctl(outer, 0x4004_5431, &isLocked) == 0,
      ioctl(outer, 0x8004_5430, &number) == 0
    else { throw Failure() }
    inner = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    guard inner >= 0 else { throw Failure() }
  }

  deinit {
    close(inner)
    close(outer)
  }

  /// Tells programs in the terminal how many columns and lines it has.
  func resize(width: Int, height: Int) {
    var size = winsize(
      ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(inner, UInt(TIOCSWINSZ), &size)
  }

  /// Starts a program in the terminal, by default the tool, with only the given variables.
  func start(
    _ words: [String], program: URL = BuiltTool.url, in folder: URL? = nil,
    _ environment: [String: String]
  ) throws -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    if let folder { process.currentDirectoryURL = folder }
    let terminal = FileHandle(fileDescriptor: inner)
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    // A tool under a sanitizer needs the options of the sanitizer: a report of leaks would fill the terminal.
    let options = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    process.environment = options.merging(environment) { $1 }
    try process.run()
    return process
  }

  func type(_ keys: String) throws { try write(Array(keys.utf8), to: outer) }

  func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the output of the terminal up to the given text, or until a minute has passed.
  func read(until text: String) throws -> String {
    var seen: [UInt8] = []
    let wanted = Array(text.utf8)
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end {
      var poll = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
      guard Foundation.poll(&poll, 1, 1000) > 0 else { continue }
      // One byte at a time, so that no byte after the text is read.
      var byte: UInt8 = 0
      guard Foundation.read(outer, &byte, 1) == 1 else { break }
      seen.append(byte)
      if seen.suffix(wanted.count).elementsEqual(wanted) { break }
    }
    return String(decoding: seen, as: UTF8.self)
  }

  /// Returns the output of the terminal until the process has ended, or until a minute has passed.
  func readRest(of process: Process) throws -> String {
    var seen: [UInt8] = []
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end {
      // All output of an ended process is in the terminal.
      let hasEnded = !process.isRunning
      var poll = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
      guard Foundation.poll(&poll, 1, hasEnded ? 0 : 20) > 0 else {
        if hasEnded { break }
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 12)
      let count = Foundation.read(outer, &buffer, buffer.count)
      guard count > 0 else { break }
      seen.append(contentsOf: buffer.prefix(count))
    }
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return String(decoding: seen, as: UTF8.self)
  }
}
