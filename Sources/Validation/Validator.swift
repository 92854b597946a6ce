public import DurableFiles
public import ObjectModel

/// Checks documents against every rule there is.
///
///     let report = try Validator().validate("Trips.store")
///     if report.verdict != .valid { … report.text … }
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

  /// Checks the file at a path. What it is is seen from its first bytes.
  ///
  /// - Throws: `DiskError` when the file can't be read; never for what it holds.
  public func validate(_ path: String, on disk: any Disk = RealDisk()) throws -> Report {
    let file = try disk.open(path, for: .read)
    let byteCount = try file.byteCount()
    let start = try file.read(byteCount: min(64, byteCount), at: 0)
    let progress = progress ?? { _ in }
    let check: any FileCheck
    if XMLFileCheck.mayBegin(with: start) {
      check = XMLFileCheck(file, byteCount: byteCount, model: model, progress: progress)
    } else {
      check = BlockFileCheck(file, byteCount: byteCount, model: model, progress: progress)
    }
    try check.run()
    return Report(
      path: path, format: check.format, findings: check.findings.kept,
      counts: check.findings.counts, checked: check.checked, passedOver: check.passedOver)
  }
}

/// The check of a file of one format, and what came of it.
private protocol FileCheck {
  var format: Report.Format { get }
  var findings: Findings { get }
  var checked: Report.Checked { get }
  var passedOver: [String] { get }

  /// Checks everything.
  func run() throws
}

extension BlockFileCheck: FileCheck {}
extension XMLFileCheck: FileCheck {}
