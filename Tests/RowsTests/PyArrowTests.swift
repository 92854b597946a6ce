import Foundation
import ProgramRuns
import Testing

/// Rows exchanged with pyarrow, which is independent of Quire. Scripts/exchange.py describes the checks. `./run test`
/// installs pyarrow if it is available.
@Suite("Arrow arrays through another implementation")
struct PyArrowTests {
  @Test(
    "pyarrow reads the rows that Quire writes, and Quire reads pyarrow's",
    .enabled(if: python != nil, word))
  func exchange() throws {
    let library = Self.folder.appending(path: "libArrowExchange.so")
    try #require(FileManager.default.fileExists(atPath: library.path))
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Scripts/exchange.py")

    let run = try ProgramRun(try #require(Self.python), [script.path, library.path])

    #expect(run.status == 0, "\(run.text)")
    #expect(run.text == "ok\n")
  }

  /// The reason for a skipped test. A process without a sanitizer can't load a library that was built for one.
  static let word: Comment = "There is no Python with pyarrow here, or a sanitizer runs."

  /// The folder of the build's products.
  private static let folder = Bundle.main.executableURL!.deletingLastPathComponent()

  /// A Python that has pyarrow.
  private static let python: String? = {
    guard ProcessInfo.processInfo.environment["QUIRE_SANITIZER"] == nil else { return nil }
    return [ProgramRun.python, "/usr/bin/python3"].compactMap(\.self).first { (python: String) in
      (try? ProgramRun(python, ["-c", "import pyarrow.cffi"]).status) == 0
    }
  }()
}
