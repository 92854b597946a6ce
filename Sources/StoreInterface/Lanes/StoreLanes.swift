import ObjectModel
import Rows

/// The lanes of object numbers that a store knows, and the lane in which its file counts (spec §4.4.6).
///
/// A **lane** is a range of numbers that begins at a multiple of 65,536 and belongs to one replica. A store that was
/// never copied counts in the first lane, from 1. A copy draws a random lane before it inserts its first object, so two
/// copies never give one number to two objects:
///
///     var lanes = try snapshot.metadata.lanes
///     lanes.draw()
///     lanes.firstFreeNumber(after: 18)  // The first number of the new lane, because 18 lies in another one.
package struct StoreLanes: Sendable, Hashable {
  /// The replica of each lane besides the first, by the lowest number of the lane.
  package private(set) var replicas: [UInt64: UInt64] = [:] {
    didSet { starts = replicas.keys.sorted() }
  }
  /// The lowest numbers of the lanes besides the first, ascending.
  private var starts: [UInt64] = []
  /// The lowest number of the lane in which the file counts; 0 for the first lane. `nil` if the metadata name a lane that
  /// they do not list: the next insertion draws another.
  package private(set) var current: UInt64? = 0

  /// Every lane begins at a multiple of this number.
  package static let step: UInt64 = 65_536
  /// The numbers at which drawn lanes begin.
  package static let starts: Range<UInt64> = 1 << 47..<(1 << 48) - (1 << 32)
  /// Numbers above all drawn lanes, for objects that are never saved.
  package static let firstTrialNumber: UInt64 = (1 << 48) - (1 << 31)

  /// Creates the lanes of a store that was never copied.
  package init() {}

  /// Creates lanes from metadata. A start outside of ``starts`` counts for nothing.
  package init(_ replicas: [UInt64: UInt64], current: UInt64?) {
    self.replicas = replicas.filter { StoreLanes.isStart($0.key) }
    starts = self.replicas.keys.sorted()
    self.current = current == 0 || current.flatMap { self.replicas[$0] } != nil ? current : nil
  }

  /// Whether the store was never copied, and knows no copy.
  package var isEmpty: Bool { replicas.isEmpty && current == 0 }

  /// Returns whether a drawn lane may begin at a number.
  package static func isStart(_ number: UInt64) -> Bool {
    starts.contains(number) && number % step == 0
  }

  // MARK: - Numbers

  /// A lane: its lowest number, and its replica. The first lane has no replica of its own.
  package struct Lane: Sendable, Hashable {
    package let start: UInt64
    package let replica: UInt64?
  }

  package func lane(of number: UInt64) -> Lane {
    let count = starts.firstPosition { $0 > number }
    guard count > 0 else { return Lane(start: 0, replica: nil) }
    return Lane(start: starts[count - 1], replica: replicas[starts[count - 1]])
  }

  /// The numbers of the lane in which the file counts. A lane ends where the next one begins.
  package var countedNumbers: Range<UInt64> {
    guard let current else { return 0..<0 }
    let next = starts.firstPosition { $0 > current }
    return current + 1..<(next < starts.count ? starts[next] : ObjectKey.highestNumber + 1)
  }

  /// Whether the lane in which the file counts ends where another one begins.
  package var isFollowed: Bool { countedNumbers.upperBound <= ObjectKey.highestNumber }

  /// Returns the lowest free number in the lane in which the file counts.
  ///
  /// - Parameter next: The number that the file records for an entity (`next_key`, spec §4.4.3); `nil` if the file
  ///   does not record one. A number of another lane is ignored.
  package func firstFreeNumber(after next: UInt64?) -> UInt64 {
    let numbers = countedNumbers
    guard let next, next >= numbers.lowerBound, next <= numbers.upperBound else {
      return numbers.lowerBound
    }
    return next
  }

  // MARK: - Changes

  /// Adds the lanes that another copy knows. The file goes on counting in its lane.
  package mutating func formUnion(_ others: StoreLanes) {
    replicas.merge(others.replicas) { own, _ in own }
  }

  /// Takes the lanes of metadata that a caller sets. A lane that is known is never lost, because a caller may have read
  /// the metadata before another process drew it. Only a lane that is new here becomes the lane to count in.
  package mutating func adopt(_ others: StoreLanes) {
    let isNew = others.current.map { $0 > 0 && replicas[$0] == nil } ?? false
    formUnion(others)
    if isNew { current = others.current }
  }

  /// Draws a random lane, in which the file counts from now on.
  package mutating func draw() {
    var generator = SystemRandomNumberGenerator()
    draw(using: &generator)
  }

  /// Draws a lane with the given generator.
  package mutating func draw(using generator: inout some RandomNumberGenerator) {
    let slots = StoreLanes.starts.upperBound / StoreLanes.step
    // No lane cuts off another one that this file knows, unless so many are known that no such place is left.
    var room: UInt64 = 1 << 32
    while true {
      let first = StoreLanes.starts.lowerBound / StoreLanes.step
      let start = UInt64.random(in: first..<slots, using: &generator) * StoreLanes.step
      let isFree = replicas.keys.allSatisfy { max($0, start) - min($0, start) >= room }
      if isFree {
        replicas[start] = .random(in: 0 ... .max, using: &generator)
        current = start
        return
      }
      room = max(room / 2, StoreLanes.step)
    }
  }

  /// Forgets the lane in which the file counts if the file has given no number of it to an object. Called before another
  /// lane is drawn.
  ///
  /// A file that a program replaces by copies again and again, as git does, would otherwise collect lanes.
  ///
  /// - Parameter nextKeys: The numbers that the file records (`next_key`), of all entities.
  package mutating func forgetUnused(_ nextKeys: some Collection<UInt64>) {
    guard let current, current > 0 else { return }
    let numbers = countedNumbers
    if nextKeys.contains(where: { $0 > numbers.lowerBound && $0 <= numbers.upperBound }) { return }
    replicas[current] = nil
    self.current = nil
  }
}
