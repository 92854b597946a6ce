import CommandInterface
import ObjectModel
import ObjectQuery

/// A note about a pattern of `LIKE` with the signs of SQL, if it has found nothing.
enum ForeignPattern {
  /// Prints the note to the messages, if the predicate has such a pattern.
  static func note(_ predicate: QueryPredicate?, on console: Console) throws {
    guard let predicate, let pattern = pattern(in: predicate) else { return }
    let form = pattern.replacing("%", with: "*").inQuotationMarks { _ in nil }
    try console.messages.writeLine(
      "note: In LIKE, % stands for itself. Write * for any characters: LIKE \(form).")
  }

  private static func pattern(in predicate: QueryPredicate) -> String? {
    switch predicate {
    case .constant: return nil
    case .and(let parts), .or(let parts): return parts.lazy.compactMap { pattern(in: $0) }.first
    case .not(let part): return pattern(in: part)
    case .comparison(let comparison):
      guard comparison.operation == .like,
        case .constant(.string(let text)) = comparison.right, text.contains("%"),
        !text.contains("*")
      else { return nil }
      return text
    }
  }
}
