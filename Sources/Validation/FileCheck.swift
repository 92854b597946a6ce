import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The check of a file of one format, with its results.
protocol FileCheck: AnyObject {
  var format: ValidationReport.Format { get }
  var findings: Findings { get }
  var checked: ValidationReport.Checked { get }
  var passedOver: [String] { get }
  /// The parts that an error kept from being checked, in sentences. The file is not valid then.
  var unchecked: [String] { get }
  /// The facts that the store contains about itself.
  var facts: StoreFacts { get }

  /// Checks the whole file.
  func run() throws
}

/// The facts that a store contains about itself, as far as they can be read.
struct StoreFacts {
  var uuid: UUID?
  var type: StoreType?
  var model: Model?
  /// The numbers of its commits, from the commit that counts backwards. Empty for formats without commit numbers.
  var commits: [Int64] = []
  /// The numbers of commits behind the commit that counts.
  var unconfirmed: [Int64] = []
}

enum FileChecks {
  /// The type of stores in SQLite databases.
  static let sqlite = StoreType(rawValue: "SQLite")

  /// Returns the check of a file. The first bytes of the file determine the format.
  ///
  /// - Parameters:
  ///   - path: The file's path, for formats of more than one file.
  ///   - backends: The backends that check stores in other formats.
  ///   - counting: The commit that counts according to the document; `nil` for a file without a document.
  ///   - isLog: Whether the file is the log of the document.
  static func check(
    of file: DurableFile, at path: String, on disk: any Disk, _ backends: StoreBackends,
    model: Model?, counting: Int64? = nil, isLog: Bool = false,
    progress: @escaping (Double) -> Void
  ) throws -> any FileCheck {
    let byteCount = try file.byteCount()
    let start = try file.read(
      byteCount: min(StoreBackends.firstByteCount, byteCount), at: 0)
    if let backend = backends.backend(recognizing: start), !own.contains(backend.type) {
      return BackendFileCheck(path, on: disk, backend, model: model, progress: progress)
    }
    if XMLFileCheck.mayBegin(with: start) {
      return XMLFileCheck(file, byteCount: byteCount, model: model, progress: progress)
    }
    if start.starts(with: StorePlaces.databaseMark), backends[sqlite] == nil {
      let reason =
        backends.explanation(ofMissing: sqlite).map { " \($0)" }
        ?? " The plug-in SQLiteStore is needed, which knows the rules of these stores."
      return MissingBackendCheck(
        .sqlite, byteCount: byteCount, "The SQLite database was not checked.\(reason)")
    }
    return BlockFileCheck(
      file, byteCount: byteCount, model: model,
      counting: counting.map { CountedCommit(number: $0, isLog: isLog) }, progress: progress)
  }

  /// The types of stores in formats that the validator reads on its own (decision 0024).
  static let own: Set<StoreType> = [.binary, .compressed, .xml]
}

extension BlockFileCheck: FileCheck {}
extension XMLFileCheck: FileCheck {}
extension BackendFileCheck: FileCheck {}
