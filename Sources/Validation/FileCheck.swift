import DurableFiles
import Foundation
import ObjectModel
import StoreInterface

/// The check of a file of one format, with its results.
protocol FileCheck: AnyObject {
  var format: Report.Format { get }
  var findings: Findings { get }
  var checked: Report.Checked { get }
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
  /// Returns the check of a file. The first bytes of the file determine the format.
  ///
  /// - Parameters:
  ///   - path: The file's path, for formats of more than one file.
  ///   - counting: The commit that counts according to the document; `nil` for a file without a document.
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
