import Foundation
import Synchronization

/// The fault of a relay. It happens once.
enum RelayFault: Sendable {
  /// The server commits, but its answer is lost with the connection.
  case answerToCommitLost
  /// The statement is lost with the connection.
  case commitLost
  /// The statement is lost with the connection, after a silence of two seconds.
  case commitLostLate
  /// The server commits, its answer is lost, and no new connection reaches it.
  case serverGoneAfterCommit
  /// The statement is lost with the connection, and no new connection reaches the server.
  case serverGone
}

/// A Unix socket that passes bytes on to a server, and loses the connection when a commit passes.
final class Relay: @unchecked Sendable {
  // Sendable: the state is used under the lock.
  let folder: String
  private let target: String
  private let listening: Int32
  private let state = Mutex(State())

  private struct State {
    var fault: RelayFault?
    var statement = "COMMIT\0"
    var faultCount = 0
    var refuses = false
    var byteCount = 0
    var tripCount = 0
  }

  var fault: RelayFault? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }
  /// Whether new connections are closed.
  var isRefusing: Bool {
    get { state.withLock { $0.refuses } }
    set { state.withLock { $0.refuses = newValue } }
  }
  /// The beginning of the statement at which the fault happens.
  var statement: String {
    get { state.withLock { $0.statement } }
    set { state.withLock { $0.statement = newValue } }
  }
  var faultCount: Int { state.withLock { $0.faultCount } }
  /// The number of bytes that came from the server.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// The number of times that a client sent something after the server had answered. The connections that listen do not
  /// count, because they ask when an announcement arrives, and that may be late on a busy machine.
  var tripCount: Int { state.withLock { $0.tripCount } }

  struct Failure: Error {}

  init(to target: String) throws {
    self.target = target
    folder = "/tmp/quire-relay-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = Relay.address("\(folder)/.s.PGSQL.5432")
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listening, 16) == 0 else { throw Failure() }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listening, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread { self.serve(client) }
      }
    }
  }

  func stop() {
    shutdown(listening, Int32(SHUT_RDWR))
    close(listening)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func address(_ path: String) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return address
  }

  /// Returns whether a client has sent a statement: alone, or as one of several that are parsed together.
  private static func contains(_ sent: ArraySlice<UInt8>, _ statement: String) -> Bool {
    let isAlone = sent.first == UInt8(ascii: "Q")
    if isAlone { return sent.dropFirst(5).starts(with: statement.utf8) }
    // A statement without a name begins after the empty name.
    return Data(sent).range(of: Data([0] + Array(statement.utf8))) != nil
  }

  private func serve(_ client: Int32) {
    defer { close(client) }
    if state.withLock({ $0.refuses }) { return }
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    var address = Relay.address(target)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var isAnswering = true
    var listens = false
    while true {
      var waiting = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, -1) > 0 else { return }
      for (index, other) in [(0, server), (1, client)] where waiting[index].revents != 0 {
        let count = read(waiting[index].fd, &buffer, buffer.count)
        guard count > 0 else { return }
        let sent = index == 0 ? buffer[..<count] : []
        listens = listens || Relay.contains(sent, "LISTEN ")
        state.withLock { state in
          if index == 1 { state.byteCount += count }
          if index == 0, isAnswering, !listens { state.tripCount += 1 }
        }
        isAnswering = index == 1
        let fault = state.withLock { state -> RelayFault? in
          guard let fault = state.fault, Relay.contains(sent, state.statement) else { return nil }
          state.fault = nil
          state.faultCount += 1
          state.refuses = fault == .serverGoneAfterCommit || fault == .serverGone
          return fault
        }
        if fault == .commitLostLate { Thread.sleep(forTimeInterval: 2) }
        if let fault, [.commitLost, .commitLostLate, .serverGone].contains(fault) { return }
        guard write(other, buffer, count) == count else { return }
        if fault != nil {
          // The answer is read, so the server has committed.
          _ = read(server, &buffer, buffer.count)
          return
        }
      }
    }
  }
}
