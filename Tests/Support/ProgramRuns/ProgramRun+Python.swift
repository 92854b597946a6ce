import Foundation

extension ProgramRun {
  /// The Python that a test may use with pyarrow, Polars and DuckDB: the one that `QUIRE_PYTHON` names, or the one that
  /// `./run test` installs beside the build; `nil` if there is none.
  public static let python: String? = {
    // The test program is at .build/TRIPLE/debug.
    let build = Bundle.main.executableURL!.deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let known: [String?] = [
      ProcessInfo.processInfo.environment["QUIRE_PYTHON"],
      build.appending(path: "python/bin/python3").path,
    ]
    return known.compactMap(\.self).first { (python: String) in
      FileManager.default.isExecutableFile(atPath: python)
    }
  }()
}
