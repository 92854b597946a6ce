import JSONText
import StoreInterface
import Validation

extension JSON {
  /// Returns the report of a validation, with the names of the tool's output.
  static func report(_ report: ValidationReport) -> JSON {
    .object([
      "path": .string(report.path), "verdict": .string(report.verdict.rawValue),
      "format": .string(report.format.rawValue),
      "findings": .array(
        report.findings.map { finding in
          .object([
            "rule": .string(finding.rule.id),
            "severity": .string(finding.rule.severity.rawValue),
            "clause": .string(finding.rule.clause), "message": .string(finding.message),
            "file": finding.place.file.map { .string($0) },
            "entity": finding.place.entity.map { .string($0) },
            "property": finding.place.property.map { .string($0) },
          ])
        }),
      "passedOver": .strings(report.passedOver), "unchecked": .strings(report.unchecked),
    ])
  }
}
