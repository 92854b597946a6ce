/// What came of checking a document.
public struct Report: Sendable {
  /// The path that was checked.
  public let path: String
  /// What the file is.
  public let format: Format
  /// The findings that were kept, in the order they were made.
  public let findings: [Finding]
  /// How often each rule was broken that was.
  public let counts: [Rule: Int]
  /// What was looked at.
  public let checked: Checked
  /// The parts that were left out because a check would take too much time or memory, in sentences.
  public let passedOver: [String]
  /// The parts that could not be checked, in sentences. The document is not ``Verdict/valid`` then.
  public let unchecked: [String]
  /// Whether stores of a document have a type that no rules are known of.
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
    /// None of those that this version knows.
    case unknown
    /// A newer version of one that this version knows.
    case newer
    /// The block file.
    case blockFile
    /// The XML store.
    case xml
    /// A store in an SQLite database.
    case sqlite
    /// The document: a folder with a manifest.
    case document
  }

  /// How much was looked at.
  public struct Checked: Sendable, Hashable {
    /// The size of the file.
    public var byteCount = 0
    /// How many of its bytes are in use.
    public var liveByteCount = 0
    /// Saves that are kept.
    public var commitCount = 0
    /// Blocks of rows, of all commits.
    public var blockCount = 0
    /// Rows in them.
    public var rowCount = 0
    /// Objects that the newest commit has.
    public var objectCount = 0
    /// Stores of a document.
    public var storeCount = 0
    /// Attachments of a document, those of earlier versions included, each once.
    public var attachmentCount = 0
    /// Versions of a document.
    public var versionCount = 0
  }

  /// What there is to say in a word.
  public enum Verdict: String, Sendable, Hashable {
    /// There is no error.
    case valid
    /// There are errors.
    case invalid
    /// No error was found, and not everything could be checked.
    case incomplete
    /// It is no format that this version knows.
    case unknownFormat
    /// It was written in a newer version of its format.
    case newerFormat
  }

  /// What there is to say in a word.
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

  /// How many findings of a severity were made, kept or not.
  public func count(of severity: Severity) -> Int {
    counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }
}
