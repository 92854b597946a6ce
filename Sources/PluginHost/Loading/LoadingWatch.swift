// SAFETY: The text of a handler is made before the handler is set, and is never freed. The handler calls only functions
// that the system allows in one. Structures of the system are read and written only during a call.

import Foundation
import Synchronization

/// Ends the process with a message if a plug-in crashes, or does not return, while its library is loaded.
///
/// Loading a library runs code of the library: its constructors, and the functions that return its table and start it. The
/// host can't turn a crash in this code into an error. Without the watch a signal ends the process, and no message names
/// the plug-in. A command line tool calls ``endProcess(exitCode:limit:)`` once, before it loads plug-ins. A program that
/// does not call it ends by the signal, as without a watch.
public enum LoadingWatch {
  private struct Settings {
    let exitCode: Int32
    let limit: Int
  }

  private static let settings = Mutex<Settings?>(nil)

  /// Lets the process end with a message and an exit code if a library crashes while it is loaded, or needs more than
  /// `limit` seconds.
  public static func endProcess(exitCode: Int32, limit: Int) {
    settings.withLock { $0 = Settings(exitCode: exitCode, limit: limit) }
  }

  /// Calls `body`, which loads the library of a plug-in. The caller makes one call at a time.
  static func watching<R>(
    _ plugin: FoundPlugin, _ body: () throws(PluginRefusal) -> R
  ) throws(PluginRefusal) -> R {
    guard let settings = settings.withLock({ $0 }) else { return try body() }
    let hint =
      "\nhint: 'quire plugin remove \(plugin.manifest.name)' removes an installed plug-in.\n"
    func message(_ fault: String) -> String {
      "error: \(PluginRefusal(.notLoadable, plugin, fault).message)"
    }
    let handlers = CrashHandlers(
      message("crashed while it was loaded, by signal "), after: "." + hint, settings.exitCode)
    defer { handlers.takeBack() }
    let loading = Loading()
    let late = message("was not loaded within \(settings.limit) seconds.") + hint
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: Double(settings.limit))
      guard !loading.hasEnded.load(ordering: .acquiring) else { return }
      FileHandle.standardError.write(Data(late.utf8))
      _exit(settings.exitCode)
    }
    defer { loading.hasEnded.store(true, ordering: .releasing) }
    return try body()
  }
}

/// Whether a library has been loaded, for the thread that waits for it.
private final class Loading: Sendable {
  let hasEnded = Atomic(false)
}

/// Handlers of the signals of a crash, which print a message and end the process.
@safe
private struct CrashHandlers {
  private static let numbers = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

  @unsafe private struct Ending {
    let message: UnsafeMutableBufferPointer<UInt8>
    /// The place of the two digits of the signal's number.
    let placeOfNumber: Int
    let exitCode: Int32
  }
  /// The work of the handlers. It changes only while no handler is set.
  private nonisolated(unsafe) static var ending: Ending?

  private let former: [(number: Int32, action: sigaction)]

  /// Sets the handlers. The number of the signal stands between the two parts of the message.
  init(_ message: String, after end: String, _ exitCode: Int32) {
    let bytes = Array("\(message)00\(end)".utf8)
    let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe text.initialize(from: bytes)
    unsafe Self.ending = unsafe Ending(
      message: text, placeOfNumber: message.utf8.count, exitCode: exitCode)
    former = Self.numbers.map { number in
      var action = sigaction()
      _ = unsafe sigaction(number, nil, &action)
      _ = signal(number, Self.handler)
      return (number, action)
    }
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    guard let ending = unsafe CrashHandlers.ending else { _exit(1) }
    unsafe ending.message[ending.placeOfNumber] = UInt8(48 + number / 10)
    unsafe ending.message[ending.placeOfNumber + 1] = UInt8(48 + number % 10)
    _ = unsafe write(2, ending.message.baseAddress, ending.message.count)
    _exit(unsafe ending.exitCode)
  }

  /// Restores the former handlers, except for signals that the library has begun to handle itself.
  func takeBack() {
    for (number, action) in former {
      var (current, before) = (sigaction(), action)
      _ = unsafe sigaction(number, nil, &current)
      if Self.isOurs(current) { _ = unsafe sigaction(number, &before, nil) }
    }
  }

  private static func isOurs(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(Self.handler, to: Int.self)
  }
}
