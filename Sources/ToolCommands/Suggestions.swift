/// The word of `known` that `word` was probably meant to be; `nil` when none is near.
///
/// Near is one change for three letters: a letter more, less or other, or two neighbours swapped.
func nearest(to word: String, among known: [String]) -> String? {
  let limit = max(1, word.count / 3)
  return
    known
    .map { (candidate: $0, distance: editDistance(word.lowercased(), $0.lowercased())) }
    .filter { $0.distance <= limit }
    .min { $0.distance < $1.distance }?
    .candidate
}

/// How many changes turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left)
  let right = Array(right)
  // Only the last two rows of the table are needed: the one above, and the one above that for swaps.
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      var best = min(
        last[column + 1] + 1, current[column] + 1,
        last[column] + (left[row] == right[column] ? 0 : 1))
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
