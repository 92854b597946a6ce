import DurableFiles
import SQLiteStoreFormat
import StoreInterface

/// Values in files of their own, in a folder beside the database (spec §10.4.6).
struct ExternalFiles: ExternalValues {
  let path: String
  let disk: any Disk

  /// The folder of the values of a database.
  static func folder(of path: String) -> String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var name = String(path[slash...])
    if let point = name.lastIndex(of: "."), point > name.startIndex {
      name = String(name[..<point])
    }
    return path[..<slash] + ".\(name)_SUPPORT/_EXTERNAL_DATA"
  }

  /// The value: behind the first byte, or in the file that is named there. What names a file that is not there stays as it
  /// is, so that nothing else of the database is lost with it.
  func value(of cell: [UInt8]) throws -> [UInt8] {
    switch ExternalCell(cell) {
    case .inside(let bytes): return Array(bytes)
    case .file(let name):
      let file = ExternalFiles.folder(of: path) + "/" + name
      do {
        return try disk.read(file, byteLimit: StoreContents.maximumValueByteCount)
      } catch {
        if error.code == .notFound { return cell }
        throw StoreError(error, path: file)
      }
    case .other: return cell
    }
  }
}
