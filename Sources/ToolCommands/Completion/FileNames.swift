import CommandInterface
import Documents
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import PluginHost
import StoreInterface
import Synchronization
import SystemPrograms

/// The names in the files that a command line of the tool names.
///
/// The files are opened for reading only, and never changed. A document is read without its stores, so it does not
/// matter whether another process has it open. A file that can't be read, or not at once, gives no names.
struct FileNames: CompletionNames {
  private let reader: StoreReader
  private let models: ModelReader
  private let plugins: PluginFinder
  private let environment: [String: String]

  /// The longest time that a user waits for names. A large XML store, or a database that another process has locked,
  /// would take longer.
  private let patience: TimeInterval

  /// Creates a source of names.
  ///
  /// - Parameters:
  ///   - environment: The variables that a path may contain.
  ///   - patience: The longest time of reading a file, in seconds.
  init(
    _ reader: StoreReader, _ models: ModelReader, _ plugins: PluginFinder,
    environment: [String: String] = ThisProgram.environment,
    patience: TimeInterval = 2
  ) {
    self.reader = reader
    self.models = models
    self.plugins = plugins
    self.environment = environment
    self.patience = patience
  }

  // MARK: - Models

  func model(of line: PartialLine) -> Model? {
    guard let path = line.modelPath ?? line.inputPath else { return nil }
    return atOnce(path) { names, path in
      if let outline = names.outline(path) {
        return try outline.model(named: outline.manifest.model)
      }
      return try names.reader.model(ofStoreAt: path) ?? names.models.model(at: path).model
    }
  }

  // MARK: - Other names

  func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate] {
    switch kind {
    case .storeType:
      return reader.backends.types.map(\.rawValue).filter { $0 != StoreType.memory.rawValue }
        .map { Candidate(typeName($0)) }
    case .plugin:
      return plugins.registry.plugins.map {
        Candidate($0.manifest.name, firstSentence(of: $0.manifest.description ?? ""))
      }
    case .modelVersion:
      return atOnce(line.modelPath ?? line.inputPath) { names, path in
        if let outline = names.outline(path) {
          return outline.manifest.models.map { Candidate($0.name) }
        }
        return try names.models.read(path).versions.map { Candidate($0.name) }
      } ?? []
    case .version: return manifest(of: line) { $0.versions.map(candidate) }
    case .head: return manifest(of: line) { $0.headNames.map { Candidate($0) } }
    case .storeName:
      return manifest(of: line) { $0.stores.map { Candidate($0.name, $0.type.rawValue) } }
    case .attachment:
      return manifest(of: line) { manifest in
        manifest.attachments.filter { $0.isPart(of: manifest.number) && !$0.isContent }
          .map { Candidate($0.name, Wording.count($0.byteCount, "byte")) }
      }
    default: return []
    }
  }

  /// Returns the spelling of a type of stores on the command line.
  private func typeName(_ type: String) -> String {
    ConvertCommand.types.first { $0.value.rawValue == type }?.key ?? type
  }

  private func candidate(_ version: Manifest.VersionEntry) -> Candidate {
    let date = version.saved.formatted(.iso8601)
    return Candidate(
      "\(version.number)", [date, version.name].compactMap(\.self).joined(separator: " "))
  }

  private func manifest(
    of line: PartialLine, _ candidates: @escaping @Sendable (Manifest) -> [Candidate]
  ) -> [Candidate] {
    atOnce(line.inputPath) { names, path in names.outline(path).map { candidates($0.manifest) } }
      ?? []
  }

  // MARK: - Reading

  private func outline(_ path: String) -> DocumentOutline? {
    (try? reader.isDocument(path)) == true
      ? try? DocumentOutline(of: path, in: reader.places) : nil
  }

  /// Returns the result of `body` for a path; `nil` if it throws, takes longer than a user waits, or would read from a
  /// pipe or a device.
  private func atOnce<R: Sendable>(
    _ path: String?, _ body: @escaping @Sendable (FileNames, String) throws -> R?
  ) -> R? {
    guard let path = path.map(expanded), let kind = try? reader.disk.status(of: path).kind,
      kind == .file || kind == .directory
    else { return nil }
    let answer = Answer<R>()
    let thread = Thread {
      answer.give(try? body(self, path))
    }
    // The readers of hostile files are tested with the stack of the main thread.
    thread.stackSize = 8 << 20
    thread.start()
    return answer.wait(until: Date(timeIntervalSinceNow: patience))
  }

  /// Returns a path as the shell passes it to a command: with the values of `~` and of variables at its beginning.
  ///
  /// The shell completes the words as the user typed them. No other part of the shell's language is read, because that
  /// could run a program.
  func expanded(_ path: String) -> String {
    if path.hasPrefix("~/"), let home = environment["HOME"] { return home + path.dropFirst() }
    guard
      let match = path.prefixMatch(
        of: /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/),
      let value = environment[String(match.1 ?? match.2 ?? "")]
    else { return path }
    return value + path[match.range.upperBound...]
  }
}

/// The result of a thread, for which another thread waits.
private final class Answer<R: Sendable>: Sendable {
  private let result = Mutex<R?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func give(_ result: R?) {
    self.result.withLock { $0 = result }
    isDone.signal()
  }

  /// Returns the result; `nil` if there is none at the given moment.
  func wait(until end: Date) -> R? {
    _ = isDone.wait(timeout: .now() + max(0, end.timeIntervalSinceNow))
    return result.withLock { $0 }
  }
}
