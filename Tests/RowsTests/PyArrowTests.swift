import Foundation
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

    let (status, output) = try Self.run(try #require(Self.python), [script.path, library.path])

    #expect(status == 0, "\(output)")
    #expect(output == "ok\n")
  }

  /// The reason for a skipped test. A process without a sanitizer can't load a library that was built for one.
  static let word: Comment = "There is no Python with pyarrow here, or a sanitizer runs."

  /// The folder of the build's products.
  private static let folder = Bundle.main.executableURL!.deletingLastPathComponent()

  /// A Python that has pyarrow.
  private static let python: String? = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["QUIRE_SANITIZER"] == nil else { return nil }
    let build = folder.deletingLastPathComponent().deletingLastPathComponent()
    let known: [String?] = [
      environment["QUIRE_PYTHON"], build.appending(path: "python/bin/python3").path,
      "/usr/bin/python3",
    ]
    return known.compactMap(\.self).first { (python: String) in
      FileManager.default.isExecutableFile(atPath: python)
        && (try? run(python, ["-c", "import pyarrow.cffi"]).status) == 0
    }
  }()

  private static func run(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
