import JSONText
import StoreInterface

/// The origin of a manifest, for messages about it.
struct ManifestSource {
  var plugin: String
  let path: String
  var types: [StoreType] = []

  /// Returns the refusal of the manifest. `reason` completes "Its manifest …".
  func fault(_ reason: String) -> PluginRefusal {
    PluginRefusal(
      .badManifest, plugin: plugin, path: path, types: types,
      "The plug-in '\(plugin)' can't be used: its manifest, \(path), \(reason)")
  }
}

/// The members of one object of a plug-in's manifest, read by name. Each message about a fault names its place.
final class PluginMembers {
  private let members: [JSON.Member]
  private let place: String
  private let source: ManifestSource
  private var read: Set<String> = []

  init(_ json: JSON, at place: String, _ source: ManifestSource) throws(PluginRefusal) {
    guard case .members(let members) = json else {
      throw source.fault(
        place.isEmpty ? "is not a JSON object." : "is invalid: \(place) is not an object.")
    }
    self.members = members
    self.place = place
    self.source = source
  }

  /// A message for each member that has not been read yet.
  var unknown: [String] {
    members.filter { !read.contains($0.name) }.map { "\(inner($0.name)) is unknown." }
  }

  func inner(_ name: String) -> String {
    place.isEmpty ? name : name.isEmpty ? place : "\(place).\(name)"
  }

  func error(_ name: String, _ reason: String) -> PluginRefusal {
    source.fault("is invalid: \(inner(name)) \(reason)")
  }

  /// Returns the value of a member; `nil` if the member is missing or null.
  private func value(_ name: String) -> JSON? {
    read.insert(name)
    let value = members.first { $0.name == name }?.value
    return value == .null ? nil : value
  }

  func text(
    _ name: String, _ isSound: (String) -> Bool, _ reason: String
  ) throws(PluginRefusal) -> String {
    guard let text = try optionalText(name, isSound, reason) else {
      throw error(name, "is missing.")
    }
    return text
  }

  func optionalText(
    _ name: String, _ isSound: (String) -> Bool, _ reason: String
  ) throws(PluginRefusal) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw error(name, "is not text.") }
    guard isSound(text) else { throw error(name, reason) }
    return text
  }

  func integer(
    _ name: String, _ range: ClosedRange<Int64>
  ) throws(PluginRefusal) -> Int64 {
    guard let number = try optionalInteger(name, range) else { throw error(name, "is missing.") }
    return number
  }

  func optionalInteger(
    _ name: String, _ range: ClosedRange<Int64>
  ) throws(PluginRefusal) -> Int64? {
    guard let value = value(name) else { return nil }
    guard case .number(let digits) = value, let number = Int64(digits) else {
      throw error(name, "is not a whole number.")
    }
    guard range.contains(number) else {
      throw error(name, "is \(number), not from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private func values(_ name: String, _ counts: ClosedRange<Int>) throws(PluginRefusal) -> [JSON] {
    guard let value = value(name) else {
      if counts.lowerBound == 0 { return [] }
      throw error(name, "is missing.")
    }
    guard case .array(let values) = value else { throw error(name, "is not an array.") }
    guard counts.contains(values.count) else {
      throw error(
        name,
        "has \(values.count) values, not from \(counts.lowerBound) to \(counts.upperBound).")
    }
    return values
  }

  func texts(_ name: String, mayLack: Bool) throws(PluginRefusal) -> [String] {
    if !mayLack, value(name) == nil { throw error(name, "is missing.") }
    var texts: [String] = []
    for value in try values(name, 0...PluginManifest.listLimit) {
      guard case .string(let text) = value else {
        throw error(name, "has a value that is not text.")
      }
      texts.append(text)
    }
    return texts
  }

  func list(_ name: String, _ counts: ClosedRange<Int>) throws(PluginRefusal) -> [PluginMembers] {
    var all: [PluginMembers] = []
    for (index, value) in try values(name, counts).enumerated() {
      all.append(try PluginMembers(value, at: inner("\(name)[\(index)]"), source))
    }
    return all
  }
}
