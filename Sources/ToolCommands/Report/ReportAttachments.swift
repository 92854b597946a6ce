import Documents
import Foundation
import StoreInterface

/// The section of a report with the attachments of a document: pictures, and the names and sizes of other files.
struct ReportAttachments {
  private let source: ReportSource

  init(_ source: ReportSource) { self.source = source }

  /// Writes the section; nothing without attachments. Memory holds one picture.
  func write(to output: PageOutput) throws {
    guard let document = source.document, !document.attachments.isEmpty else { return }
    try output.write(
      "<section id=\"attachments\">\n<h2>Attachments</h2>\n<ul class=\"attachments\">\n")
    var pictures = PictureAllowance.attachments
    for attachment in document.attachments {
      let name = HTMLText.escaped(attachment.name)
      let size = HTMLText.size(attachment.byteCount)
      try output.write("<li><figure>")
      let note = try write(attachment, name, of: document, &pictures, to: output)
      try output.write(
        "<figcaption><b>\(name)</b> <span>\(size)\(note.map { ", \($0)" } ?? "")</span></figcaption></figure></li>\n"
      )
    }
    try output.write("</ul>\n</section>\n")
  }

  /// Writes the picture of an attachment, or a sign with the ending of its name.
  ///
  /// - Returns: The reason why a picture is not shown; `nil` for other files.
  private func write(
    _ attachment: Attachment, _ name: String, of document: Document,
    _ pictures: inout PictureAllowance, to output: PageOutput
  ) throws -> String? {
    let dot = attachment.name.lastIndex(of: ".")
    let ending = dot.map { String(attachment.name[$0...].dropFirst().prefix(5)) } ?? ""
    let sign = "<span class=\"sign\">\(HTMLText.escaped(ending.isEmpty ? "file" : ending))</span>"
    do {
      let reader = try document.openAttachment(named: attachment.name)
      let begin = try reader.read(byteCount: PictureType.beginByteCount, at: 0)
      guard let type = PictureType(begin) else {
        try output.write(sign)
        return nil
      }
      guard pictures.take(reader.byteCount) else {
        try output.write(sign)
        return "too large for this page"
      }
      // The bytes are read before the element begins, so that a damaged file leaves no half of a picture.
      var bytes: [UInt8] = []
      bytes.reserveCapacity(reader.byteCount)
      try reader.forEachPiece { bytes += $0 }
      try output.write("<img alt=\"\(name)\" src=\"\(type.urlBeginning)")
      try output.write(Array(Data(bytes).base64EncodedString().utf8))
      try output.write("\">")
      return nil
    } catch {
      // A failed disk may give the picture a moment later, so the page must not say that there is none.
      if output.hasFailed || error.isFailureOfDisk { throw error }
      try output.write(sign)
      return "can't be read"
    }
  }
}
