import DurableFiles
import Foundation
import Synchronization

/// The signals by which a user or the system ends the tool. The tool removes its temporary files before it ends.
///
/// Until there is something to do before the end, a signal ends the process at once. Then a thread waits for the signals. Many
/// commands take less time than the start of a thread.
///
/// A signal means the work that runs when it arrives. The handler notes this work at once, in a pipe, because a busy
/// machine may call the thread when the work is over: the end of a session must not take a Ctrl-C for its own that ended
/// a program of the session.
package enum EndingSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  private static let isWaiting = Atomic(true)
  private static let cleanup = Mutex<(@Sendable () -> Void)?>(nil)
  private static let lastWords = Mutex<String?>(nil)

  /// The calls of ``withInterrupts(to:_:)`` that run now, from the outermost to the innermost.
  private static let works = Mutex<[(number: Int, interrupt: @Sendable () -> Void)]>([])
  /// The number of the innermost of these calls, or 0. The handler reads it, which may not wait for a lock.
  private static let work = Atomic(0)
  private static let workCount = Atomic(0)
  /// The end of the pipe to which the handler writes.
  private static let noteEnd = Atomic<Int32>(-1)

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
    // A program that starts the tool from its own thread may have blocked the signals in that thread.
    unsafe pthread_sigmask(SIG_UNBLOCK, &handled, nil)
    isWaiting.store(false, ordering: .relaxed)
    TemporaryFiles.beforeFirst(startWaiting)
  }

  /// Starts the thread that waits for the signals, once, if ``handle()`` was called.
  private static func startWaiting() {
    guard !isWaiting.exchange(true, ordering: .relaxed) else { return }
    var ends: [Int32] = [-1, -1]
    // SAFETY: The system writes two numbers, for which the array has the places.
    guard unsafe pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler must never wait for the thread.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    noteEnd.store(ends[1], ordering: .sequentiallyConsistent)
    // The value is made here, and not by the first handler.
    work.store(0, ordering: .sequentiallyConsistent)
    let source = ends[0]
    Thread.detachNewThread { while true { obey(nextNote(from: source)) } }
    for number in numbers where !isIgnored(number) {
      _ = signal(number) { EndingSignals.record($0) }
    }
  }

  /// Writes the number of a signal and of the work that runs, from a handler: with atomic values and `write` alone.
  private static func record(_ number: Int32) {
    let before = errno
    var note = work.load(ordering: .sequentiallyConsistent) << 8 | Int(number)
    // SAFETY: The system reads the bytes of the number, which lives until the call returns. A pipe takes so few bytes whole.
    _ = unsafe write(noteEnd.load(ordering: .sequentiallyConsistent), &note, MemoryLayout<Int>.size)
    errno = before
  }

  /// Waits for a signal, and returns its number and that of the work that ran.
  private static func nextNote(from end: Int32) -> (signal: Int32, work: Int) {
    var note = 0
    // SAFETY: The system writes the bytes of one number, which lives until the call returns.
    while unsafe read(end, &note, MemoryLayout<Int>.size) != MemoryLayout<Int>.size {}
    return (Int32(note & 0xFF), note >> 8)
  }

  /// Does the work of a signal.
  private static func obey(_ note: (signal: Int32, work: Int)) {
    if note.signal == SIGINT, note.work != 0 {
      works.withLock { works in works.first { $0.number == note.work }?.interrupt }?()
      return
    }
    TemporaryFiles.removeAll {
      cleanup.withLock { $0 }?()
      if let words = lastWords.withLock({ $0 }) {
        try? FileHandle.standardError.write(contentsOf: Data("Interrupted. \(words)\n".utf8))
      }
      _exit(exitCode(ofSignal: note.signal))
    }
  }

  /// Sets the sentences that a signal prints before it ends the process; `nil` for none.
  ///
  /// A command that is ended while it prints has saved its changes already, and the user must not take them for lost.
  static func setLastWords(_ words: String?) {
    lastWords.withLock { $0 = words }
    if words != nil { startWaiting() }
  }

  /// Calls `body`. In the meantime, an interrupt calls `interrupt` and does not end the process.
  package static func withInterrupts<R>(
    to interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R
  ) rethrows -> R {
    startWaiting()
    let number = workCount.add(1, ordering: .relaxed).newValue
    works.withLock { works in
      works.append((number, interrupt))
      work.store(number, ordering: .sequentiallyConsistent)
    }
    defer {
      works.withLock { works in
        works.removeAll { $0.number == number }
        work.store(works.last?.number ?? 0, ordering: .sequentiallyConsistent)
      }
    }
    return try body()
  }

  /// Calls `body`. In the meantime, an interrupt does not end the process, because a program of the user handles it. A
  /// session goes on to handle interrupts too.
  package static func keepingInterruptsFromEnding<R>(_ body: () throws -> R) rethrows -> R {
    let outer = works.withLock { $0.last?.interrupt }
    return try withInterrupts(to: outer ?? {}, body)
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
