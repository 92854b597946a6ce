import StoreInterface
import Validation

/// The section of a report with the findings of the validator.
struct ReportFindings {
  /// The report of the validator; `nil` if the document was not checked.
  private let report: ValidationReport?

  init(_ report: ValidationReport?) { self.report = report }

  var html: String {
    "<section id=\"findings\">\n<h2>Findings</h2>\n" + content + "</section>\n"
  }

  private var content: String {
    guard let report else {
      return "<p class=\"note\">The validator did not check this file.</p>\n"
    }
    let state = report.verdict == .invalid ? "bad" : report.verdict == .valid ? "good" : "open"
    let summary = report.summary.prefix(1).uppercased() + report.summary.dropFirst() + "."
    let lead = report.counts.isEmpty ? "No findings" : "Findings of the validator"
    var html =
      "<p class=\"verdict \(state)\"><b>\(lead)</b> <span>\(HTMLText.escaped(summary))</span></p>\n"
    if !report.findings.isEmpty {
      html += "<ul class=\"findings\">\n"
      for finding in report.findings.sorted(by: { $0.rule.severity > $1.rule.severity }) {
        html += item(finding)
      }
      html += "</ul>\n"
    }
    for rule in report.counts.keys.sorted(by: { $0.id < $1.id }) {
      let shown = report.findings.count { $0.rule == rule }
      let more = (report.counts[rule] ?? 0) - shown
      if more > 0 {
        html += "<p class=\"note\">\(rule.id): \(HTMLText.number(more)) more of these.</p>\n"
      }
    }
    for sentence in report.unchecked + report.passedOver {
      html += "<p class=\"note\">\(HTMLText.escaped(sentence))</p>\n"
    }
    return html
  }

  private func item(_ finding: Finding) -> String {
    let severity = finding.rule.severity.rawValue
    let place = [finding.place.file, finding.place.description].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: ": ")
    return """
      <li class="\(severity)"><p><b class="severity">\(severity)</b> <code>\(HTMLText.escaped(finding.rule.id))</code> \
      \(HTMLText.escaped(finding.rule.title)).</p>
      <p>\(place.isEmpty ? "" : "<code>\(HTMLText.escaped(place))</code> ")\(HTMLText.escaped(finding.message)) \
      <small>(\(HTMLText.escaped(finding.rule.reference)))</small></p></li>

      """
  }
}
