package import Rows

/// The rule for merging layers, or segments of a file. Parts are merged in tiers.
///
/// A program that saves every edit makes very many small parts, and to merge two parts of a few rows costs more than to
/// write them. So the two lowest tiers, of parts below 12 and below 96 rows, have room for many parts. Above them each tier
/// is four times as large as the tier below it, and four parts of one tier become one part of the next. A row is rewritten
/// at most once for each tier: at most log4(n / 96) + 2 times in a store of n rows.
package enum SegmentTiers {
  /// The lowest numbers of rows of all tiers but the first, as far as they do not grow by ``growth``.
  private static let floors = [12, 96]
  /// The size of a tier above these, as a multiple of the size of the tier below it.
  private static let growth = 4

  /// Returns the number of parts of a tier that become one part of the next.
  private static func fanOut(ofTier tier: Int) -> Int {
    switch tier {
    case 0: 12
    case 1: 8
    default: growth
    }
  }

  /// Returns the number of newest parts to merge into one; `nil` if none need merging.
  ///
  /// - Parameter sizes: The number of rows of each part, the oldest first.
  package static func mergeCount(sizes: [Int]) -> Int? {
    // Newer parts of a lower tier are merged too, because the order of the parts must stay. So a tier can be full only
    // where it is the highest from there to the newest part.
    var (highest, count) = (0, 0)
    for (newer, size) in sizes.reversed().enumerated() {
      let tier = tier(of: size)
      if tier > highest {
        if count >= fanOut(ofTier: highest) { return newer }
        (highest, count) = (tier, 0)
      }
      if tier == highest { count += 1 }
    }
    return count >= fanOut(ofTier: highest) ? sizes.count : nil
  }

  /// Merges the newest layers until no tier has too many.
  ///
  /// - Parameter areStored: Whether the layers are all commits of a store. Their rows have versions, and nothing lies below
  ///   them.
  package static func merge(
    _ layers: inout [Layer], _ schema: Schema, areStored: Bool
  ) throws {
    while let count = mergeCount(sizes: layers.map(\.count)) {
      let merged = try Layer.merged(
        Array(layers.suffix(count)), schema: schema, keepingVersions: areStored,
        atBottom: areStored && count == layers.count)
      // Removed rows are dropped at the bottom, and changes may cancel out, so the result can be empty.
      layers.replaceSubrange((layers.count - count)..., with: merged.isEmpty ? [] : [merged])
    }
  }

  /// Returns the tier of a part: 0 below 12 rows, 1 below 96, 2 below 384, and so on.
  private static func tier(of size: Int) -> Int {
    var tier = floors.count { $0 <= size }
    var rest = size / (floors[floors.count - 1] * growth)
    while rest > 0 {
      rest /= growth
      tier += 1
    }
    return tier
  }
}
