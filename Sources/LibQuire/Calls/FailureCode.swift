import CQuire
import Comparison
import Documents
import DurableFiles
import Interchange
import JSONText
import Migration
import ModelNotations
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The codes of quire.h with their names, which programs in languages with exceptions use.
enum FailureCode: Int32, CaseIterable {
  case none = 0
  case failed = 1
  case notFound = 2
  case exists = 3
  case notAStore = 4
  case newerFormat = 5
  case damaged = 6
  case inputOutput = 7
  case readOnly = 8
  case locked = 9
  case conflict = 10
  case incompatibleModel = 11
  case closed = 12
  case badChange = 13
  case cancelled = 14
  case notSupported = 15
  case validation = 16
  case query = 17
  case unknownName = 18
  case noObject = 19
  case noVersion = 20
  case noAttachment = 21
  case badModel = 22
  case badArgument = 23
  case badFile = 24

  /// The codes of errors of documents, stores and contexts that have different names here.
  private static let others: [String: FailureCode] = [
    "notADocument": .notAStore, "notABackup": .notAStore, "uncertain": .inputOutput,
    "overtaken": .conflict, "notConfirmable": .notSupported, "noBackend": .notSupported,
    "gone": .notFound, "noHead": .noVersion, "unknownEntity": .unknownName,
    "unknownProperty": .unknownName, "unknownTemplate": .unknownName, "wrongType": .badChange,
    "noStore": .notSupported, "crossStore": .badChange, "unreadable": .damaged,
    "historyExpired": .noVersion,
  ]

  private static let named = Dictionary(
    uniqueKeysWithValues: allCases.map { ("\($0)", $0) }
  ).merging(others) { own, _ in own }

  /// Creates the code of an error.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as CallError: error.code
      case is CancellationError: .cancelled
      case let error as StoreError: FailureCode.named[error.code.rawValue] ?? .failed
      case let error as DocumentError: FailureCode.named[error.code.rawValue] ?? .failed
      case let error as ContextError: FailureCode.named[error.code.rawValue] ?? .failed
      case let error as QueryError: FailureCode.others[error.code.rawValue] ?? .query
      case let error as DiskError:
        switch error.code {
        case .notFound: .notFound
        case .exists: .exists
        case .locked: .locked
        case .readOnly: .readOnly
        default: .inputOutput
        }
      case let error as ModelFileError: error.code == .notFound ? .notFound : .badModel
      case is ModelError: .badModel
      case let error as MigrationError:
        error.code == .invalidResult ? .validation : .incompatibleModel
      case is ImportError: .badFile
      case let error as ComparisonError:
        error.code == .badPlace ? .noVersion : .notSupported
      case is RecordError: .notSupported
      case is JSONError: .badArgument
      default: .failed
      }
  }
}

/// An error of a call itself, such as an argument that violates the header.
struct CallError: Error, CustomStringConvertible {
  let code: FailureCode
  let description: String

  init(_ code: FailureCode, _ description: String) {
    self.code = code
    self.description = description
  }
}
