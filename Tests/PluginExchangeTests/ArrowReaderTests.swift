import Foundation
import InstalledPlugins
import ProgramRuns
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
    let run = try ProgramRun(
      try #require(InstalledPlugins.python),
      [
        root.appending(path: "Examples/arrow-reader/read_store.py").path,
        try InstalledPlugins.folder.appending(path: "BinaryStore/libBinaryStorePlugin.so").path,
        "Binary", root.appending(path: "Examples/Trips.store").path, "2",
      ])

    let text = run.text
    #expect(run.status == 0, "\(text)")
    #expect(text.contains("name: string not null"), "\(text)")
    #expect(text.contains("'name': 'Régua', 'nights': 1"), "\(text)")
    #expect(text.split(separator: "\n").count { $0.hasPrefix("{'#key'") } == 9, "\(text)")
  }
}
