package import Rows

/// The rule for merging layers, or segments of a file. Parts are merged in tiers; each tier is four times as large as
/// the tier below it.
///
/// Four parts of one tier become one part of the next, but eight of the lowest tier, because a program that saves every
/// edit makes very many small parts. A row is rewritten at most once for each higher tier, so at most log4(n / 64) times
/// in a store of n rows.
package enum SegmentTiers {
  /// The size of a tier, as a multiple of the size of the tier below it.
  private static let growth = 4

  /// Returns the number of parts of a tier that become one part of the next.
  private static func fanOut(ofTier tier: Int) -> Int { tier == 0 ? 8 : growth }

  /// Returns the number of newest parts to merge into one; `nil` if none need merging.
  ///
  /// - Parameter sizes: The number of rows of each part, the oldest first.
  package static func mergeCount(sizes: [Int]) -> Int? {
    let tiers = sizes.map(tier)
    for tier in Set(tiers).sorted() {
      // Newer parts of a lower tier are merged too, because the order of the parts must stay.
      let newest = tiers.reversed().prefix { $0 <= tier }
      if newest.count(where: { $0 == tier }) >= fanOut(ofTier: tier) { return newest.count }
    }
    return nil
  }

  /// Merges the newest parts of a store until no tier has too many parts.
  ///
  /// - Parameters:
  ///   - size: Returns the number of rows of a part.
  ///   - layer: Returns a part as a layer.
  ///   - part: Makes a part of a merged layer.
  package static func merge<Part>(
    _ parts: inout [Part], _ schema: Schema, size: (Part) -> Int, layer: (Part) throws -> Layer,
    part: (Layer) -> Part
  ) throws {
    while let count = mergeCount(sizes: parts.map(size)) {
      let atBottom = count == parts.count
      let merged = try Layer.merged(
        parts.suffix(count).map(layer), schema: schema, keepingVersions: true, atBottom: atBottom)
      // A merge at the bottom drops removed rows, so the result can be empty.
      parts.replaceSubrange((parts.count - count)..., with: merged.isEmpty ? [] : [part(merged)])
    }
  }

  /// Returns the tier of a size: 0 below 64 rows, 1 below 256, and so on.
  private static func tier(_ size: Int) -> Int {
    var tier = 0
    var rest = max(size, 1) / 64
    while rest > 0 {
      rest /= growth
      tier += 1
    }
    return tier
  }
}
