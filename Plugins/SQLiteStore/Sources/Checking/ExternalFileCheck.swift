import DurableFiles
import StoreInterface

/// The check of values in separate files, beside the database (spec §10.4.6).
final class ExternalFileCheck {
  private let check: SQLiteFileCheck
  private let folder: String
  /// The names of the existing files; `nil` before the folder is first listed.
  private var names: Set<String>?
  private var named: Set<String> = []

  init(_ check: SQLiteFileCheck) {
    self.check = check
    folder = ExternalFiles.folder(of: check.path)
  }

  /// Checks a cell.
  func check(_ cell: [UInt8], _ place: Place) throws {
    switch ExternalCell(cell) {
    case .inside: break
    case .file(let name):
      named.insert(name)
      if try !files().contains(name) {
        check.findings.add(
          .sqliteLostFiles, place, "The value is in the file \(name), which is missing.")
      }
    case .other:
      check.findings.add(
        .sqliteExternalCells, place,
        "The value begins with \(cell.first.map(String.init) ?? "nothing"), and is read as it is.")
    }
  }

  /// Reports files that no cell names.
  func finish() throws {
    for name in try files().subtracting(named).sorted() {
      check.findings.add(
        .sqliteStrayFiles, Place(),
        "No cell refers to the file \(name.prefix(60)) in the folder of values.")
    }
  }

  private func files() throws -> Set<String> {
    if let names { return names }
    var found: Set<String> = []
    if try check.disk.exists(folder), try check.disk.status(of: folder).kind == .directory {
      for entry in try check.disk.list(folder) { found.insert(entry.name) }
    }
    names = found
    return found
  }
}
