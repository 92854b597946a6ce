public import StoreInterface

/// The result of checking a document.
public struct ValidationReport: Sendable {
  public let path: String
  /// The format of the file.
  public let format: Format
  /// The findings that were kept, in the order they were made.
  public let findings: [Finding]
  /// The number of findings of each broken rule.
  public let counts: [Rule: Int]
  public let checked: Checked
  /// The parts that were skipped because a check would take too much time or memory, or because of other errors, in
  /// sentences.
  public let passedOver: [String]
  /// The parts that could not be checked, in sentences. The document is not ``Verdict/valid`` then.
  public let unchecked: [String]
  /// Whether the document has stores of a type without known rules.
  public let hasUnknownStores: Bool

  init(
    path: String, format: Format, findings: Findings, checked: Checked = Checked(),
    passedOver: [String], unchecked: [String] = [], hasUnknownStores: Bool = false
  ) {
    self.path = path
    self.format = format
    self.findings = findings.kept
    counts = findings.counts
    self.checked = checked
    self.passedOver = passedOver
    self.unchecked = unchecked
    self.hasUnknownStores = hasUnknownStores
  }

  /// The formats that can be checked.
  public enum Format: String, Sendable, Hashable {
    case unknown
    /// A newer version of a known format.
    case newer
    case blockFile
    case xml
    /// A store in an SQLite database.
    case sqlite
    /// A store of a type that a plug-in brings.
    case store
    /// A document: a folder with a manifest.
    case document
  }

  /// The amounts that were checked.
  public struct Checked: Sendable, Hashable {
    /// The size of the file in bytes.
    public var byteCount = 0
    /// The number of bytes in use.
    public var liveByteCount = 0
    /// The number of kept commits.
    public var commitCount = 0
    /// The number of blocks of rows, in all commits.
    public var blockCount = 0
    /// The number of rows in the blocks.
    public var rowCount = 0
    /// The number of objects in the newest commit.
    public var objectCount = 0
    /// The number of stores of a document.
    public var storeCount = 0
    /// The number of attachments of a document, including earlier versions. Each is counted once.
    public var attachmentCount = 0
    /// The number of versions of a document.
    public var versionCount = 0
  }

  /// The verdict of a report in one word.
  public enum Verdict: String, Sendable, Hashable {
    case valid
    case invalid
    /// No error was found, but some parts could not be checked.
    case incomplete
    case unknownFormat
    /// The file has a newer version of its format.
    case newerFormat
  }

  /// The verdict of the report in one word.
  public var verdict: Verdict {
    switch format {
    case .unknown: .unknownFormat
    case .newer: .newerFormat
    default:
      switch count(of: .error) {
      case 0: unchecked.isEmpty ? .valid : .incomplete
      case counts[.newerFormat]: .newerFormat
      default: .invalid
      }
    }
  }

  /// Returns the number of findings of a severity, including findings that were not kept.
  public func count(of severity: Severity) -> Int {
    counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }
}
