import BlockFileFormat
import Rows

/// A segment that this process has written: its changes, and the entries of their blocks in the file.
struct MadeSegment: Sendable {
  let layer: Layer
  let entries: [ObjectIdentifier: BlockEntry]
}
