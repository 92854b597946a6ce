import BinaryStore
import DurableFiles
import StoreInterface

/// Where commands get their stores from: files, or in a test whatever it hands out.
struct StoreReader: Sendable {
  /// The store at a path, opened for reading.
  let open: @Sendable (_ path: String) throws -> any Store

  /// Opens store files on the given disk. What they are is seen from their first bytes.
  static func files(on disk: any Disk) -> StoreReader {
    StoreReader { path in
      let start: [UInt8]
      do {
        let file = try disk.open(path, for: .read)
        start = try file.read(byteCount: min(16, try file.byteCount()), at: 0)
      } catch let error as DiskError {
        throw CommandError(.inputOutput, error.message)
      }
      if BinaryStore.recognizes(start) {
        return try BinaryStore.open(path, on: disk, readOnly: true)
      }
      throw CommandError(
        .unreadable, "'\(path)' is no store that this program knows.",
        hint: start.starts(with: Array("SQLite format 3".utf8))
          ? "It is an SQLite database, which can't be read yet." : nil)
    }
  }

  /// Opens store files.
  static let files = StoreReader.files(on: RealDisk())
}

extension Argument {
  /// The store that a command is about.
  static let store = Argument("STORE", "A store's file.")
  /// The entity that a command is about.
  static let entity = Argument(
    "ENTITY", "The entity whose objects are meant, subentities included.")
}
