import Foundation
import Synchronization
import SystemPrograms

/// The library by which another process loses power. It is built by the C compiler of the system when a case needs it.
final class PowerCutLibrary: Sendable {
  /// The signal on which the library undoes the writes that no sync has made durable, and ends the process.
  static let signal = SIGUSR2

  /// The folder for the library.
  private let folder: String
  private let built = Mutex<Result<String?, any Error>?>(nil)

  init(in folder: String) { self.folder = folder }

  /// The variables with which a process loads the library. The power is cut after a number of syncs, if it is given.
  static func environment(
    loading library: String, cuttingAfter syncs: Int?
  ) -> [String: String] {
    // A sanitizer wants to be the first library, and works behind this one too.
    var values = [
      "LD_PRELOAD": library, "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
    ]
    values["QUIRE_POWER_CUT_SYNCS"] = syncs.map { "\($0)" }
    return values
  }

  /// Returns the path of the library; `nil` without a C compiler, and on systems other than Linux.
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
      throw PluginKitError(
        .inputOutput, "The library for power cuts can't be compiled: \(run.messages)")
    }
    return library
  }
}
