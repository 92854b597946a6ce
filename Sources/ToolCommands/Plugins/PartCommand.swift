import CommandInterface
import DurableFiles
import Foundation
import PluginHost
import StoreConformance
import StoreInterface
import SystemPrograms

/// The hidden command of the tool that runs a part of a conformance case in a process of its own. The case starts it.
///
/// ```text
/// quire conformance-part PLUGIN TYPE PART…
/// ```
///
/// PLUGIN is the folder of the plug-in, and TYPE the type of store. The part reads the lines of the case from the standard
/// input, and writes its own lines to the standard output.
struct PartCommand {
  static let name = "conformance-part"

  /// The words behind the name of the command.
  let words: [String]

  /// Runs the part, and returns when the part has ended.
  func run(_ finder: PluginFinder, on console: Console) throws {
    guard words.count > 2, let part = StoreConformance.Part(words: Array(words.dropFirst(2))) else {
      throw CommandError.wrongUsage(
        "'quire \(Self.name)' is for the cases of 'quire plugin test', which start it.")
    }
    let plugin = try PluginCommand.found(at: words[0], finder, replacingBuiltIn: true)
    guard let type = plugin.types.first(where: { $0.name == words[1] }) else {
      throw CommandError.wrongUsage(
        "The plug-in '\(plugin.manifest.name)' has no type '\(oneLine(words[1]))'.")
    }
    var rest: [UInt8] = []
    try part.run(
      PluginBackend(plugin, type), on: RealDisk(),
      reading: {
        while true {
          if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            defer { rest.removeSubrange(...end) }
            return String(decoding: rest[..<end], as: UTF8.self)
          }
          let bytes = try console.input.read()
          if bytes.isEmpty { return nil }
          rest += bytes
        }
      },
      writing: { try console.output.writeLine($0) })
  }
}

/// A process of the tool that runs a part of a case.
final class PartProcess: HelperProcess {
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
  init(
    tool: String, plugin: String, type: String, _ part: StoreConformance.Part,
    environment: [String: String] = [:]
  ) throws {
    process.environment = ThisProgram.environment.merging(environment) { $1 }
    process.executableURL = URL(filePath: tool)
    process.arguments = [PartCommand.name, plugin, type] + part.words
    process.standardInput = input
    process.standardOutput = output
    // Messages of the part must not look like calls of the case.
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The pipe ends when the process does, and not when this process closes its own end.
    try output.fileHandleForWriting.close()
  }

  func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  func nextLine() throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      // The rest without a line's end is of a line that the process did not finish.
      let bytes = try Console.bytes(of: output.fileHandleForReading.fileDescriptor, 65_536)
      if bytes.isEmpty { return nil }
      rest += bytes
    }
  }

  func kill() throws { end(by: SIGKILL) }

  func cutPower() throws { end(by: PowerCutLibrary.signal) }

  private func end(by signal: Int32) {
    guard !isKilled else { return }
    isKilled = true
    if process.isRunning { Foundation.kill(process.processIdentifier, signal) }
    process.waitUntilExit()
  }
}
