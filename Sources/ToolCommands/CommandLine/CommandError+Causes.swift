import Archives
import BlockFileFormat
import CommandInterface
import Comparison
import Deflate
import DocumentExchange
import Documents
import DurableFiles
import Interchange
import JSONText
import Migration
import ModelCode
import ModelNotations
import ObjectGraph
import ObjectModel
import ObjectQuery
import PluginHost
import PluginKit
import PropertyLists
import Recovery
import Rows
import StoreInterface
import SystemPrograms
import XMLEvents

extension CommandError {
  /// Creates the error that a command reports for an error of a module.
  ///
  /// - Parameter words: The command line, which names the document that contains a damaged store.
  init(explaining error: any Error, words: [String] = []) {
    self.init(cause: error, words: words)
    guard !(error is CommandError) else { return }
    // Commands print and read identifiers without the store: `3/p1` for `x-quire://3ca7d9bcea07447b/3/p1`.
    self = CommandError(
      exitCode, message.replacing(/x-quire:\/\/[0-9a-f]{16}\//, with: ""), hint: hint)
    switch error {
    case let error as ModelFileError:
      file = error.path
      place = error.place.isEmpty ? nil : error.place
    case let error as StoreError: file = error.path
    case let error as DocumentError: file = error.path
    case let error as ArchiveError: file = error.path
    case let error as DiskError: file = error.path
    case let error as ImportError: locate(error.problems.first)
    case let error as ImportProblem: locate(error)
    default: break
    }
    if hint == nil, let path = Self.missingFile(error) {
      hint = Self.missingFileHint(path, words)
    }
  }

  /// Creates the error that a command reports for an error of a module, with the command's own hint.
  init(explaining error: any Error, hint: String) {
    self.init(explaining: error)
    self.hint = hint
  }

  /// Returns the path of an error about a file that does not exist; `nil` for any other error.
  private static func missingFile(_ error: any Error) -> String? {
    switch error {
    case let error as StoreError where error.code == .notFound: error.path
    case let error as DocumentError where error.code == .notFound: error.path
    case let error as DiskError where error.code == .notFound: error.path
    case let error as ModelFileError where error.code == .notFound: error.path
    default: nil
    }
  }

  /// Returns the text of an error, with the path before the message unless the message contains the path.
  private static func text(_ error: StoreError) -> String {
    guard let path = error.path, !path.contains("://"), error.message.contains("'\(path)'") else {
      return "\(error)"
    }
    return error.message
  }

  /// Sets the file and the place to those of a problem in an imported file.
  private mutating func locate(_ problem: ImportProblem?) {
    guard let problem, !problem.file.isEmpty else { return }
    file = problem.file
    place = problem.line > 0 ? "\(problem.line)" + (problem.column.map { ":\($0)" } ?? "") : nil
  }

  private static func headHint(_ path: String) -> String {
    "'quire branch \(quoted(path))' lists the heads, and 'quire switch' makes one of them current."
  }

  private init(cause error: any Error, words: [String]) {
    switch error {
    case let error as CommandError: self = error
    case let error as ComparisonError: self.init(error)
    case let error as ExchangeError:
      let code: ExitCode =
        switch error.code {
        case .noRemote, .exists: .wrongUsage
        case .damaged: .unreadable
        default: .inputOutput
        }
      self.init(code, oneLine(error.message), hint: error.hint.map(oneLine))
    case let error as ModelError:
      self.init(.unreadable, "The model is not consistent.\n\(error)")
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
        // A conflict that a context finds has the same exit code, so that the code does not depend on the kind of store.
        case .conflict, .overtaken: .no
        default: .inputOutput
        }
      let isDamaged = error.code == .damaged || error.code == .notAStore
      self.init(
        code, Self.text(error),
        hint: isDamaged ? error.path.flatMap { Self.recoverHint($0, words) } : nil)
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
        hint: code == .plugin
          ? "Run 'quire plugin list' to see the installed plug-ins."
          : error.code == .damaged
            ? error.path.flatMap { Self.recoverHint($0, words) }
            : error.code == .noHead ? error.path.map(Self.headHint) : nil)
    case let error as ArchiveError:
      let isChanged = error.code == .changed
      self.init(
        error.code == .exists || isChanged ? .inputOutput : .unreadable, error.message,
        hint: isChanged ? "Run the command again. It then changes the new file." : nil)
    case let error as ContextError:
      let code: ExitCode =
        switch error.code {
        case .validation, .conflict, .noObject: .no
        case .incompatibleModel: .modelMismatch
        case .unreadable: .unreadable
        default: .wrongUsage
        }
      let refusal = SaveRefusal(error)
      self.init(code, refusal.message, hint: refusal.hint)
    case let error as MigrationError:
      let code: ExitCode =
        switch error.code {
        case .badMapping, .badStages: .wrongUsage
        case .invalidResult: .no
        case .badPlace: .inputOutput
        default: .modelMismatch
        }
      self.init(
        code, "\(error)",
        hint: error.code == .missingPolicy
          ? "A policy is a class of a program: migrate with that program, or replace the policy by values."
          : nil)
    case let error as ImportError:
      self.init(
        error.isMalformed ? .unreadable : .no, "\(error)",
        hint: error.problems.contains(where: \.isUnknownName)
          ? "Give the model's names for others with --map NAME=PROPERTY; --map NAME= leaves a column out."
          : error.problems.contains(where: \.isNotUTF8)
            ? "Give the encoding of the file, for example --encoding windows-1252."
            : error.problems.contains(where: \.lacksEntity)
              ? "Give the entity with --entity, or name the file after it." : nil)
    case let error as ImportProblem:
      self.init(error.isMalformed ? .unreadable : .no, "\(error)")
    case let error as RecoveryError:
      self.init(
        .unreadable, "\(error)", hint: error.lacksModel ? "Give the model with --model." : nil)
    case let error as DiskError:
      self.init(error.code == .damaged ? .unreadable : .inputOutput, error.message)
    case let error as ErrorNumber: self.init(.inputOutput, "The disk reported an error: \(error).")
    case let error as FormatFault: self.init(.unreadable, "\(error)")
    case let error as DeflateError: self.init(.unreadable, "Compressed bytes are damaged. \(error)")
    case let error as XMLError: self.init(.unreadable, "\(error)")
    case let error as PropertyListError: self.init(.unreadable, "\(error)")
    case let error as BlockError: self.init(.unreadable, "A block of rows is damaged. \(error)")
    case let error as ArrowError:
      self.init(.unreadable, "Rows in Arrow's form are damaged. \(error)")
    case let error as SchemaError: self.init(.modelMismatch, "\(error)")
    case let error as JSONError: self.init(.unreadable, "\(error)")
    case let error as ProgramError: self.init(.inputOutput, error.message, hint: error.hint)
    case let error as PluginKitError:
      self.init(
        error.code == .refused ? .plugin : .inputOutput, oneLine(error.message),
        hint: error.hint.map(oneLine))
    case let error as PluginRefusal: self.init(.plugin, "\(error)")
    case let error as ModelCodeError: self.init(.modelMismatch, "\(error)")
    case is CancellationError: self.init(.interrupted, "Interrupted; nothing was changed.")
    default:
      self.init(
        .internalFault, "An unexpected error occurred: \(error)",
        hint: "Please report this fault with the command line.")
    }
  }

