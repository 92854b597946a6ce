// SAFETY: The memory of the texts belongs to the structure until `release`, which the receiver calls once.

internal import CQuire

/// The error of a call as a structure of quire.h.
enum Failure {
  /// Fills a structure of the caller with an error.
  @unsafe static func report(_ error: any Error, to target: UnsafeMutablePointer<quire_error>?)
    -> Int32
  {
    let code = FailureCode(error)
    guard let target = unsafe target else { return code.rawValue }
    let message = Array(text(of: error).utf8).map { $0 == 0 ? UInt8(ascii: " ") : $0 } + [0]
    let hint: [UInt8] = self.hint(for: code).map { Array($0.utf8) + [0] } ?? []
    let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: message.count + hint.count)
    unsafe texts.initialize(from: message, count: message.count)
    unsafe (texts + message.count).initialize(from: hint, count: hint.count)
    unsafe texts.withMemoryRebound(to: CChar.self, capacity: message.count + hint.count) { start in
      unsafe target.initialize(
        to: quire_error(
          code: code.rawValue, message: start,
          hint: hint.isEmpty ? nil : start + message.count,
          release: { error in
            guard let error = unsafe error, unsafe error.pointee.release != nil else { return }
            unsafe error.pointee.release = nil
            unsafe error.pointee.private_data?.deallocate()
          },
          private_data: UnsafeMutableRawPointer(texts)))
    }
    return code.rawValue
  }

  /// Returns the sentences of an error. A save may break a rule for each of a million objects.
  private static func text(of error: any Error) -> String {
    let lines = "\(error)".split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > mostLines else { return lines.joined(separator: "\n") }
    return lines.prefix(mostLines).joined(separator: "\n")
      + "\n  and \(lines.count - mostLines) more"
  }

  private static let mostLines = 21

  /// Returns the next step for a person.
  private static func hint(for code: FailureCode) -> String? {
    switch code {
    case .locked:
      "Close the document in the other program, or open it with shared access or for reading only."
    case .damaged: "The tool saves what can be read: quire recover DOCUMENT --output COPY."
    case .incompatibleModel: "Migrate the document to the model first."
    case .newerFormat: "Install a newer version of Quire."
    case .conflict: "Discard the changes or refresh, and make them again."
    default: nil
    }
  }
}
