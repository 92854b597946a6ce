/// An operation that a simulated disk was asked for.
public struct RecordedOperation: Sendable, Hashable {
  /// Its number, counted from 1.
  public var number: Int
  /// What was asked.
  public var operation: DiskOperation
  /// The path, of an open file the one it was opened at.
  public var path: String
  /// The bytes it was about: of a read or a write those asked for, of a truncation the new length.
  public var range: Range<Int>?
  /// The error it ended with.
  public var failure: ErrorNumber?
}

extension RecordedOperation: CustomStringConvertible {
  /// Number, operation, path, bytes and error: `#7 write /notes.store [0, 512): … (EIO)`.
  public var description: String {
    var text = "#\(number) \(operation) \(path)"
    if let range { text += " [\(range.lowerBound), \(range.upperBound))" }
    if let failure { text += ": \(failure)" }
    return text
  }
}
