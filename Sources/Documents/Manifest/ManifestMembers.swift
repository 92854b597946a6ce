import Foundation
import JSONText
import ObjectModel
import Rows

/// The members of one object of a manifest, read by name. Errors name the place of the member.
final class ManifestMembers {
  private let members: [JSON.Member]
  private let place: String
  private let path: String
  private var isRead: [Bool]

  init(_ json: JSON, at place: String, path: String) throws(DocumentError) {
    guard case .members(let members) = json else {
      throw DocumentError(
        .damaged, "\(place.isEmpty ? "The manifest" : place) is not an object.", path: path)
    }
    self.members = members
    isRead = Array(repeating: false, count: members.count)
    self.place = place
    self.path = path
  }

  /// The members that have not been read.
  var others: [JSON.Member] { zip(members, isRead).filter { !$0.1 }.map(\.0) }

  func error(_ name: String, _ reason: String) -> DocumentError {
    DocumentError(.damaged, "\(inner(name)) \(reason)", path: path)
  }

  private func inner(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  /// Returns the value of a member, or `nil` if the member is missing or null.
  private func value(_ name: String) -> JSON? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    isRead[index] = true
    if case .null = members[index].value { return nil }
    return members[index].value
  }

  /// Whether there is a member of the given name that is not null.
  func has(_ name: String) -> Bool { value(name) != nil }

  private func needed(_ name: String) throws(DocumentError) -> JSON {
    guard let value = value(name) else { throw error(name, "is missing.") }
    return value
  }

  func text(_ name: String) throws(DocumentError) -> String {
    try text(needed(name), at: name)
  }

  private func text(_ value: JSON, at name: String) throws(DocumentError) -> String {
    guard case .string(let text) = value else { throw error(name, "is not a string.") }
    return text
  }

  func optionalText(_ name: String) throws(DocumentError) -> String? {
    value(name) == nil ? nil : try text(name)
  }

  /// Returns a name, as people and commands use it: a text that is neither empty nor too long.
  func name(
    _ name: String, byteLimit: Int = Manifest.nameByteLimit
  ) throws(DocumentError) -> String {
    let text = try text(name)
    guard !text.isEmpty, text.utf8.count <= byteLimit else {
      throw error(name, "is empty, or longer than \(byteLimit) bytes.")
    }
    return text
  }

  func integer(
    _ name: String, _ range: ClosedRange<Int64>
  ) throws(DocumentError) -> Int64 {
    try integer(needed(name), at: name, range)
  }

  private func integer(
    _ value: JSON, at name: String, _ range: ClosedRange<Int64>
  ) throws(DocumentError) -> Int64 {
    guard case .number(let digits) = value, let number = Int64(digits) else {
      throw error(name, "is not an integer.")
    }
    guard range.contains(number) else {
      throw error(
        name, "is \(number), which is not from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func optionalInteger(
    _ name: String, _ range: ClosedRange<Int64>
  ) throws(DocumentError) -> Int64? {
    value(name) == nil ? nil : try integer(name, range)
  }

  func flag(_ name: String) throws(DocumentError) -> Bool {
    switch value(name) {
    case nil: false
    case .boolean(let flag): flag
    default: throw error(name, "is neither true nor false.")
    }
  }

  func uuid(_ name: String) throws(DocumentError) -> UUID {
    guard let uuid = UUID(spelled: try text(name)) else { throw error(name, "is not a UUID.") }
    return uuid
  }

  func optionalUUID(_ name: String) throws(DocumentError) -> UUID? {
    value(name) == nil ? nil : try uuid(name)
  }

  func date(_ name: String) throws(DocumentError) -> Date {
    guard let date = ManifestDate.date(try text(name)) else {
      throw error(name, "is not a date in ISO 8601, UTC, with milliseconds.")
    }
    return date
  }

  /// Returns the path of a file in the given folder of the document.
  func file(_ name: String, in folder: String) throws(DocumentError) -> String {
    let text = try text(name)
    if let reason = ContainerPath.objection(to: text, in: folder) { throw error(name, reason) }
    return text
  }

  /// Returns texts by name, or an empty dictionary if the member is missing.
  func texts(_ name: String) throws(DocumentError) -> [String: String] {
    guard let value = value(name) else { return [:] }
    guard case .members(let members) = value else { throw error(name, "is not an object.") }
    var texts: [String: String] = [:]
    for member in members {
      guard case .string(let text) = member.value else {
        throw error(name, "has a value that is not a string for \"\(member.name)\".")
      }
      texts[member.name] = text
    }
    return texts
  }

  /// Returns the features, sorted by their names (spec §7.3.10).
  func features() throws(DocumentError) -> [FormatFeature] {
    var features: [FormatFeature] = []
    for (name, kind) in try texts("features").sorted(by: { $0.key < $1.key }) {
      guard let feature = FormatFeature(name, kind) else {
        throw error("features", "contains \"\(name)\", which is not a valid name of a feature.")
      }
      features.append(feature)
    }
    return features
  }

  /// Returns the texts of a list that may be missing.
  func textList(_ name: String) throws(DocumentError) -> [String] {
    var texts: [String] = []
    for (index, value) in try values(name, mayLack: true).enumerated() {
      texts.append(try text(value, at: "\(name)[\(index)]"))
    }
    return texts
  }

  /// Returns the integers of a list that may be missing.
  func integerList(
    _ name: String, _ range: ClosedRange<Int64>
  ) throws(DocumentError) -> [Int64] {
    var numbers: [Int64] = []
    for (index, value) in try values(name, mayLack: true).enumerated() {
      numbers.append(try integer(value, at: "\(name)[\(index)]", range))
    }
    return numbers
  }

  /// Returns a digest: 64 hexadecimal digits in lower case.
  func digest(_ name: String) throws(DocumentError) -> String {
    try digest(needed(name), at: name)
  }

  /// Returns the digests of a list that may be missing.
  func digestList(_ name: String) throws(DocumentError) -> [String] {
    var digests: [String] = []
    for (index, value) in try values(name, mayLack: true).enumerated() {
      digests.append(try digest(value, at: "\(name)[\(index)]"))
    }
    return digests
  }

  private func digest(_ value: JSON, at name: String) throws(DocumentError) -> String {
    let text = try text(value, at: name)
    guard text.isDigest else {
      throw error(name, "is not 64 hexadecimal digits in lower case.")
    }
    return text
  }

  private func values(_ name: String, mayLack: Bool) throws(DocumentError) -> [JSON] {
    guard let value = value(name) else {
      if mayLack { return [] }
      throw error(name, "is missing.")
    }
    guard case .array(let values) = value else { throw error(name, "is not an array.") }
    return values
  }

  func list(
    _ name: String, mayLack: Bool = false
  ) throws(DocumentError) -> [ManifestMembers] {
    var all: [ManifestMembers] = []
    for (index, value) in try values(name, mayLack: mayLack).enumerated() {
      all.append(try ManifestMembers(value, at: inner("\(name)[\(index)]"), path: path))
    }
    return all
  }
}
