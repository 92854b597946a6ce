import Documents
import DurableFiles
public import Foundation
import ObjectModel
public import Quire
public import StoreInterface
public import Validation

/// A backup of a document or a store that programs may save meanwhile.
///
///     let backup = Backup(of: "Trips.quire")
///     let report = try backup.write(to: "Trips-backup.quire")
///     print(report.version ?? 0, report.writtenByteCount)
///
/// The first call makes a whole copy. Each further call brings the copy up to date, and writes the new bytes alone: the new commits
/// of block files, and the files that the copy lacks. At every moment, also after a power cut, the copy is a whole document
/// in its former state or in the new one. Use `Document.copy(to:overwriting:)` for a copy that goes its own way.
///
/// A backup takes no lock of the document. It has the state of one version, and it belongs to the document by the
/// document's identifier, so both may move.
public struct Backup: Sendable {
  /// Whether a document or a file that is not a backup, or that a program has changed, is replaced.
  public var overwrites = false
  private let path: String
  private let places: StorePlaces

  /// Creates a backup of a document with all its heads, or of the file of a store.
  public init(of path: String, in places: StorePlaces = .builtIn) {
    self.path = path
    self.places = places
  }

  /// The result of bringing a backup up to date.
  public struct Report: Sendable {
    /// The newest version of the document in the backup, or the newest commit of the store; `nil` if it is unknown.
    public let version: Int64?
    /// The time at which the backup was brought up to date.
    public let date: Date
    /// Whether the backup was created.
    public let isNew: Bool
    /// The number of bytes that were written.
    public let writtenByteCount: Int
    /// The number of bytes of the backup.
    public let byteCount: Int
    fileprivate let state: State
  }

  fileprivate enum State: Sendable {
    case document(DocumentBackup.Result)
    case store(StoreBackup.Result)
  }

  /// Makes the backup, or brings it up to date.
  ///
  /// - Throws: `DocumentError` with code `notABackup` if something else is at the path, or a backup that a program has
  ///   changed, with code `locked` if a program has the backup open for writing, and with code `notSupported` for a document or
  ///   a store that lies on a server; `StoreError`; `DiskError`. The backup has its former state then.
  @discardableResult
  public func write(to target: String) throws -> Report {
    guard try places.isDocument(path) else {
      let result = try StoreBackup(of: path, in: places).write(to: target, overwriting: overwrites)
      return Report(
        version: result.record.version, date: result.record.date, isNew: result.isNew,
        writtenByteCount: result.writtenByteCount, byteCount: result.byteCount,
        state: .store(result))
    }
    let result = try DocumentBackup(of: path, in: places).write(
      to: target, overwriting: overwrites)
    return Report(
      version: result.mark.version, date: result.mark.date, isNew: result.isNew,
      writtenByteCount: result.writtenByteCount, byteCount: result.byteCount,
      state: .document(result))
  }

  /// Returns whether a program has saved the document or the store since a backup. This looks at the dates and the sizes of a
  /// few files, so a program can ask each second.
  public func isChanged(since report: Report) throws -> Bool {
    switch report.state {
    case .document(let result): try DocumentBackup(of: path, in: places).isChanged(since: result)
    case .store(let result): try StoreBackup(of: path, in: places).isChanged(since: result)
    }
  }

  /// The findings of a check of a backup.
  public struct Check: Sendable {
    /// The identifier of the document, or of the store; `nil` if nothing at the path identifies it as a backup.
    public let origin: UUID?
    /// The newest version in the backup.
    public let version: Int64?
    /// The time at which the backup was brought up to date.
    public let date: Date?
    /// Whether a program has changed the backup since.
    public let isChanged: Bool
    /// The findings about the files.
    public let validation: ValidationReport
    /// Whether this is a backup that nothing has changed, and in which every byte is as it should be.
    public var isSound: Bool {
      origin != nil && !isChanged && (validation.verdict == .valid)
    }
  }

  /// Reads every byte of a backup, and checks it against every rule of the specification.
  ///
  ///     let check = try Backup.check("Trips-backup.quire")
  ///     if !check.isSound { print(check.validation.text) }
  ///
  /// - Parameter validator: The validator, for a check that shows its progress; `nil` for one with the backends of `places`.
  /// - Throws: `DiskError` if something can't be read; never because of the contents.
  public static func check(
    _ path: String, in places: StorePlaces = .builtIn, with validator: Validator? = nil
  ) throws -> Check {
    let validation = try (validator ?? Validator(backends: places.backends)).validate(
      path, on: places.disk)
    if try places.isDocument(path) {
      let mark = try? DocumentBackup.mark(ofBackupAt: path, in: places)
      return Check(
        origin: mark?.mark.uuid, version: mark?.version, date: mark?.mark.date,
        isChanged: mark?.isChanged ?? false, validation: validation)
    }
    let record = try StoreBackup.record(of: path, on: places.disk)
    // A damaged file does not have the contents that the record names either.
    let isChanged = record.map {
      (try? StoreBackup.isChanged(path, since: $0, in: places)) ?? false
    }
    return Check(
      origin: record?.uuid, version: record?.version, date: record?.date,
      isChanged: isChanged ?? false, validation: validation)
  }
}
