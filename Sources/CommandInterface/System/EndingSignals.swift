import Dispatch
import DurableFiles
import Foundation
import Synchronization

/// The signals by which a user or the system ends the tool. The tool removes its temporary files before it ends.
///
/// Until there is something to do before the end, a signal ends the process at once. Then a thread waits for the signals. Many
/// commands take less time than the start of a thread.
package enum EndingSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  private static let isWaiting = Atomic(true)
  private static let sources = Mutex<[any DispatchSourceSignal]>([])
  private static let queue = DispatchQueue(label: "EndingSignals")
  private static let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
  private static let cleanup = Mutex<(@Sendable () -> Void)?>(nil)

  /// Handles the signals for the rest of the process, except signals that the parent process chose to ignore.
  package static func handle() {
    // SAFETY: The set lives until the last call returns, and no call keeps a pointer to it.
    var handled = sigset_t()
    unsafe sigemptyset(&handled)
    for number in numbers where !isIgnored(number) {
      // A handler may call `_exit`.
      _ = signal(number) { _exit(exitCode(ofSignal: $0)) }
      unsafe sigaddset(&handled, number)
    }
    // A program that starts the tool from a thread of its own may have blocked the signals in that thread.
    unsafe pthread_sigmask(SIG_UNBLOCK, &handled, nil)
    isWaiting.store(false, ordering: .relaxed)
    TemporaryFiles.beforeFirst(startWaiting)
  }

  /// Starts the thread that waits for the signals, once, if ``handle()`` was called.
  private static func startWaiting() {
    guard !isWaiting.exchange(true, ordering: .relaxed) else { return }
    for number in numbers where !isIgnored(number) {
      _ = signal(number, SIG_IGN)
      sources.withLock { sources in
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler {
          if number == SIGINT, let interrupt = interrupt.withLock({ $0 }) { return interrupt() }
          TemporaryFiles.removeAll {
            cleanup.withLock { $0 }?()
            _exit(exitCode(ofSignal: number))
          }
        }
        source.activate()
        sources.append(source)
      }
    }
  }

  /// Calls `body`. In the meantime, an interrupt calls `interrupt` and does not end the process.
  package static func withInterrupts<R>(
    to interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R
  ) rethrows -> R {
    startWaiting()
    let outer = Self.interrupt.withLock { current in
      defer { current = interrupt }
      return current
    }
    defer { Self.interrupt.withLock { $0 = outer } }
    return try body()
  }

  /// Calls `body`. In the meantime, an interrupt does not end the process, because a program of the user handles it. A
  /// session goes on to handle interrupts too.
  package static func keepingInterruptsFromEnding<R>(_ body: () throws -> R) rethrows -> R {
    let handler = interrupt.withLock { $0 }
    return try withInterrupts(to: handler ?? {}, body)
  }

  /// Calls `body`. A signal that ends the process in the meantime calls `cleanup` first.
  package static func withCleanup<R>(
    _ cleanup: @escaping @Sendable () -> Void, _ body: () throws -> R
  ) rethrows -> R {
    startWaiting()
    Self.cleanup.withLock { $0 = cleanup }
    defer { Self.cleanup.withLock { $0 = nil } }
    return try body()
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    // SAFETY: The system fills the structure that it is given, and keeps no pointer to it.
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    // SAFETY: A handler is a pointer, or a small number in its place; it is compared and not called.
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// Returns the exit code that a shell reports for a process that the signal ends.
private func exitCode(ofSignal number: Int32) -> Int32 { 128 + number }
