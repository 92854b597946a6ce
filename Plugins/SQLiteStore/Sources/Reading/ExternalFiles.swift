import DurableFiles
import RelationalStore
import StoreInterface

/// The values in separate files, in a folder beside the database (spec §10.4.6).
struct ExternalFiles: Sendable {
  let path: String
  let disk: any Disk

  /// Returns the folder with the external values of a database.
  static func folder(of path: String) -> String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var name = String(path[slash...])
    if let point = name.lastIndex(of: "."), point > name.startIndex {
      name = String(name[..<point])
    }
    return path[..<slash] + ".\(name)_SUPPORT/_EXTERNAL_DATA"
  }

  /// Returns the value: the bytes after the first one, or the contents of the file that the cell names. If the file
  /// does not exist, returns the cell itself, so that the rest of the database stays readable.
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
