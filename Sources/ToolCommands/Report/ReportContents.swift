import Documents
import StoreInterface

/// The section of a report with counts and sizes as bars.
struct ReportContents {
  private let source: ReportSource

  init(_ source: ReportSource) { self.source = source }

  var html: String {
    "<section id=\"contents\">\n<h2>Contents</h2>\n" + entities + stores + "</section>\n"
  }

  /// A cell with a bar whose length is the share of the greatest value of its column.
  private static func bar(_ value: Int, of greatest: Int, _ text: String) -> String {
    let share = greatest > 0 ? Double(value) / Double(greatest) * 100 : 0
    // A value above zero is always visible.
    let width = value > 0 ? max(0.5, (share * 10).rounded() / 10) : 0
    return
      "<td class=\"bar\"><span style=\"--share:\(width)%\"></span> <b>\(HTMLText.escaped(text))</b></td>"
  }

  // MARK: - Entities

  private var entities: String {
    var counts: [String: Int] = [:]
    var sizes: [String: Int] = [:]
    for entity in source.stores.flatMap(\.entities) {
      counts[entity.name, default: 0] += entity.count
      if let byteCount = entity.byteCount { sizes[entity.name, default: 0] += byteCount }
    }
    guard !counts.isEmpty else { return "<p class=\"note\">No entities have objects.</p>\n" }
    let mostObjects = counts.values.max() ?? 0
    let mostBytes = sizes.values.max() ?? 0
    let hasSizes = mostBytes > 0
    var html = """
      <div class="scroll"><table class="bars"><caption>Objects of each entity</caption>
      <thead><tr><th scope="col">Entity</th><th scope="col">Objects</th>\
      \(hasSizes ? "<th scope=\"col\">Size of the rows</th>" : "")</tr></thead><tbody>

      """
    for (name, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      html += "<tr><th scope=\"row\">\(HTMLText.escaped(name))</th>"
      html += Self.bar(count, of: mostObjects, HTMLText.number(count))
      if hasSizes {
        let size = sizes[name] ?? 0
        html += Self.bar(size, of: mostBytes, HTMLText.size(size))
      }
      html += "</tr>\n"
    }
    return html + "</tbody></table></div>\n"
  }

  // MARK: - Files

  /// The stores and the attachments, each with its size and the part of the size that is in use.
  private var stores: String {
    var lines: [(name: String, kind: String, size: Int, used: Int?)] = source.stores.map { part in
      (
        part.name ?? source.name, part.store.type.rawValue, part.description.byteCount,
        part.description.liveByteCount > 0 ? part.description.liveByteCount : nil
      )
    }
    let attachments = source.attachments
    if !attachments.isEmpty {
      lines.append(
        (
          "Attachments", HTMLText.count(attachments.count, "file"),
          attachments.reduce(0) { $0 + $1.byteCount }, nil
        ))
    }
    let most = lines.map(\.size).max() ?? 0
    var html = """
      <div class="scroll"><table class="bars"><caption>Files</caption>
      <thead><tr><th scope="col">File</th><th scope="col">Type</th><th scope="col">Size</th>\
      <th scope="col">In use</th></tr></thead><tbody>

      """
    for line in lines {
      html += "<tr><th scope=\"row\">\(HTMLText.escaped(line.name))</th>"
      html += "<td>\(HTMLText.escaped(line.kind))</td>"
      html += Self.bar(line.size, of: most, HTMLText.size(line.size))
      html += line.used.map { Self.bar($0, of: most, HTMLText.size($0)) } ?? "<td></td>"
      html += "</tr>\n"
    }
    return html + "</tbody></table></div>\n"
  }
}
