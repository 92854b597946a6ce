extension Array {
  /// Returns the position of the first element that satisfies `isReached`; the count when there is none.
  ///
  /// Every element after such an element must satisfy `isReached` too.
  @inlinable
  package func firstPosition(where isReached: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) >> 1
      if isReached(self[middle]) { high = middle } else { low = middle &+ 1 }
    }
    return low
  }
}
