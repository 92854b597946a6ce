import Foundation

extension Value {
  /// Returns whether another value is identical to the last bit. "Not a number" equals itself, zeros of different
  /// sign differ, and texts are compared by their bytes.
  package func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    case (.date(let one), .date(let other)):
      one.timeIntervalSinceReferenceDate.bitPattern
        == other.timeIntervalSinceReferenceDate.bitPattern
    case (.decimal(let one), .decimal(let other)): one == other || (one.isNaN && other.isNaN)
    case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)):
      one.utf8.elementsEqual(other.utf8)
    default: self == other
    }
  }
}
