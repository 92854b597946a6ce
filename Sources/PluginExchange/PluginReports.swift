import Foundation
import ObjectModel
import PropertyLists
package import StoreInterface

/// The form in which the report of a check passes through the interface (spec §9.7.8): a property list.
package enum PluginReports {
  /// Returns a report as bytes.
  ///
  /// - Parameter check: The result of the check; `nil` for a report that contains only the rules.
  package static func bytes(of check: StoreCheck?, rules: [Rule]) throws -> [UInt8] {
    var rules = rules
    var values: [String: PropertyList] = [:]
    if let check {
      // A finding may break a rule that holds for every format.
      for rule in check.findings.counts.keys.sorted(by: { $0.id < $1.id })
      where !rules.contains(rule) { rules.append(rule) }
      values = try self.values(of: check)
    }
    values["rules"] = .array(rules.map(list))
    return try PluginDescriptions.bytes(of: .dictionary(values))
  }

  private static func values(of check: StoreCheck) throws -> [String: PropertyList] {
    var values: [String: PropertyList] = [
      "outcome": .string(check.outcome.rawValue),
      "findings": .array(check.findings.kept.map(list)),
      "counts": .dictionary(
        Dictionary(
          uniqueKeysWithValues: check.findings.counts.map { ($0.id, .integer(Int64($1))) })),
      "bytes": .integer(Int64(check.byteCount)), "liveBytes": .integer(Int64(check.liveByteCount)),
      "rows": .integer(Int64(check.rowCount)),
      "passedOver": .array(check.passedOver.map { .string($0) }),
      "unchecked": .array(check.unchecked.map { .string($0) }),
      "hasReadableObjects": .boolean(check.hasReadableObjects),
      "needsModel": .boolean(check.needsModel),
    ]
    if let uuid = check.uuid { values["uuid"] = .string(uuid.uuidString) }
    if let model = check.model {
      values["model"] = .data(Data(try PluginDescriptions.bytes(of: model)))
    }
    return values
  }

  private static func list(_ rule: Rule) -> PropertyList {
    .dictionary([
      "id": .string(rule.id), "severity": .string(rule.severity.rawValue),
      "title": .string(rule.title), "clause": .string(rule.clause),
    ])
  }

  private static func list(_ finding: Finding) -> PropertyList {
    var values: [String: PropertyList] = [
      "rule": .string(finding.rule.id), "message": .string(finding.message),
    ]
    let place = finding.place
    values["section"] = place.section.map { .string($0) }
    values["offset"] = place.offset.map { .unsigned($0) }
    values["commit"] = place.commit.map { .integer($0) }
    values["column"] = place.column.map { .integer(Int64($0)) }
    values["row"] = place.row.map { .integer(Int64($0)) }
    values["entity"] = place.entity.map { .string($0) }
    values["object"] = place.object.map { .unsigned($0) }
    values["property"] = place.property.map { .string($0) }
    return .dictionary(values)
  }

  /// Returns the rules of a report, and the result of the check; the result is `nil` if the report contains only the
  /// rules.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/damaged`` if the bytes are not a report.
  package static func read(
    _ bytes: [UInt8], path: String?, of type: StoreType
  ) throws -> (rules: [Rule], check: StoreCheck?) {
    let values = try PluginDescriptions.dictionary(bytes, "report of the check", path: path)
    func wrong(_ name: String) -> StoreError {
      StoreError(.damaged, "The report of the check has no readable '\(name)'.", path: path)
    }
    let rules = try array(values["rules"]).map { value in
      guard let rule = rule(value, of: type) else { throw wrong("rules") }
      return rule
    }
    guard let outcome = values["outcome"]?.string else { return (rules, nil) }
    let byID = Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
    var check = StoreCheck()
    guard let known = StoreCheck.Outcome(rawValue: outcome) else { throw wrong("outcome") }
    check.outcome = known
    let findings = try array(values["findings"]).map { value in
      guard let finding = finding(value, byID) else { throw wrong("findings") }
      return finding
    }
    var counts: [Rule: Int] = [:]
    if case .dictionary(let numbers)? = values["counts"] {
      for (id, number) in numbers {
        guard let rule = byID[id], let count = number.integer else { throw wrong("counts") }
        counts[rule] = Int(count)
      }
    }
    check.findings = Findings(findings, counts: counts)
    check.byteCount = Int(values["bytes"]?.integer ?? 0)
    check.liveByteCount = Int(values["liveBytes"]?.integer ?? 0)
    check.rowCount = Int(values["rows"]?.integer ?? 0)
    check.passedOver = array(values["passedOver"]).compactMap(\.string)
    check.unchecked = array(values["unchecked"]).compactMap(\.string)
    check.uuid = values["uuid"]?.string.flatMap { UUID(uuidString: $0) }
    if case .data(let model)? = values["model"] {
      check.model = try PluginDescriptions.model([UInt8](model), path: path)
    }
    check.hasReadableObjects = values["hasReadableObjects"]?.boolean ?? false
    check.needsModel = values["needsModel"]?.boolean ?? false
    return (rules, check)
  }

  private static func array(_ value: PropertyList?) -> [PropertyList] {
    if case .array(let values)? = value { values } else { [] }
  }

  /// The types with formats that Quire's specification describes, in its chapters 4, 5 and 10.
  private static let specifiedTypes: Set<StoreType> = [
    .memory, .binary, .compressed, .xml, StoreType(rawValue: "SQLite"),
  ]

  private static func rule(_ value: PropertyList, of type: StoreType) -> Rule? {
    guard let id = value["id"]?.string, let title = value["title"]?.string,
      let severity = value["severity"]?.string.flatMap(Severity.init(rawValue:)),
      let clause = value["clause"]?.string
    else { return nil }
    var rule = Rule(id, severity, title, clause)
    rule.isOfPlugin = !specifiedTypes.contains(type)
    return rule
  }

  private static func finding(_ value: PropertyList, _ rules: [String: Rule]) -> Finding? {
    guard let rule = value["rule"]?.string.flatMap({ rules[$0] }),
      let message = value["message"]?.string
    else { return nil }
    let place = Place(
      value["section"]?.string, at: value["offset"]?.natural, commit: value["commit"]?.integer,
      column: value["column"]?.integer.flatMap { UInt16(exactly: $0) },
      row: value["row"]?.integer.map { Int($0) }, entity: value["entity"]?.string,
      object: value["object"]?.natural, property: value["property"]?.string)
    return Finding(rule: rule, place: place, message: message)
  }
}

extension PropertyList {
  /// The whole number; `nil` if this is not one, or is negative.
  fileprivate var natural: UInt64? {
    if case .unsigned(let value) = self { value } else { integer.flatMap { UInt64(exactly: $0) } }
  }
}