  /// Returns the hint with the command that saves the readable objects of a damaged file.
  ///
  /// - Parameters:
  ///   - path: The damaged file, which may be part of a document.
  ///   - words: The command line. The word that is a prefix of the path is the path of the document.
  static func recoverHint(_ path: String, _ words: [String]) -> String? {
    let input = words.first { path == $0 || path.hasPrefix($0 + "/") } ?? path
    // `recover` reads files, and no stores on servers.
    if input.contains("://") { return nil }
    // `recover` does not read SQLite databases.
    if (try? StorePlaces(StoreBackends([]), on: RealDisk()).isDatabase(input)) == true {
      return "SQLite's own tool saves the readable rows: sqlite3 \(quoted(input)) .recover"
    }
    let output =
      StandardFiles.isCopy(input)
      ? "recovered.store" : quoted(Self.path(input, beside: "-recovered"))
    return "Run 'quire recover \(quoted(input)) --output \(output)' to save the readable objects."
  }

  /// Returns a path in the same folder for a new version of a file.
  ///
  /// - Parameter addition: The end of the new file's name, before the extension.
  static func path(_ path: String, beside addition: String) -> String {
    var stem = path
    while stem.count > 1, stem.hasSuffix("/") { stem.removeLast() }
    let name = stem.split(separator: "/").last.map(String.init) ?? stem
    let folder = stem.dropLast(name.count)
    for (ending, result) in [(".quire.zip", ".quire"), (".zip", ".quire")]
    where name.hasSuffix(ending) {
      return folder + name.dropLast(ending.count) + addition + result
    }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return stem + addition
    }
    return folder + name[..<dot] + addition + name[dot...]
  }

  /// Returns a path as one word of a shell that no command mistakes for an option.
  static func quoted(_ path: String) -> String {
    (path.hasPrefix("-") ? "./" + path : path).shellWord
  }
}
