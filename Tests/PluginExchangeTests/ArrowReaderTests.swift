import Foundation
import InstalledPlugins
import Testing

/// Runs the example of a host in Python: pyarrow, another implementation of Arrow, reads batches that crossed the
/// interface.
@Suite("Rows of a store in pyarrow")
struct ArrowReaderTests {
  @Test(
    "pyarrow reads the batches of a loaded library",
    .enabled(if: InstalledPlugins.python != nil, "There is no Python with pyarrow and cffi."))
  func reading() throws {
    let root = InstalledPlugins.root
    let process = Process()
    process.executableURL = URL(filePath: try #require(InstalledPlugins.python))
    process.arguments = [
      root.appending(path: "Examples/arrow-reader/read_store.py").path,
      try InstalledPlugins.folder.appending(path: "BinaryStore/libBinaryStorePlugin.so").path,
      "Binary", root.appending(path: "Examples/Trips.store").path, "2",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()

    let text = String(decoding: bytes, as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("name: string not null"), "\(text)")
    #expect(text.contains("'name': 'Régua', 'nights': 1"), "\(text)")
    #expect(text.split(separator: "\n").count { $0.hasPrefix("{'#key'") } == 9, "\(text)")
  }
}
