import Foundation
import PluginTemplates
import Synchronization

/// The library by which another process loses power. It is built by the C compiler of the system when a case needs it.
final class PowerCutLibrary: Sendable {
  /// The signal on which the library undoes the writes that no sync has made durable, and ends the process.
  static let signal = SIGUSR2

  /// The folder for the library.
  private let folder: String
  private let built = Mutex<Result<String?, any Error>?>(nil)

  init(in folder: String) { self.folder = folder }

  /// Returns the path of the library; `nil` if the system has no C compiler, or no way to load the library.
  func path() throws -> String? {
    #if os(Linux)
      try built.withLock { built in
        let result = built ?? Result { try build() }
        built = result
        return try result.get()
      }
    #else
      nil
    #endif
  }

  private func build() throws -> String? {
    let source = "\(folder)/power-cut.c"
    let library = "\(folder)/power-cut.so"
    try Data(PluginTemplate.powerCutSource).write(to: URL(filePath: source))
    guard
      let run = try? CapturedProgram(name: "cc").run(
        ["-O1", "-shared", "-fPIC", "-o", library, source])
    else { return nil }
    guard run.exitCode == 0 else {
      throw CommandError(
        .inputOutput, "The library for power cuts can't be compiled: \(run.messages)")
    }
    return library
  }
}
