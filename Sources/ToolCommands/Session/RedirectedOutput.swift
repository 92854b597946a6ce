import CommandInterface
import DurableFiles
import Foundation
import Synchronization

/// The output of one command of a session, as its line directs it.
struct RedirectedOutput {
  let destination: SessionLine.Destination
  /// The paths that the output must not be, such as the session's store.
  let inputs: [String]
  let disk: any Disk

  /// Calls `body` with a console that writes to the destination.
  ///
  /// A new file takes its place when the command has ended without an error.
  ///
  /// - Throws: The error of `body`, or ``CommandError`` for an output that can't be written.
  func write(
    from console: Console, _ body: (Console) throws -> ExitCode
  ) throws -> ExitCode {
    switch destination {
    case .session: return try body(console)
    case .program(let command):
      // A program that ends early has read enough.
      var result = ExitCode.done
      try ShellProgram(role: "program", command: command).read(from: console) { inner in
        result = try body(inner)
      }
      return result
    case .file(let path, let replaces):
      let output = try Output(path, overwrites: replaces, inputs: inputs, on: disk, console)
      try output.checkFree()
      return try output.make { temporary in
        try write(to: try disk.open(temporary, for: .create), from: console, body)
      }
    case .end(let path):
      _ = try Output(path, overwrites: true, inputs: inputs, on: disk, console)
      let file = try disk.open(path, for: .updateOrCreate)
      return try write(to: file, from: console, body)
    }
  }

  /// Calls `body` with a console that appends to a file, and closes the file.
  private func write(
    to file: DurableFile, from console: Console, _ body: (Console) throws -> ExitCode
  ) throws -> ExitCode {
    let buffer = Mutex<[UInt8]>([])
    @Sendable func write(_ bytes: some Sequence<UInt8>) throws {
      try buffer.withLock { buffer in
        buffer += bytes
        guard buffer.count >= 1 << 16 else { return }
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    let stream = Console.Stream(
      byteSink: { try write($0) }, sink: { try write($0.utf8) })
    let result = try body(Console(console, output: stream))
    _ = try buffer.withLock { try file.append($0) }
    try file.sync(.everything)
    try file.close()
    return result
  }
}
