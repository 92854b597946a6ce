import Foundation

/// The section of a report about versions: a chart of the number of objects over time, and a list.
struct ReportVersions {
  private let history: ReportHistory

  init(_ history: ReportHistory) { self.history = history }

  var html: String {
    "<section id=\"versions\">\n<h2>Versions</h2>\n" + chart + list + "</section>\n"
  }

  // MARK: - Chart

  /// A version in the chart, from 0 to 1 in both directions.
  private struct Point {
    let x: Double
    let y: Double
    let version: ReportHistory.Version
  }

  private var points: [Point] {
    let known = history.versions.filter { $0.objectCount != nil }
    guard known.count > 1, let first = known.first?.line.saved, let last = known.last?.line.saved
    else { return [] }
    let span = last.timeIntervalSince(first)
    let most = Double(max(1, known.compactMap(\.objectCount).max() ?? 1))
    return known.enumerated().map { index, version in
      // Versions of one moment, or of a clock that was set back, have equal distances.
      let share = span > 0 ? version.line.saved.timeIntervalSince(first) / span : -1
      return Point(
        x: (0...1).contains(share) && span > 0 ? share : Double(index) / Double(known.count - 1),
        y: Double(version.objectCount ?? 0) / most, version: version)
    }
  }

  private var chart: String {
    let points = points
    guard let first = points.first, let last = points.last else { return "" }
    func place(_ value: Double) -> String { String(format: "%.1f", value) }
    func x(_ point: Point) -> String { place(point.x * 1000) }
    func y(_ point: Point) -> String { place(200 - point.y * 190) }
    // The number of objects stays the same from one version to the next.
    var path = "M\(x(first)) \(y(first))"
    for point in points.dropFirst() { path += " H\(x(point)) V\(y(point))" }
    let most = points.compactMap(\.version.objectCount).max() ?? 0
    var html = """
      <figure class="chart"><figcaption>Objects after each version, up to \
      \(HTMLText.number(most))</figcaption>
      <svg viewBox="0 0 1000 210" preserveAspectRatio="none" role="img" \
      aria-label="Number of objects over time">
      <path class="chart-area" d="\(path) V205 H\(x(first)) Z"/>
      <path class="chart-line" d="\(path)"/>

      """
    for point in points {
      let number = point.version.line.number
      let count = HTMLText.count(point.version.objectCount ?? 0, "object")
      html +=
        "<path class=\"chart-dot\" d=\"M\(x(point)) \(y(point))h0\"><title>Version \(number): \(count)</title></path>\n"
    }
    return html + """
      </svg>
      <p class="ends">\(HTMLText.moment(first.version.line.saved)) \
      \(HTMLText.moment(last.version.line.saved))</p></figure>

      """
  }

  // MARK: - List

  private var list: String {
    guard history.isKept else {
      return "<p class=\"note\">A store of this type contains only its last save.</p>\n"
    }
    var html = """
      <div class="scroll" role="region" aria-label="List of versions" tabindex="0"><table>
      <thead><tr><th scope="col">Number</th><th scope="col">Saved</th><th scope="col">Changes</th>\
      <th scope="col">Author</th><th scope="col">Message</th></tr></thead><tbody>

      """
    for version in history.versions.reversed() {
      let line = version.line
      var message = HTMLText.escaped(line.message ?? "")
      if let name = line.name { message = "<mark>\(HTMLText.escaped(name))</mark> " + message }
      for mark in line.marks { message += " <small>\(HTMLText.escaped(mark))</small>" }
      html += """
        <tr><th scope="row">\(line.number)</th><td>\(HTMLText.moment(line.saved))</td>\
        <td class="changes">\(changes(version))</td><td>\(HTMLText.escaped(line.author ?? ""))</td>\
        <td class="words">\(message)</td></tr>

        """
    }
    html += "</tbody></table></div>\n"
    let rest = history.count - history.versions.count
    if rest > 0 {
      html +=
        "<p class=\"note\">\(HTMLText.count(rest, "earlier version")) \(rest == 1 ? "is" : "are") not listed.</p>\n"
    }
    return html
  }

  private func changes(_ version: ReportHistory.Version) -> String {
    if version.changesModel { return "new model" }
    guard let counts = version.counts else { return "" }
    let parts = [
      (counts.inserted, "+", "inserted"), (counts.changed, "~", "changed"),
      (counts.deleted, "\u{2212}", "deleted"),
    ]
    return parts.filter { $0.0 > 0 }.map { count, sign, word in
      "<span class=\"\(word)\" title=\"\(HTMLText.count(count, "object")) \(word)\">\(sign)\(HTMLText.number(count))</span>"
    }.joined(separator: " ")
  }
}
