import Archives
public import DurableFiles
public import ObjectModel

/// Checks documents against every rule there is.
///
///     let report = try Validator().validate("Trips.store")
///     if report.verdict != .valid { print(report.text) }
///
/// A check goes on past what is wrong as far as it can. It never writes, and ends on any bytes at all in
/// time and memory in proportion to them (spec §6.2.3).
public struct Validator {
  /// A model that the document's objects should be of, beside the one it carries.
  public var model: Model?
  /// Called now and then with the share of the work that is done, from 0 to 1.
  public var progress: ((Double) -> Void)?

  /// A validator.
  public init(model: Model? = nil, progress: ((Double) -> Void)? = nil) {
    self.model = model
    self.progress = progress
  }

  /// Checks the document or the file at a path. What it is is seen from its first bytes; a folder is a
  /// document, and a packed document is checked where it lies.
  ///
  /// - Throws: `DiskError` when something can't be read; never for what it holds.
  public func validate(_ path: String, on disk: any Disk = RealDisk()) throws -> Report {
    let progress = progress ?? { _ in }
    if try disk.status(of: path).kind == .directory {
      let check = ContainerCheck(path, on: disk, model: model, progress: progress)
      try check.run()
      return check.report
    }
    let file = try disk.open(path, for: .read)
    if Archive.isPackedDocument(at: path, on: disk) {
      return try PackedCheck(path, on: disk, model: model, progress: progress).run()
    }
    let check = try FileChecks.check(
      of: file, at: path, on: disk, model: model, progress: progress)
    try check.run()
    return Report(
      path: path, format: check.format, findings: check.findings, checked: check.checked,
      passedOver: check.passedOver, unchecked: check.unchecked)
  }
}
