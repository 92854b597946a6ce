/// Finds the name that was probably meant by one that does not exist.
package struct NameSuggestion {
  /// How many comparisons of two names are left. A hostile model may hold thousands of wrong names,
  /// and looking for a neighbour of each would take quadratic time.
  private var comparisonsLeft = 100_000

  package init() {}

  /// ` Did you mean "Stop"?`, or nothing when no candidate is near.
  ///
  /// Give the candidates lazily: none is asked for when there will be no search.
  package mutating func sentence(for name: String, among candidates: some Sequence<String>)
    -> String
  {
    nearest(to: name, among: candidates).map { " Did you mean \"\($0)\"?" } ?? ""
  }

  /// The candidate with the fewest letters changed, if they are few.
  package mutating func nearest(
    to name: String, among candidates: some Sequence<String>
  ) -> String? {
    let letters = Array(name.lowercased().utf16.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      guard comparisonsLeft > 0 else { break }
      comparisonsLeft -= 1
      let limit = min(letters.count / 3 + 1, best.map { $0.distance - 1 } ?? .max)
      let other = Array(candidate.lowercased().utf16.prefix(64))
      guard abs(other.count - letters.count) <= limit else { continue }
      let distance = Self.distance(letters, other)
      if distance <= limit { best = (candidate, distance) }
    }
    return best?.name
  }

  /// How many letters must be changed, put in or taken out to make one word of the other; two
  /// neighbours in the wrong order count as one.
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
