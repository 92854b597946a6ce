import SeededRandom

extension CrashPoint {
  /// Returns settings that are drawn at random from kinds of states in which programs often fail.
  ///
  /// If every setting were drawn independently, nearly every state would lose about half of everything. A program
  /// that recovers from such a state may still fail when one early sector is missing.
  func sampledSettings(_ number: Int, seed: UInt64) -> [Int] {
    var random = SeededGenerator(seed: seed, stream: [UInt64(operationCount), UInt64(number)])
    switch number {
    case 0: return settings(tornAt: image.changes.count, &random)
    case 1: return settings(tornAt: -1, &random)
    default: break
    }
    switch number % 4 {
    case 0:
      return settings(tornAt: Int.random(in: 0...image.changes.count, using: &random), &random)
    case 1: return settings(ofOneThat: false, &random)
    case 2: return settings(ofOneThat: true, &random)
    default:
      let share = Int.random(in: 1...15, using: &random)
      return dials.map { dial in
        dial.settingCount == 2
          ? (Int.random(in: 0..<16, using: &random) < share ? 1 : 0)
          : byteCountSetting(dial, &random)
      }
    }
  }

  /// Returns settings in which all changes before one arrived, no change after it, and that change in part.
  private func settings(tornAt tornChange: Int, _ random: inout SeededGenerator) -> [Int] {
    dials.map { dial in
      switch dial.subject {
      case .piece(let change, _), .whole(let change):
        change < tornChange ? 1 : change > tornChange ? 0 : Int.random(in: 0...1, using: &random)
      case .byteCount(let node, let lowest):
        byteCount(of: node, tornAt: tornChange, &random) - lowest
      case .filling:
        Int.random(in: 0...1, using: &random)
      }
    }
  }

  /// Returns the file's size before the given change, or a size between that and the size after the change.
  private func byteCount(
    of node: NodeNumber, tornAt tornChange: Int, _ random: inout SeededGenerator
  ) -> Int {
    var size = image.certainByteCount(of: node)
    for (index, change) in image.changes.enumerated() where change.node == node {
      guard let byteCount = change.change.newByteCount, !change.isByteCountCertain else { continue }
      if index == tornChange {
        return Int.random(in: min(size, byteCount)...max(size, byteCount), using: &random)
      }
      if index > tornChange { break }
      size = byteCount
    }
    return size
  }

  /// Returns settings in which exactly one dial has arrived, or all but one.
  private func settings(ofOneThat arrived: Bool, _ random: inout SeededGenerator) -> [Int] {
    let one = dials.indices.randomElement(using: &random) ?? 0
    return dials.enumerated().map { index, dial in
      switch dial.subject {
      case .filling: Int.random(in: 0...1, using: &random)
      // A single piece that arrived is visible only if the file is long enough for it.
      case .byteCount where index != one: dial.settingCount - 1
      case .byteCount: byteCountSetting(dial, &random)
      default: (index == one) == arrived ? 1 : 0
      }
    }
  }

  /// Returns a setting for a size; the shortest, the longest and the ends of sectors are preferred.
  private func byteCountSetting(_ dial: Dial, _ random: inout SeededGenerator) -> Int {
    let any = Int.random(in: 0..<dial.settingCount, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return 0
    case 1: return dial.settingCount - 1
    case 2:
      guard case .byteCount(_, let lowest) = dial.subject else { return any }
      let sectorStart = (lowest + any) / Self.sectorByteCount * Self.sectorByteCount
      return max(0, sectorStart - lowest)
    default: return any
    }
  }
}

extension SeededGenerator {
  /// Creates the generator of one stream. Streams with different numbers are independent.
  fileprivate init(seed: UInt64, stream numbers: [UInt64]) {
    self.init(seed: seed)
    for number in numbers { self = SeededGenerator(seed: next() ^ number) }
  }
}
