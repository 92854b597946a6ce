import Archives
import Documents
import DurableFiles
import Interchange
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import Recovery
import StoreInterface

extension CommandError {
  /// What a command says of an error that a module of the house threw.
  init(explaining error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as ModelError:
      self.init(.unreadable, "The model does not hold together.\n\(error)")
    case let error as ModelFileError:
      let isMissing = error.code == .notFound || error.code == .unreadable
      self.init(isMissing ? .inputOutput : .unreadable, "\(error)")
    case let error as QueryError:
      self.init(
        .wrongUsage, error.excerpt.map { "\(error.message)\n\($0)" } ?? error.message)
    case let error as StoreError:
      let code: ExitCode =
        switch error.code {
        case .notAStore, .damaged: .unreadable
        case .newerFormat: .newerFormat
        case .incompatibleModel: .modelMismatch
        case .badPlugin: .plugin
        default: .inputOutput
        }
      self.init(code, "\(error)")
    case let error as DocumentError:
      let code: ExitCode =
        switch error.code {
        case .notADocument, .damaged: .unreadable
        case .newerFormat: .newerFormat
        case .incompatibleModel: .modelMismatch
        case .noBackend: .plugin
        case .noVersion, .noAttachment: .no
        case .notSupported: .wrongUsage
        default: .inputOutput
        }
      self.init(
        code, "\(error)",
        hint: code == .plugin ? "Run 'quire plugin list' to see which plug-ins there are." : nil)
    case let error as ArchiveError:
      self.init(error.code == .exists ? .inputOutput : .unreadable, error.message)
    case let error as ContextError:
      let code: ExitCode =
        switch error.code {
        case .validation, .conflict, .noObject: .no
        case .incompatibleModel: .modelMismatch
        case .unreadable: .unreadable
        default: .wrongUsage
        }
      self.init(code, "\(error)")
    case let error as MigrationError:
      let code: ExitCode =
        switch error.code {
        case .badMapping, .badStages: .wrongUsage
        case .invalidResult: .no
        case .badPlace: .inputOutput
        default: .modelMismatch
        }
      self.init(code, "\(error)")
    case let error as ImportError:
      self.init(error.problems.contains(where: \.isMalformed) ? .unreadable : .no, "\(error)")
    case let error as ImportProblem:
      self.init(error.isMalformed ? .unreadable : .no, "\(error)")
    case let error as RecoveryError:
      self.init(
        .unreadable, "\(error)", hint: error.lacksModel ? "Give the model with --model." : nil)
    case let error as DiskError: self.init(.inputOutput, error.message)
    case is CancellationError: self.init(.interrupted, "Interrupted; nothing was changed.")
    default:
      self.init(
        .internalFault, "Quire did not expect this: \(error)",
        hint: "Please report it, with the command line.")
    }
  }
}
