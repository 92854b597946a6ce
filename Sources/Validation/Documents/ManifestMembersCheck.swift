import Documents
import Foundation
import JSONText
import ObjectModel
import StoreInterface

/// The check of the members of one manifest object. The caller requests each member by name, and errors are reported.
/// The result for an invalid member is `nil`.
final class ManifestMembersCheck {
  private let members: [JSON.Member]
  private let place: String
  /// The name of the manifest's file in the document.
  private let file: String
  private let findings: Findings
  private var asked: Set<String> = []

  /// Creates the check of an object's members; `nil`, with a finding, if the value is not an object.
  init?(_ json: JSON, at place: String, in file: String, _ findings: Findings) {
    self.place = place
    self.file = file
    self.findings = findings
    guard case .members(let members) = json else {
      self.members = []
      add(.memberType, nil, "The value is not an object.")
      return nil
    }
    self.members = members
  }

  /// Reports an error of a member, or of the object if `name` is `nil`.
  func add(_ rule: Rule, _ name: String?, _ message: @autoclosure () -> String) {
    let whole = [place, name ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    findings.add(rule, .manifest(whole.isEmpty ? nil : whole, in: file), message())
  }

  /// Reports the members that the caller has not requested.
  func finish() {
    for member in members where !asked.contains(member.name) {
      add(
        .unknownMember, String(member.name.prefix(100)),
        "This version does not know the member. Saves keep it.")
    }
  }

  /// Whether there is a member of the given name that is not null.
  func has(_ name: String) -> Bool {
    members.contains { $0.name == name && $0.value != .null }
  }

  /// Returns the value with the given name. A value of null counts as missing.
  private func value(_ name: String, _ isNeeded: Bool) -> JSON? {
    asked.insert(name)
    let value = members.first { $0.name == name }?.value
    if value != nil, value != .null { return value }
    if isNeeded { add(.missingMember, name, "The member is missing.") }
    return nil
  }

  func text(_ name: String, isNeeded: Bool = true) -> String? {
    value(name, isNeeded).flatMap { text($0, at: name) }
  }

  private func text(_ value: JSON, at name: String) -> String? {
    if case .string(let text) = value { return text }
    add(.memberType, name, "The value is not a text.")
    return nil
  }

  /// Returns the text of a member that must be a name of valid length; `nil` after a finding.
  func name(_ name: String, byteLimit: Int) -> String? {
    guard let text = text(name) else { return nil }
    if !text.isEmpty, text.utf8.count <= byteLimit { return text }
    add(
      .nameLength, name,
      "The text has \(text.utf8.count) bytes, but must have 1 to \(byteLimit) bytes.")
    return nil
  }

  func integer(_ name: String, _ range: ClosedRange<Int64>, isNeeded: Bool = true) -> Int64? {
    value(name, isNeeded).flatMap { integer($0, at: name, range) }
  }

  private func integer(_ value: JSON, at name: String, _ range: ClosedRange<Int64>) -> Int64? {
    guard case .number(let digits) = value,
      digits.utf8.allSatisfy({ $0 != 0x2E && $0 | 0x20 != 0x65 })
    else {
      add(.memberType, name, "The value is not a whole number.")
      return nil
    }
    if let number = Int64(digits), range.contains(number) { return number }
    add(
      .memberRange, name,
      "The value is \(digits.prefix(40)), but must be from \(range.lowerBound) to \(range.upperBound)."
    )
    return nil
  }

  func flag(_ name: String) -> Bool? {
    guard let value = value(name, false) else { return false }
    if case .boolean(let flag) = value { return flag }
    add(.memberType, name, "The value is neither true nor false.")
    return nil
  }

  func uuid(_ name: String, isNeeded: Bool = true) -> UUID? {
    guard let text = text(name, isNeeded: isNeeded) else { return nil }
    if let uuid = UUID(spelled: text) { return uuid }
    add(.manifestUUID, name, "The value \(quoted(text)) is not a UUID.")
    return nil
  }

  /// Returns the text of a date.
  @discardableResult
  func date(_ name: String) -> String? {
    guard let text = text(name) else { return nil }
    if ManifestDate.date(text) == nil {
      add(.manifestDate, name, "The value \(quoted(text)) is not a date of the required form.")
    }
    return text
  }

  /// Returns a digest of 64 hexadecimal digits in small letters.
  func digest(_ name: String) -> String? { text(name).flatMap { digest($0, at: name) } }

  /// Returns the digests of a list that may be missing.
  func digestList(_ name: String) -> [String] {
    elements(name) { value, place in text(value, at: place).flatMap { digest($0, at: place) } }
  }

  private func digest(_ text: String, at name: String) -> String? {
    if text.isDigest { return text }
    add(.hexadecimalDigits, name, "The value \(quoted(text)) does not have 64 hexadecimal digits.")
    return nil
  }

  /// Returns the name of a file in one of the document's folders.
  func file(_ name: String, in folder: String) -> String? {
    guard let text = text(name) else { return nil }
    guard let objection = ContainerPath.objection(to: text, in: folder) else { return text }
    add(.fileName, name, "The path \(objection)")
    return nil
  }

  /// Returns texts by name; `nil` if the value is not an object.
  func texts(_ name: String) -> [String: String]? {
    guard let value = value(name, false) else { return [:] }
    guard case .members(let members) = value else {
      add(.memberType, name, "The value is not an object.")
      return nil
    }
    var texts: [String: String] = [:]
    for member in members {
      guard case .string(let text) = member.value else {
        add(.memberType, "\(name).\(member.name.prefix(100))", "The value is not a text.")
        continue
      }
      texts[member.name] = text
    }
    return texts
  }

  /// A list of JSON objects in the manifest.
  struct List {
    /// The objects, each with its position in the list.
    var objects: [(index: Int, members: ManifestMembersCheck)] = []
    /// Whether the list has no elements.
    var isEmpty = true
    /// Whether all elements of the list are objects.
    var isWhole = true
  }

  /// Returns the objects of a list; `nil` if the value is not a list, or a required list is missing.
  func list(_ name: String, isNeeded: Bool = true) -> List? {
    guard let value = value(name, isNeeded) else { return isNeeded ? nil : List() }
    guard case .array(let values) = value else {
      add(.memberType, name, "The value is not a list.")
      return nil
    }
    let whole = place.isEmpty ? name : "\(place).\(name)"
    var list = List(isEmpty: values.isEmpty)
    for (index, value) in values.enumerated() {
      if let members = ManifestMembersCheck(
        value, at: "\(whole)[\(index)]", in: file, findings)
      {
        list.objects.append((index, members))
      } else {
        list.isWhole = false
      }
    }
    return list
  }

  /// Returns the texts of a list that may be missing.
  func textList(_ name: String) -> [String] {
    elements(name) { text($0, at: $1) }
  }

  /// Returns the numbers of a list that may be missing.
  func integerList(_ name: String, _ range: ClosedRange<Int64>) -> [Int64] {
    elements(name) { integer($0, at: $1, range) }
  }

  /// Returns the elements of a list that may be missing.
  ///
  /// - Parameter read: Returns an element; `nil` after a finding at the given place.
  private func elements<Element>(
    _ name: String, _ read: (_ value: JSON, _ place: String) -> Element?
  ) -> [Element] {
    guard let value = value(name, false) else { return [] }
    guard case .array(let values) = value else {
      add(.memberType, name, "The value is not a list.")
      return []
    }
    return values.enumerated().compactMap { read($1, "\(name)[\($0)]") }
  }

  private func quoted(_ text: String) -> String {
    text.utf8.count > 100 ? "\"\(text.prefix(90))…\"" : "\"\(text)\""
  }
}

extension Place {
  /// Returns a place in a manifest of a document.
  static func manifest(_ member: String?, in file: String = Manifest.fileName) -> Place {
    var place = Place(member)
    place.file = file
    return place
  }
}

extension String {
}
