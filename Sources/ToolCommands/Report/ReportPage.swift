import Checksums
import CommandInterface
import Comparison
import Documents
import EmbeddedFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface
import Validation

/// A report as one page of HTML. The page contains its style, its script, its pictures and its rows, and requests
/// nothing from another place.
struct ReportPage {
  private let source: ReportSource
  /// The report of the validator; `nil` if the document was not checked.
  private let findings: ValidationReport?
  /// The entities with a table of rows; `nil` for all.
  private let entities: Set<String>?
  /// The most rows of each table.
  private let mostRows: Int

  /// The amounts that a page shows.
  struct Summary {
    var entityCount = 0
    var rowCount = 0
    var byteCount = 0
    /// The errors of damaged rows, each with the name of the entity.
    var faults: [(entity: String, error: any Error)] = []
  }

  /// The most rows of a table, unless the command line gives another number.
  static let usualRowCount = 10_000

  init(
    _ source: ReportSource, _ findings: ValidationReport?, of entities: Set<String>?, mostRows: Int
  ) {
    self.source = source
    self.findings = findings
    self.entities = entities
    self.mostRows = mostRows
  }

  /// Writes the page piece by piece.
  ///
  /// - Parameter progress: Called with the finished share of the work, from 0 to 1.
  func write(
    progress: (Double) -> Void, to sink: ([UInt8]) throws -> Void
  ) throws -> Summary {
    try withoutActuallyEscaping(sink) { sink in
      let output = PageOutput(to: sink)
      var summary = Summary()
      try output.write(head)
      try output.write(overview)
      try output.write(ReportModel(source.model, anchors: anchors).html)
      try output.write(ReportContents(source).html)
      try output.write(ReportVersions(source.history).html)
      try output.write(ReportFindings(findings).html)
      try writeTables(to: output, &summary, progress)
      try ReportAttachments(source).write(to: output)
      try output.write(foot)
      try output.flush()
      summary.byteCount = output.byteCount
      return summary
    }
  }

  // MARK: - Frame

  /// The policy that lets a browser load nothing for the page, and run only the script of this module.
  static var policy: String {
    let script = SHA256.digest(of: Array("\n\(EmbeddedFile.text("report.js"))".utf8)).base64
    // SAFETY: The name belongs to the browser. Styles in the page draw the bars, and load nothing.
    let styles = "style-src 'unsafe-inline'"
    return "default-src 'none'; \(styles); script-src 'sha256-\(script)'; "
      + "img-src data:; base-uri 'none'; form-action 'none'"
  }

  /// The beginning of the page, with its style. The page uses the fonts of the system, and follows its light or dark appearance.
  private var head: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>\(HTMLText.escaped(source.name))</title>
    <style>
    \(EmbeddedFile.text("report.css"))</style>
    </head>
    <body>
    <main>

    """
  }

  /// The end of the page, with its script, which draws the tables of rows, sorts and filters them, and follows references.
  ///
  /// The script sets texts and never markup, so no value of a document becomes an element of the page.
  private var foot: String {
    """
    </main>
    <footer>Made by <b>quire report</b>. Times are in UTC.</footer>
    <dialog id="picture"><form method="dialog"><button>Close</button></form><img alt=""></dialog>
    <script>
    \(EmbeddedFile.text("report.js"))</script>
    </body>
    </html>

    """
  }

  private var sections: [(id: String, title: String)] {
    var sections = [
      ("model", "Model"), ("contents", "Contents"), ("versions", "Versions"),
      ("findings", "Findings"), ("rows", "Rows"),
    ]
    if !source.attachments.isEmpty { sections.append(("attachments", "Attachments")) }
    return sections
  }

  // MARK: - Overview

  private var overview: String {
    var html = """
      <header>
      <p class="kind">\(HTMLText.escaped(source.kind))</p>
      <h1>\(HTMLText.escaped(source.name))</h1>
      <ul class="tiles">

