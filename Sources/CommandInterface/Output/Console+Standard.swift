import Foundation

extension Console {
  /// Returns the console of this process, with the variables of its environment.
  ///
  /// Styles are written only to a terminal, and never if `NO_COLOR` is set to any value or `TERM` is `dumb`. The size is
  /// the value of `COLUMNS` and `LINES`, or the size of the terminal, or 80 columns and 24 lines.
  package static func standard(environment: [String: String]) -> Console {
    let output = stream(STDOUT_FILENO, "standard output", environment)
    let terminal = output.isTerminal ? Terminal(STDOUT_FILENO) : nil
    func size(_ variable: String, _ known: Int?) -> Int? {
      environment[variable].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? known
    }
    return Console(
      output: output,
      messages: stream(STDERR_FILENO, "standard error", environment),
      width: max(40, size("COLUMNS", terminal?.width) ?? 80),
      height: terminal == nil ? nil : size("LINES", terminal?.height) ?? 24,
      input: standardInput, environment: environment)
  }

  /// Returns whether the environment permits styles.
  package static func wantsColour(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  private static func stream(
    _ descriptor: Int32, _ name: String, _ environment: [String: String]
  ) -> Stream {
    let isTerminal = isatty(descriptor) == 1
    // SAFETY: The caller lends the bytes, and no more of them are written than there are.
    @Sendable func write(_ bytes: UnsafeRawBufferPointer) throws {
      var rest = unsafe bytes
      while unsafe !rest.isEmpty {
        let count = unsafe Foundation.write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno != EINTR {
          let reason = reason(ofNumber: errno)
          throw CommandError(.inputOutput, "Can't write to \(name): \(reason).")
        }
      }
    }
    return Stream(
      isTerminal: isTerminal, usesColour: isTerminal && wantsColour(environment),
      byteSink: { bytes in try unsafe bytes.withUnsafeBytes { try unsafe write($0) } },
      sink: { text in
        var text = text
        try text.withUTF8 { try unsafe write(UnsafeRawBufferPointer($0)) }
      })
  }

  /// Returns the system's own message for a failed write, without the words that Foundation adds.
  package static func reason(of error: any Error) -> String {
    let error = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
    guard error.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return reason(ofNumber: Int32(error.code))
  }

  /// Returns the system's own message for an error number.
  package static func reason(ofNumber number: Int32) -> String {
    // SAFETY: `strerror` gives a string for every number, and it is copied before anything else runs.
    unsafe String(cString: strerror(number))
  }
}
