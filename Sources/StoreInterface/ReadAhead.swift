import ObjectModel
import Synchronization

/// Learns whether rows near a row that was read are read soon after it, for each entity.
///
/// A store whose database is far away reads only the row that is asked for, until a program asks for a neighbour of it. All
/// snapshots of a store share what was learned, because a snapshot may be too short-lived to learn anything.
package final class ReadAhead: Sendable {
  private struct State {
    /// The number of rows whose neighbours will be read with them, by entity.
    var remaining: [UInt16: Int] = [:]
    /// The places of the last rows that were read without their neighbours.
    var recent: [KnownRows.Piece] = []
  }
  private let state = Mutex(State())

  /// The number of places that are remembered. With more, rows at random would soon look like neighbours.
  private static let mostRecent = 8
  /// The number of times that neighbours are read before they must prove useful again.
  private static let trust = 4

  /// Creates a value that has learned nothing.
  package init() {}

  /// Returns whether the neighbours of a row should be read with it.
  func isWanted(_ piece: KnownRows.Piece) -> Bool {
    state.withLock { state in
      if let index = state.recent.firstIndex(of: piece) {
        state.recent.remove(at: index)
        state.remaining[piece.entity] = ReadAhead.trust
        return true
      }
      if let remaining = state.remaining[piece.entity], remaining > 0 {
        state.remaining[piece.entity] = remaining - 1
        return true
      }
      if state.recent.count >= ReadAhead.mostRecent { state.recent.removeFirst() }
      state.recent.append(piece)
      return false
    }
  }

  /// Records that a program has read one row after the other.
  func recordWalk(_ entity: UInt16) {
    state.withLock { $0.remaining[entity] = ReadAhead.trust }
  }
}
