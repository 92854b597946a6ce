package import Rows

/// When layers, or segments of a file, are merged: in tiers, each four times as large as the one
/// below it.
///
/// With so many of a tier they become one of the next. A row is written anew once a tier at most, so a
/// store of n rows writes each at most log4(n / 64) + 1 times.
package enum SegmentTiers {
  /// How many of a tier become one of the next.
  package static let fanOut = 4

  /// How many of the newest are to be merged into one; `nil` when none.
  ///
  /// - Parameter sizes: The number of rows of each, the oldest first.
  package static func mergeCount(sizes: [Int]) -> Int? {
    let tiers = sizes.map(tier)
    for tier in Set(tiers).sorted() {
      // Smaller ones among them go along: their order must stay.
      let newest = tiers.reversed().prefix { $0 <= tier }
      if newest.count(where: { $0 == tier }) >= fanOut { return newest.count }
    }
    return nil
  }

  /// Merges the newest of a store's parts for as long as there are many of a size.
  ///
  /// - Parameters:
  ///   - size: The number of rows of a part.
  ///   - layer: A part as a layer.
  ///   - part: What becomes of a merged layer.
  package static func merge<Part>(
    _ parts: inout [Part], _ schema: Schema, size: (Part) -> Int, layer: (Part) throws -> Layer,
    part: (Layer) -> Part
  ) throws {
    while let count = mergeCount(sizes: parts.map(size)) {
      let atBottom = count == parts.count
      var merged = try layer(parts[parts.count - count])
      for upper in parts.suffix(count - 1) {
        merged = try merged.merged(
          with: layer(upper), schema: schema, keepingVersions: true, atBottom: atBottom)
      }
      // Of a bottom from which everything was taken out nothing is left.
      parts.replaceSubrange((parts.count - count)..., with: merged.isEmpty ? [] : [part(merged)])
    }
  }

  /// The tier of a size: below 64 rows, below 256, and so on.
  private static func tier(_ size: Int) -> Int {
    var tier = 0
    var rest = max(size, 1) / 64
    while rest > 0 {
      rest /= fanOut
      tier += 1
    }
    return tier
  }
}
