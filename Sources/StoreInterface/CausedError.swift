import DurableFiles

/// An error that may have another error as its cause.
package protocol CausedError: Error {
  var cause: (any Error)? { get }
}

extension StoreError: CausedError {}

/// Returns what `body` reads, or `nil` if it is damaged or missing.
///
/// Use this function instead of `try?` where a command can do without the part that it reads. A failed disk or server is
/// an error nevertheless, because the command would otherwise give another answer than a moment later.
///
/// - Throws: The error of `body` if the disk or the server has failed.
package func readIfSound<Result>(_ body: () throws -> Result) throws -> Result? {
  do { return try body() } catch {
    if error.isFailureOfDisk { throw error }
    return nil
  }
}

extension Error {
  /// Whether a disk or a server has failed, so that the same call may succeed a moment later. Damaged and missing files
  /// do not count, because the same call would fail again.
  package var isFailureOfDisk: Bool {
    var cause: any Error = self
    while let next = (cause as? any CausedError)?.cause { cause = next }
    switch cause {
    case let failure as DiskError: return !failure.code.isOfContents
    case let failure as StoreError: return failure.code == .inputOutput
    default: return false
    }
  }
}

extension DiskError.Code {
  /// Whether the failure comes from what lies on the disk, and comes again at the next attempt.
  fileprivate var isOfContents: Bool {
    let codes: [DiskError.Code] = [
      .damaged, .notFound, .notADirectory, .isDirectory, .notARegularFile, .symbolicLink,
      .invalidPath, .tooLarge, .unexpectedEnd,
    ]
    return codes.contains(self)
  }
}
