import DurableFiles
import ObjectModel
import Rows
import StoreInterface
import XMLEvents

/// The check of an XML store (spec §5): the document by its grammar, then its objects against the model.
final class XMLFileCheck {
  private let file: DurableFile
  private let byteCount: Int
  private let givenModel: Model?
  private let progress: (Double) -> Void
  let findings = Findings()
  private(set) var format = ValidationReport.Format.xml
  private(set) var checked = ValidationReport.Checked()
  private(set) var passedOver: [String] = []
  private(set) var unchecked: [String] = []
  private(set) var facts = StoreFacts()

  init(
    _ file: DurableFile, byteCount: Int, model: Model?, progress: @escaping (Double) -> Void
  ) {
    self.file = file
    self.byteCount = byteCount
    givenModel = model
    self.progress = progress
  }

  /// Whether a file that begins with the given bytes may be an XML document. The root element decides whether it is a
  /// store.
  static func mayBegin(with bytes: [UInt8]) -> Bool {
    let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
    if marks.dropFirst().contains(where: { bytes.starts(with: $0) }) { return true }
    // UTF-16 without a byte order mark.
    if bytes.starts(with: [0x00, 0x3C]) { return true }
    let start = bytes.dropFirst(bytes.starts(with: marks[0]) ? 3 : 0)
      .drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return start.starts(with: Array("<".utf8))
  }

  /// Checks the whole file.
  func run() throws {
    checked.byteCount = byteCount
    checked.liveByteCount = byteCount
    let names = XMLNames()
    let document = XMLDocumentCheck(names, findings, givenModel)
    do {
      try parse(document, names)
    } catch let error as XMLError {
      findings.add(.xmlForm, Place("line \(error.position?.line ?? 0)"), error.message)
      document.isWhole = false
    }
    guard document.isDatabase else {
      format = .unknown
      findings.forget()
      findings.add(
        .unknownFormat, Place(), "The file is not an XML document with the root 'database'.")
      return
    }
    if document.isNewer { format = .newer }
    guard document.isWhole, !document.isNewer else {
      if !document.isNewer {
        passedOver.append("The objects were not checked, since the document is not well-formed.")
      }
      return
    }
    document.finish()
    facts = StoreFacts(uuid: document.uuid, type: .xml, model: document.model)
    unchecked += document.unchecked
    checked.rowCount = document.objectCount
    guard let model = document.model, let schema = document.schema,
      let layer = document.layer()
    else { return }
    let graph = GraphCheck([layer], model, schema, findings) { [progress] done in
      progress(0.7 + 0.3 * done)
    }
    try graph.run()
    checked.objectCount = graph.objectCount
    unchecked += graph.unchecked
  }

  /// Parses the file, with `document` as the receiver of the events.
  private func parse(_ document: XMLDocumentCheck, _ names: XMLNames) throws {
    var parser = XMLPushParser(
      handler: document, names: names,
      limits: XMLLimits(attributeCount: 64, tokenByteCount: 1 << 26))
    for start in stride(from: 0, to: byteCount, by: XMLFileCheck.pieceByteCount) {
      let piece = try file.read(
        byteCount: min(XMLFileCheck.pieceByteCount, byteCount - start), at: start)
      try parser.parse(piece.span)
      progress(0.7 * Double(start + piece.count) / Double(byteCount))
    }
    _ = try parser.finish()
  }

  private static let pieceByteCount = 1 << 20
}
