import StoreInterface

extension ValidationReport {
  /// The findings, one in each line, such as `error: BLCK-034 notes.store: … (spec §4.4.1)`, and a summary.
  public var text: String {
    var text = ""
    for finding in findings {
      text += "\(finding.rule.severity.rawValue): \(finding.description(inFile: path))\n"
    }
    for rule in counts.keys.sorted(by: { $0.id < $1.id }) {
      let more = counts[rule]! - Findings.mostPerRule
      if more > 0 {
        text += "\(rule.severity.rawValue): \(rule.id) \(path): \(more) more of these\n"
      }
    }
    for sentence in unchecked + passedOver { text += "note: \(path): \(sentence)\n" }
    return text + "\(path): \(summary)\n"
  }

  /// The verdict, the number of findings and the checked amounts, in one line.
  public var summary: String {
    func counted(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    let found = Severity.allCases.compactMap { severity -> String? in
      let count = count(of: severity)
      if severity == .information { return count == 0 ? nil : "\(count) for information" }
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
    let verdict: String =
      switch verdict {
      case .valid: "valid"
      case .invalid: "not valid"
      case .incomplete: "no error was found, but not everything could be checked"
      case .unknownFormat: "an unknown format"
      case .newerFormat: "a newer format"
      }
    let findings = found.isEmpty ? verdict : "\(verdict): \(found.joined(separator: ", "))"
    if format == .xml || format == .sqlite {
      return "\(findings); \(counted(checked.objectCount, "object")), "
        + counted(checked.byteCount, "byte")
    }
    guard format == .blockFile || format == .document else { return findings }
    var parts = ""
    if format == .document {
      parts =
        "\(counted(checked.versionCount, "version")), \(counted(checked.storeCount, "store")), "
        + "\(counted(checked.attachmentCount, "attachment")), "
    }
    return "\(findings); \(parts)\(counted(checked.commitCount, "commit")), "
      + "\(counted(checked.blockCount, "block")), \(counted(checked.rowCount, "row")), "
      + "\(counted(checked.objectCount, "object")), \(counted(checked.byteCount, "byte"))"
  }
}
