import Dispatch
import DurableFiles
import Foundation
import Synchronization

/// The signals by which a user or the system ends the tool. The tool removes its temporary files before it ends.
public enum EndingSignals {
  /// The signals, with the exit code that a shell reports for a process that the signal ends.
  private static let exitCodes: [Int32: Int32] = [SIGINT: 130, SIGTERM: 143, SIGHUP: 129]
  private static let sources = Mutex<[any DispatchSourceSignal]>([])
  private static let queue = DispatchQueue(label: "EndingSignals")
  private static let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
  private static let cleanup = Mutex<(@Sendable () -> Void)?>(nil)

  /// Handles the signals for the rest of the process, except signals that the parent process chose to ignore.
  public static func handle() {
    for (number, code) in exitCodes where !isIgnored(number) {
      _ = signal(number, SIG_IGN)
      sources.withLock { sources in
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler {
          if number == SIGINT, let interrupt = interrupt.withLock({ $0 }) { return interrupt() }
          TemporaryFiles.removeAll {
            cleanup.withLock { $0 }?()
            _exit(code)
          }
        }
        source.activate()
        sources.append(source)
      }
    }
  }

  /// Calls `body`. In the meantime, an interrupt calls `interrupt` and does not end the process.
  static func withInterrupts<R>(
    to interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R
  ) rethrows -> R {
    let outer = Self.interrupt.withLock { current in
      defer { current = interrupt }
      return current
    }
    defer { Self.interrupt.withLock { $0 = outer } }
    return try body()
  }

  /// Calls `body`. In the meantime, an interrupt does not end the process, because a program of the user handles it. A
  /// session goes on to handle interrupts too.
  static func keepingInterruptsFromEnding<R>(_ body: () throws -> R) rethrows -> R {
    let handler = interrupt.withLock { $0 }
    return try withInterrupts(to: handler ?? {}, body)
  }

  /// Calls `body`. A signal that ends the process in the meantime calls `cleanup` first.
  static func withCleanup<R>(
    _ cleanup: @escaping @Sendable () -> Void, _ body: () throws -> R
  ) rethrows -> R {
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
