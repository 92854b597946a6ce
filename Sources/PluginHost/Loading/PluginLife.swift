// SAFETY: The table is the checked copy of a library's own, which stays loaded. The host's structure is retained for ever
// once it was given to `start`, because a plug-in may use it until the process ends, even if `start` failed or the plug-in
// is loaded again.

import CStorePlugin
import DurableFiles
import PluginExchange
import Synchronization

/// The life of a plug-in as a whole: its start, its open stores, and its end (spec §9.5.5).
@safe
package final class PluginLife: @unchecked Sendable {
  // Sendable: the table and the services never change, and the rest is behind a lock.
  private let table: UnsafePointer<QuirePlugin>
  private let services = HostServices(RealDisk(), PluginServices())
  private let state = Mutex(State())

  private struct State {
    var storeCount = 0
    var hasEnded = false
  }

  @unsafe init(_ table: UnsafePointer<QuirePlugin>) { unsafe self.table = table }

  /// Calls the plug-in's function `start`, if there is one. Returns the reason if the function fails.
  func start() -> String? {
    guard let start = unsafe table.pointee.start else { return nil }
    _ = unsafe Unmanaged.passRetained(services)
    var error = unsafe QuireError()
    let code = unsafe start(services.host, &error)
    defer { unsafe error.release?(&error) }
    guard code != Int32(QUIRE_OK) else { return nil }
    return unsafe error.message.map { unsafe String(cString: $0) } ?? "code \(code)"
  }

  /// Counts a store that was opened.
  func addStore() { state.withLock { $0.storeCount += 1 } }

  /// Counts a store that was released.
  func removeStore() { state.withLock { $0.storeCount -= 1 } }

  /// Calls the plug-in's function `end`, if there is one, unless a store is still open.
  func end() {
    let mayEnd = state.withLock { state in
      guard state.storeCount == 0, !state.hasEnded else { return false }
      state.hasEnded = true
      return true
    }
    if mayEnd { unsafe table.pointee.end?() }
  }
}
