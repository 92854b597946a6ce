import Synchronization

/// Connections of a store that are kept for the next use.
package final class IdleConnections<Connection>: @unchecked Sendable {
  // Sendable: connections are taken and given under the lock, and each has one user at a time.
  private let state = Mutex(State())

  private struct State {
    var connections: [Connection] = []
    var isClosed = false
  }
  private let most: Int

  /// Creates a pool without connections.
  ///
  /// - Parameter most: The most connections that are kept.
  package init(keeping most: Int = 4) { self.most = most }

  /// Takes a connection out of the pool, if any.
  package func take() -> Connection? {
    state.withLock { state in Box(connection: state.connections.popLast()) }.connection
  }

  /// Keeps a connection for the next use, unless there are enough.
  package func give(_ connection: Connection) {
    let box = Box(connection: connection)
    state.withLock { state in
      guard !state.isClosed, state.connections.count < most, let connection = box.connection else {
        return
      }
      state.connections.append(connection)
    }
  }

  /// Closes the connections in the pool, and keeps none from now on.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.connections = []
    }
  }

  // Sendable: the connection moves from one owner to the next.
  private struct Box: @unchecked Sendable {
    let connection: Connection?
  }
}
