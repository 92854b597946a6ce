import Foundation
import Testing

/// Expects `text` to be equal to the golden file of the given name.
///
/// With `RECORD_SNAPSHOTS=1` in the environment the file is written instead.
func expectSnapshot(
  _ text: String, _ name: String, in folder: String = "Tests/ToolCommandsTests/Snapshots",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = packageRoot.appending(path: folder).appending(path: name)
  if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return
  }
  let golden = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  #expect(
    text == golden,
    "\(folder)/\(name) differs. If it should, run the tests with RECORD_SNAPSHOTS=1.",
    sourceLocation: sourceLocation)
}

/// The folder that contains Package.swift.
let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
