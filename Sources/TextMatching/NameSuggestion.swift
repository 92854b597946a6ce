/// A finder of the existing name that was probably meant by an unknown name.
package struct NameSuggestion {
  /// The remaining number of comparisons. A hostile model may have thousands of wrong names. Comparing each of them
  /// with all names would take quadratic time.
  private var comparisonsLeft = 100_000

  package init() {}

  /// Returns ` Did you mean "Stop"?`, or an empty text when no candidate is near.
  ///
  /// Pass the candidates lazily: the search stops when no comparisons remain.
  package mutating func sentence(for name: String, among candidates: some Sequence<String>)
    -> String
  {
    nearest(to: name, among: candidates).map { " Did you mean \"\($0)\"?" } ?? ""
  }

  /// Returns the candidate with the fewest different letters, if they are few; otherwise `nil`.
  ///
  /// Two names are near if at most a third of the letters of the longer one differ: one letter of up to four, two of
  /// five to eight, three of nine. Names without a common letter are never near.
  package mutating func nearest(
    to name: String, among candidates: some Sequence<String>
  ) -> String? {
    let letters = Array(name.lowercased().utf16.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      guard comparisonsLeft > 0 else { break }
      comparisonsLeft -= 1
      let other = Array(candidate.lowercased().utf16.prefix(64))
      let limit = min(
        Self.limit(max(letters.count, other.count)), best.map { $0.distance - 1 } ?? .max)
      guard abs(other.count - letters.count) <= limit else { continue }
      let distance = Self.distance(letters, other)
      if distance <= limit { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Returns the number of letters that may differ between two near names.
  ///
  /// - Parameter count: The number of letters of the longer name.
  private static func limit(_ count: Int) -> Int {
    (5...8).contains(count) ? 2 : min(max(1, count / 3), count - 1)
  }

  /// Returns the number of letters that must be changed, inserted or removed to turn one word into the other. Two
  /// swapped neighbours count as one change.
  private static func distance(_ left: [UInt16], _ right: [UInt16]) -> Int {
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var least = min(
          previous[column] + (letter == other ? 0 : 1), previous[column + 1] + 1,
          current[column] + 1)
        let isSwap =
          row > 0 && column > 0 && letter == right[column - 1] && left[row - 1] == other
        if isSwap { least = min(least, before[column - 1] + 1) }
        current.append(least)
      }
      (before, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
