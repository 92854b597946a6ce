public import DurableFiles

/// An operation that a simulated disk was asked to do.
public struct RecordedOperation: Sendable, Hashable {
  /// The number of the operation, counted from 1.
  public var number: Int
  public var operation: DiskOperation
  /// The path; for an open file, the path at which it was opened.
  public var path: String
  /// The bytes of the operation: the requested bytes of a read or a write, or the new length of a truncation.
  public var range: Range<Int>?
  /// The error with which the operation failed.
  public var failure: ErrorNumber?
}

extension RecordedOperation: CustomStringConvertible {
  /// The number, operation, path, bytes and error: `#7 write /notes.store [0, 512): … (EIO)`.
  public var description: String {
    var text = "#\(number) \(operation) \(path)"
    if let range { text += " [\(range.lowerBound), \(range.upperBound))" }
    if let failure { text += ": \(failure)" }
    return text
  }
}