      """
    for (value, label, section) in tiles {
      html +=
        "<li><a href=\"#\(section)\"><b>\(HTMLText.escaped(value))</b> \(HTMLText.escaped(label))</a></li>\n"
    }
    html += "</ul>\n<dl class=\"facts\">\n"
    for fact in source.facts {
      let text = fact.moment.map { HTMLText.moment($0) } ?? HTMLText.escaped(fact.text)
      html += "<div><dt>\(HTMLText.escaped(fact.name))</dt><dd>\(text)</dd></div>\n"
    }
    html += "</dl>\n<nav aria-label=\"Sections\"><ul>\n"
    for section in sections {
      html += "<li><a href=\"#\(section.id)\">\(section.title)</a></li>\n"
    }
    return html + "</ul></nav>\n</header>\n"
  }

  /// The main numbers: the number, its noun, and the section with the details.
  private var tiles: [(String, String, String)] {
    let history = source.history
    let entityCount = source.model.entities.count
    var tiles = [
      (HTMLText.number(source.objectCount), source.objectCount == 1 ? "object" : "objects", "rows"),
      (HTMLText.number(entityCount), entityCount == 1 ? "entity" : "entities", "model"),
      (HTMLText.size(source.storeByteCount), "in stores", "contents"),
    ]
    if history.isKept {
      tiles.append(
        (HTMLText.number(history.count), history.count == 1 ? "version" : "versions", "versions"))
    }
    if !source.attachments.isEmpty {
      let count = source.attachments.count
      tiles.append(
        (HTMLText.number(count), count == 1 ? "attachment" : "attachments", "attachments"))
    }
    if let findings {
      let count = findings.counts.values.reduce(0, +)
      tiles.append(
        (
          count == 0 ? "No" : HTMLText.number(count), count == 1 ? "finding" : "findings",
          "findings"
        ))
    }
    return tiles
  }

  // MARK: - Rows

  private var tables: [(part: Int, entity: ReportSource.StoredEntity)] {
    source.tables(of: entities)
  }

  /// The anchors of the tables of rows, by the name of the entity.
  private var anchors: [String: String] {
    Dictionary(
      tables.filter { $0.entity.count > 0 && mostRows > 0 }.map {
        ($0.entity.name, Self.anchor($0.part, $0.entity))
      },
      uniquingKeysWith: { one, _ in one })
  }

  private static func anchor(_ part: Int, _ entity: ReportSource.StoredEntity) -> String {
    "t\(part)-\(entity.layout.entityNumber)"
  }

  private func writeTables(
    to output: PageOutput, _ summary: inout Summary, _ progress: (Double) -> Void
  ) throws {
    let tables = tables
    let filled = mostRows == 0 ? [] : tables.filter { $0.entity.count > 0 }
    let empty = tables.filter { $0.entity.count == 0 }
    try output.write("<section id=\"rows\">\n<h2>Rows</h2>\n")
    try output.write(
      "<noscript><p class=\"note\">The tables of rows need JavaScript. Everything else on this page is "
        + "shown without it.</p></noscript>\n")
    let total = Double(max(1, filled.reduce(0) { $0 + $1.entity.count }))
    var pictures = PictureAllowance.values
    var finished = 0
    var trees: [Int: ObjectTree] = [:]
    for (part, entity) in filled {
      let tree =
        try trees[part]
        ?? ObjectTree(
          ComparedStore(source.name, source.stores[part].snapshot), along: nil, levels: 0)
      trees[part] = tree
      let table = ReportTable(entity, tree, most: mostRows)
      try output.write(heading(part, entity, table.shownCount))
      let written = try table.write(to: output, &pictures) { passed in
        progress((Double(finished) + Double(passed)) / total)
      }
      try output.write("</script>\n")
      if let fault = written.fault {
        let text = CommandError(explaining: fault).message
        try output.write(
          "<p class=\"note fault\">The further rows can't be read: \(HTMLText.escaped(text))</p>\n")
        summary.faults.append((entity.name, fault))
      }
      try output.write("</section>\n")
      finished += entity.count
      summary.rowCount += written.rowCount
    }
    if mostRows == 0 { try output.write("<p class=\"note\">This page contains no rows.</p>\n") }
    if !empty.isEmpty {
      let names = Set(empty.map(\.entity.name)).subtracting(filled.map(\.entity.name)).sorted()
      if !names.isEmpty {
        let list = names.map { HTMLText.escaped($0) }.joined(separator: ", ")
        try output.write("<p class=\"note\">Entities without objects: \(list).</p>\n")
      }
    }
    summary.entityCount = Set(tables.map(\.entity.name)).count
    try output.write("</section>\n")
  }

  /// The beginning of a table: its heading, the places that the script fills, and the begin of the rows.
  private func heading(
    _ part: Int, _ entity: ReportSource.StoredEntity, _ shown: Int
  ) -> String {
    let id = Self.anchor(part, entity)
    let name = HTMLText.escaped(entity.name)
    let store = source.stores.count > 1 ? source.stores[part].name : nil
    let place = store.map { " <small>in \(HTMLText.escaped($0))</small>" } ?? ""
    let amount =
      shown == entity.count
      ? HTMLText.count(shown, "row")
      : "\(HTMLText.number(shown)) of \(HTMLText.count(entity.count, "row")), a sample"
    return """
      <section class="rows" id="\(id)" data-part="\(part)" data-entity="\(entity.layout.entityNumber)" \
      data-name="\(name)">
      <h3>\(name)\(place) <span class="amount">\(amount)</span></h3>
      <div class="tools"><label>Filter <input type="search" autocomplete="off" spellcheck="false"></label>\
      <output aria-live="polite"></output></div>
      <div class="scroll" role="region" aria-label="Rows of \(name)" tabindex="0"></div>
      <div class="pages"></div>
      <script type="application/json">
      """
  }
}
