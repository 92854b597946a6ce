public import Foundation

/// A program that a test has run to its end.
///
///     let run = try ProgramRun("unzip", ["-t", "Trip.zip"], in: folder)
///     #expect(run.status == 0, "\(run.text)")
public struct ProgramRun: Sendable {
  /// The exit status; the number of the signal if a signal ended the program.
  public let status: Int32
  /// The bytes that the program wrote to the streams that were read.
  public let bytes: [UInt8]

  /// The streams that a run reads. The test's own streams get the other stream.
  public enum Streams: Sendable {
    case output
    case errors
    /// Both, in the order in which the program wrote to them.
    case both
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: The path of the program, or a name that is searched for in `PATH`. The exit status is 127 if no
  ///     program has the name.
  ///   - folder: The program's current folder; `nil` for the test's own.
  /// - Throws: An error if nothing can be run at the path.
  public init(
    _ program: String, _ arguments: [String] = [], in folder: URL? = nil,
    reading streams: Streams = .both
  ) throws {
    let process = Process()
    let isPath = program.contains("/")
    process.executableURL = URL(filePath: isPath ? program : "/usr/bin/env")
    process.arguments = isPath ? arguments : [program] + arguments
    if let folder { process.currentDirectoryURL = folder }
    // The output goes to a file. A full pipe would block the program, and a process that the program leaves behind
    // would keep a pipe open.
    let file = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    if streams != .errors { process.standardOutput = handle }
    if streams != .output { process.standardError = handle }
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    bytes = [UInt8](try Data(contentsOf: file))
  }

  public var text: String { String(decoding: bytes, as: UTF8.self) }
}
