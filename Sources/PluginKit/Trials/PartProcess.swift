import Foundation
package import StoreConformance
import SystemPrograms

/// A process of the tool that runs a part of a case.
package final class PartProcess: HelperProcess {
  /// The name of the hidden command of the tool that runs a part.
  package static let command = "conformance-part"

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest: [UInt8] = []
  private var isKilled = false

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - tool: The executable of the tool.
  ///   - plugin: The folder of the plug-in.
  ///   - environment: Variables that are added to those of this process.
  package init(
    tool: String, plugin: String, type: String, _ part: StoreConformance.Part,
    environment: [String: String] = [:]
  ) throws {
    process.environment = ThisProgram.environment.merging(environment) { $1 }
    process.executableURL = URL(filePath: tool)
    process.arguments = [Self.command, plugin, type] + part.words
    process.standardInput = input
    process.standardOutput = output
    // Messages of the part must not look like calls of the case.
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The pipe ends when the process does, and not when this process closes its own end.
    try output.fileHandleForWriting.close()
  }

  package func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  package func nextLine() throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      // The rest without a line's end is of a line that the process did not finish.
      let bytes = try Self.bytes(of: output.fileHandleForReading.fileDescriptor)
      if bytes.isEmpty { return nil }
      rest += bytes
    }
  }

  package func kill() throws { end(by: SIGKILL) }

  package func cutPower() throws { end(by: PowerCutLibrary.signal) }

  private func end(by signal: Int32) {
    guard !isKilled else { return }
    isKilled = true
    if process.isRunning { Foundation.kill(process.processIdentifier, signal) }
    process.waitUntilExit()
  }

  /// Reads and returns the next bytes of an open descriptor; empty at its end.
  private static func bytes(of descriptor: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      // SAFETY: The array has room for as many bytes as are asked for.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes.prefix(count)) }
      guard errno == EINTR else {
        // SAFETY: `strerror` gives a string for every number, and it is copied before anything else runs.
        let reason = unsafe String(cString: strerror(errno))
        throw PluginKitError(.inputOutput, "Can't read from a process: \(reason).")
      }
    }
  }
}
