import BlockFileFormat
import Rows
import StoreInterface

/// The segments of the next commit: the lowest ones of the commit before, and at most one new segment above them.
///
/// A save adds a segment, and merges it with the small ones directly below. So all that changes is at the top.
struct NextSegments {
  /// The segments that stay as they are, the lowest first.
  private(set) var kept: ArraySlice<Segment>
  /// The rows of the new segment. Without rows there is no new segment.
  private(set) var layer: Layer
  /// The entries of blocks of the layer that are in the file already.
  private(set) var known: [ObjectIdentifier: BlockEntry] = [:]

  /// Adds a layer, if it has rows, above the segments of a commit.
  init(_ layer: Layer = Layer(), above head: CommittedState) {
    kept = head.segments[...]
    self.layer = layer
  }

  /// The tables of the kept segments.
  var tables: [any RowTable] { Array(kept) }

  /// Merges the new segment with the small ones below it, as often as the tiers ask for it.
  mutating func mergeTiers(_ schema: Schema) throws {
    var sizes: [Int] = []
    sizes.reserveCapacity(kept.count + 1)
    for segment in kept { sizes.append(Int(segment.record.rowCount)) }
    sizes.append(layer.count)
    while let count = SegmentTiers.mergeCount(sizes: sizes) {
      try merge(count - 1, schema)
      sizes.removeLast(count)
      // Only a merge at the bottom drops all rows, and nothing is left to merge then.
      sizes.append(layer.count)
      if layer.isEmpty { return }
    }
  }

  /// Merges all segments with the new one.
  mutating func mergeAll(_ schema: Schema) throws { try merge(kept.count, schema) }

  /// Merges the new segment with the given number of segments below it.
  private mutating func merge(_ count: Int, _ schema: Schema) throws {
    var layers: [Layer] = []
    for segment in kept.suffix(count) {
      let (layer, entries) = try segment.layer(schema)
      // The head's segments retain their blocks, so the identifiers of these blocks stay unique.
      known.merge(entries) { one, _ in one }
      layers.append(layer)
    }
    layers.append(layer)
    layer = try Layer.merged(
      layers, schema: schema, keepingVersions: true, atBottom: count == kept.count)
    kept.removeLast(count)
  }
}
