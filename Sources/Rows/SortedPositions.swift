extension Array {
  /// The position of the first element that `isReached` says yes of; the count when there is none.
  ///
  /// The elements stand in an order in which all behind such a one are such, too.
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
