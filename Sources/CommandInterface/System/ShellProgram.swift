// SAFETY: The arguments and variables are copies that stay alive until the shell has started. The system fills the action list,
// the attributes and the number of the process that it is given, and keeps no pointer to them.

import Foundation
import SystemPrograms

/// A command line that a shell runs for the user: a pager, an editor, or a line of a session.
///
/// Foundation's `Process` starts each program in its own process group. The terminal stops such a program as soon as
/// it reads a key, so a pager or an editor would hang. This type starts the shell in the tool's own group.
package struct ShellProgram {
  /// The name of the program in errors: `editor`.
  private let role: String
  /// The command line for the shell.
  private let command: String
  /// The further words, which the command line reads as `$1`, `$2` and so on.
  private let arguments: [String]
  /// The environment variables of the program.
  private let environment: [String: String]

  package init(
    role: String, command: String, arguments: [String] = [],
    environment: [String: String] = ThisProgram.environment
  ) {
    self.role = role
    self.command = command
    self.arguments = arguments
    self.environment = environment
  }

  /// Runs the program, and waits for its end. In the meantime Ctrl-C ends the program, and not the tool.
  ///
  /// - Parameter readsKeys: Whether the program reads the tool's own input. Otherwise its input is empty.
  /// - Returns: The exit code; 128 and the number of the signal if a signal ended the program.
  /// - Throws: ``CommandError`` if the shell can't be started.
  package func run(readsKeys: Bool = true) throws -> Int32 {
    try EndingSignals.keepingInterruptsFromEnding {
      let null = readsKeys ? nil : FileHandle(forReadingAtPath: "/dev/null")
      return Self.wait(for: try start(input: null?.fileDescriptor ?? STDIN_FILENO))
    }
  }

  /// Calls `body` with a console whose output the program reads.
  ///
  /// - Parameter showsPages: Whether the program shows the output on the terminal of the console, like a pager.
  /// - Throws: ``CommandError`` if the shell can't be started; the error of `body`. If the program ends early, the rest
  ///   of the output is dropped without an error.
  package func read(
    from console: Console, showsPages: Bool = false, _ body: (Console) throws -> Void
  ) throws {
    try EndingSignals.keepingInterruptsFromEnding {
      let pipe = Pipe()
      // The program would wait forever for the end of an output that it holds open itself.
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      let process = try start(input: pipe.fileHandleForReading.fileDescriptor)
      // The program must see the end of the output, and the tool the end of the program.
      try? pipe.fileHandleForReading.close()
      // If the program ends early, a write must fail and not end the tool.
      let usual = signal(SIGPIPE, SIG_IGN)
      let end = pipe.fileHandleForWriting
      @Sendable func write(_ bytes: Data) throws {
        do { try end.write(contentsOf: bytes) } catch { throw Ended() }
      }
      let stream = Console.Stream(
        isTerminal: showsPages && console.output.isTerminal,
        usesColour: showsPages && console.output.usesColour,
        byteSink: { try write(Data($0)) }, sink: { try write(Data($0.utf8)) })
      defer {
        try? end.close()
        _ = Self.wait(for: process)
        _ = signal(SIGPIPE, usual)
      }
      do { try body(Console(console, output: stream)) } catch is Ended {}
    }
  }

  /// The program reads no more.
  private struct Ended: Error {}

  // MARK: - Processes

  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
    private static let (noActions, noAttributes) = (Actions.none, Attributes.none)
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
    private static var noActions: Actions { unsafe Actions() }
    private static var noAttributes: Attributes { Attributes() }
  #endif

  /// Starts the shell with the given descriptor as its input, and returns the number of the process.
  private func start(input: Int32) throws -> pid_t {
    var actions = unsafe Self.noActions
    var attributes = Self.noAttributes
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    if input != STDIN_FILENO {
      unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    }
    // The tool ignores these signals or handles them itself, and its threads may block them. The program needs their
    // usual effect.
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { unsafe sigaddset(&usual, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var words = unsafe (["sh", "-c", command, "sh"] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      let all = unsafe words + variables
      for index in unsafe all.indices { unsafe free(all[index]) }
    }
    var process: pid_t = 0
    let error = unsafe posix_spawn(
      &process, "/bin/sh", &actions, &attributes, &words, &variables)
    guard error == 0 else {
      throw CommandError(
        .inputOutput,
        "The \(role) '\(oneLine(command))' can't be started: \(Console.reason(ofNumber: error)).")
    }
    return process
  }

  /// Waits for the end of a process, and returns its exit code.
  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return 0 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
