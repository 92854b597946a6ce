/// The numbers of new objects. An object keeps its number if the number is free.
struct KeyAssignment {
  private var ranges: [Range<UInt64>]
  private var used: Set<UInt64>

  /// Returns the numbers of objects, by the numbers that they have elsewhere.
  ///
  /// - Parameters:
  ///   - others: Numbers that no object gets.
  ///   - lease: Reserves at least the given count of numbers.
  static func numbers(
    for wanted: [UInt64], avoiding others: Set<UInt64>,
    _ lease: (_ count: Int) throws -> Range<UInt64>
  ) throws -> [UInt64: UInt64] {
    guard let highest = wanted.max() else { return [:] }
    var assignment = KeyAssignment(ranges: [try lease(wanted.count)], used: others)
    let first = assignment.ranges[0]
    if highest >= first.upperBound, highest - first.lowerBound < UInt64(wanted.count * 16 + 1024) {
      assignment.ranges.append(try lease(Int(highest - first.upperBound) + 1))
    }
    var numbers: [UInt64: UInt64] = [:]
    var waiting: [UInt64] = []
    for number in wanted.sorted() {
      if assignment.take(number) { numbers[number] = number } else { waiting.append(number) }
    }
    for number in waiting {
      if assignment.isEmpty { assignment.ranges.append(try lease(waiting.count)) }
      numbers[number] = assignment.takeFirst()
    }
    return numbers
  }

  private init(ranges: [Range<UInt64>], used: Set<UInt64>) {
    self.ranges = ranges
    self.used = used
  }

  /// Uses a number, if it is reserved and free.
  private mutating func take(_ number: UInt64) -> Bool {
    ranges.contains { $0.contains(number) } && used.insert(number).inserted
  }

  /// Whether every number is used. Used numbers at the beginning are removed.
  private var isEmpty: Bool {
    mutating get {
      while let first = ranges.first {
        if first.isEmpty {
          ranges.removeFirst()
        } else if used.contains(first.lowerBound) {
          ranges[0] = first.lowerBound + 1..<first.upperBound
        } else {
          return false
        }
      }
      return true
    }
  }

  private mutating func takeFirst() -> UInt64 {
    precondition(!isEmpty, "All reserved numbers are used.")
    let number = ranges[0].lowerBound
    ranges[0] = number + 1..<ranges[0].upperBound
    return number
  }
}
