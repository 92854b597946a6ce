import BlockFileFormat
import Rows

extension CommittedState {
  /// Returns the number of bytes of the file that the given commits refer to.
  static func liveByteCount(of states: [CommittedState]) throws -> UInt64 {
    var pieces: [UInt64: UInt64] = [:]
    func record(_ section: SectionReference) { pieces[section.offset] = UInt64(section.byteCount) }
    var seen: Set<SegmentRecord> = []
    for state in states {
      record(state.record.metadata)
      record(state.record.model)
      record(state.record.schema)
      record(state.trailer.record)
      pieces[state.trailer.offset] = UInt64(BlockFile.trailerByteCount)
      for segment in state.segments where seen.insert(segment.record).inserted {
        if case .pages(let pages) = segment.record.contents {
          for page in pages { record(page.section) }
        }
        for entry in try segment.allEntries() where pieces[entry.offset] == nil {
          pieces[entry.offset] = UInt64(entry.byteCount)
          guard entry.outsideByteCount > 0 else { continue }
          for reference in try segment.block(entry).outsideReferences() {
            pieces[reference.offset] = UInt64(reference.storedByteCount)
          }
        }
      }
    }
    return pieces.values.reduce(UInt64(BlockFile.headerByteCount), +)
  }
}
