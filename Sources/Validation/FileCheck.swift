import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The check of a file of one format, and what came of it.
protocol FileCheck: AnyObject {
  var format: Report.Format { get }
  var findings: Findings { get }
  var checked: Report.Checked { get }
  var passedOver: [String] { get }
  /// The parts that an error kept from being checked, in sentences. The file is not valid then.
  var unchecked: [String] { get }
  /// What the store says of itself.
  var facts: StoreFacts { get }

  /// Checks everything.
  func run() throws
}

/// What a store says of itself, as far as it can be read.
struct StoreFacts {
  var uuid: UUID?
  var type: StoreType?
  var model: Model?
  /// The numbers of its commits from the one that counts on back; none of a store whose file has no numbers.
  var commits: [Int64] = []
  /// The numbers of commits behind the one that counts.
  var unconfirmed: [Int64] = []
}

enum FileChecks {
  /// The check of a file, whose format is seen from its first bytes.
  ///
  /// - Parameters:
  ///   - path: The file's path, for formats that are more than one file.
  ///   - counting: The commit that counts, where a document says which one does.
  static func check(
    of file: DurableFile, at path: String, on disk: any Disk, model: Model?,
    counting: Int64? = nil, progress: @escaping (Double) -> Void
  ) throws -> any FileCheck {
    let byteCount = try file.byteCount()
    let start = try file.read(byteCount: min(64, byteCount), at: 0)
    if XMLFileCheck.mayBegin(with: start) {
      return XMLFileCheck(file, byteCount: byteCount, model: model, progress: progress)
    }
    if SQLiteFileCheck.mayBegin(with: start) {
      return SQLiteFileCheck(
        path, on: disk, byteCount: byteCount, model: model, progress: progress)
    }
    return BlockFileCheck(
      file, byteCount: byteCount, model: model, counting: counting, progress: progress)
  }
}

extension BlockFileCheck: FileCheck {}
extension XMLFileCheck: FileCheck {}
extension SQLiteFileCheck: FileCheck {}
