import DurableFiles
package import Foundation
import StoreConformance
import SystemPrograms

/// Runs each case of the conformance tests in a separate process, so that a crash of the plug-in fails only one case.
package struct CaseProcess {
  private let tool: String
  private let words: [String]
  private let limit: Double
  private let folder: URL
  private let trace: ((String) throws -> Void)?

  /// - Parameters:
  ///   - tool: The executable of the tool.
  ///   - words: The words of the command that runs one case in its process, without the name of the case.
  ///   - limit: The seconds after which a case has failed.
  ///   - folder: The folder for the outputs and for the stores of the cases.
  ///   - trace: Receives the name of each function of the plug-in that a case has called; `nil` to keep only the last one.
  package init(
    tool: String, words: [String], limit: Double, folder: URL,
    trace: ((String) throws -> Void)? = nil
  ) {
    self.tool = tool
    self.words = words
    self.limit = limit
    self.folder = folder
    self.trace = trace
  }

  /// The beginning of each line about a call in the messages of a process.
  package static let callMark = "call: "
  /// The beginning of each line with a message that the plug-in logged.
  package static let messageMark = "message: "
  /// The beginning of each line with a warning of the manifest.
  package static let warningMark = "warning: "
  /// The size of messages above which a case fails, because its calls seem to be endless.
  private static let mostMessages = 1 << 28

  /// Runs a case. Returns its outcome, and the messages that the plug-in logged.
  func outcome(
    of one: StoreConformance.Case
  ) throws -> (outcome: StoreConformance.Outcome, messages: [String]) {
    let place = folder.appending(path: one.name)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let output = place.appending(path: "output.json")
    let messages = place.appending(path: "messages.txt")
    for file in [output, messages] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = words + ["--case", one.name, "--format", "json", "--in-process", "--trace"]
    process.environment = ThisProgram.environment.merging(["TMPDIR": place.path]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: messages)
    try process.run()
    let end = Date(timeIntervalSinceNow: limit)
    var hung = false
    while process.isRunning {
      let size = try RealDisk().status(of: messages.path).byteCount
      if Date() > end || size > Self.mostMessages {
        hung = true
        kill(process.processIdentifier, SIGKILL)
        break
      }
      usleep(2000)
    }
    process.waitUntilExit()

    let lines = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    let calls = lines.filter { $0.hasPrefix(Self.callMark) }.map {
      String($0.dropFirst(Self.callMark.count))
    }
    for call in calls { try trace?(call) }
    let logged = lines.filter { $0.hasPrefix(Self.messageMark) }.map {
      String($0.dropFirst(Self.messageMark.count))
    }
    return (try outcome(of: process, hung: hung, lines: lines, calls, output), logged)
  }

  /// Returns the outcome of a case whose process has ended.
  private func outcome(
    of process: Process, hung: Bool, lines: [String], _ calls: [String], _ output: URL
  ) throws -> StoreConformance.Outcome {
    let last =
      calls.last.map { "The last function that was called is '\($0)'." }
      ?? "No function was called."
    if hung {
      return .failed([
        "The case did not end within \(Int(limit)) seconds, so its process was killed. \(last)"
      ])
    }
    if process.terminationReason == .uncaughtSignal {
      // SAFETY: `strsignal` gives a string for every number, and the copy is made before anything else runs.
      let name = unsafe String(cString: strsignal(process.terminationStatus))
      return .failed(["The process ended by signal \(process.terminationStatus) (\(name)). \(last)"]
      )
    }
    if let outcome = try Self.outcome(in: Data(contentsOf: output)) { return outcome }
    let marks = [Self.callMark, Self.messageMark, Self.warningMark]
    let words = lines.filter { line in !marks.contains { line.hasPrefix($0) } }.suffix(3).joined(
      separator: " ")
    return .failed([
      "The process ended with exit code \(process.terminationStatus). \(words) \(last)"
    ])
  }

  /// Returns the outcome that a process has printed; `nil` if the output is not complete.
  private static func outcome(in bytes: Data) throws -> StoreConformance.Outcome? {
    guard let report = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any],
      let type = (report["types"] as? [[String: Any]])?.first,
      let one = (type["cases"] as? [[String: Any]])?.first
    else { return nil }
    switch one["outcome"] as? String {
    case "passed": return .passed
    case "skipped": return .skipped(one["reason"] as? String ?? "")
    case "failed": return .failed(one["findings"] as? [String] ?? [])
    default: return nil
    }
  }
}
