import Archives
public import DurableFiles
public import ObjectModel
public import StoreInterface

/// Checks documents against all rules.
///
///     let report = try Validator(backends: backends).validate("Trips.store")
///     if report.verdict != .valid { print(report.text) }
///
/// A check continues past errors as far as possible. It never writes. For any bytes it ends, in time and memory in
/// proportion to their number (spec §6.2.3).
public struct Validator {
  /// A model that the document's objects should match, in addition to the document's own model.
  public var model: Model?
  /// The backends that check stores in other formats, such as SQLite databases.
  public var backends: StoreBackends
  /// Called from time to time with the finished share of the work, from 0 to 1.
  public var progress: ((Double) -> Void)?

  public init(
    model: Model? = nil, backends: StoreBackends = StoreBackends([]),
    progress: ((Double) -> Void)? = nil
  ) {
    self.model = model
    self.backends = backends
    self.progress = progress
  }

  /// Checks the document or the file at a path. The first bytes of a file determine its format. A folder is a
  /// document. A packed document is checked without unpacking it to disk.
  ///
  /// Another process may save meanwhile. Parts that were read before and after the save do not belong together, so the check
  /// begins again if it finds an error and a file has changed.
  ///
  /// - Throws: `DiskError` if something can't be read; never because of the contents.
  public func validate(_ path: String, on disk: any Disk = RealDisk()) throws -> ValidationReport {
    var attempts = 0
    while true {
      let before = try FileStatuses(below: path, on: disk)
      attempts += 1
      func isLast() throws -> Bool {
        try attempts == Validator.mostAttempts || FileStatuses(below: path, on: disk) == before
      }
      do {
        let report = try validateOnce(path, on: disk)
        if try report.verdict == .valid || isLast() { return report }
      } catch {
        if try isLast() { throw error }
      }
    }
  }

  /// The most times that a check begins because another process saves.
  private static let mostAttempts = 16

  private func validateOnce(_ path: String, on disk: any Disk) throws -> ValidationReport {
    let progress = progress ?? { _ in }
    if let backend = backends.backend(ofAddress: path) {
      return try report(
        on: path, BackendFileCheck(path, on: disk, backend, model: model, progress: progress))
    }
    if try disk.status(of: path).kind == .directory {
      if let backend = try backends.backend(ofStoreFolderAt: path, on: disk) {
        return try report(
          on: path, BackendFileCheck(path, on: disk, backend, model: model, progress: progress))
      }
      let check = ContainerCheck(path, on: disk, backends, model: model, progress: progress)
      try check.run()
      return check.report
    }
    let file = try disk.open(path, for: .read)
    if try Archive.isPackedDocument(at: path, on: disk) {
      return try PackedCheck(path, on: disk, backends, model: model, progress: progress).run()
    }
    let check = try FileChecks.check(
      of: file, at: path, on: disk, backends, model: model, progress: progress)
    return try report(on: path, check)
  }

  /// Runs the check of a file or a folder that is a store, and returns its report.
  private func report(on path: String, _ check: any FileCheck) throws -> ValidationReport {
    try check.run()
    return ValidationReport(
      path: path, format: check.format, findings: check.findings, checked: check.checked,
      passedOver: check.passedOver, unchecked: check.unchecked,
      hasUnknownStores: check is MissingBackendCheck
        || (check as? BackendFileCheck)?.lacksRules == true)
  }
}
