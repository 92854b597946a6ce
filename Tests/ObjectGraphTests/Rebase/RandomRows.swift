import ObjectModel
import Rows
import SeededRandom

@testable import ObjectGraph

/// Rows that edits keep valid in the simplest way: the input of random rebases.
struct RandomRows {
  var rows: [ObjectKey: [String: Value]] = [:]

  /// A random edit: small numbers that choose the kind of the edit and the rows among the existing rows.
  struct Edit: Sendable {
    var kind: Int
    var first: Int
    var second: Int
    var value: Int

    init(_ random: inout SeededGenerator) {
      kind = .random(in: 0..<100, using: &random)
      first = .random(in: 0..<1000, using: &random)
      second = .random(in: 0..<1000, using: &random)
      value = .random(in: 0..<1000, using: &random)
    }
  }

  private static let entities = [
    "page", "line", "verse", "guard", "note", "mark", "cover", "seal", "tag",
  ]
  private static let oneToOnes = [
    ("page", "cover", "cover", "page"), ("page", "seal", "seal", "page"),
    ("page", "next", "page", "next"),
  ]

  private func keys(_ name: String) -> [ObjectKey] {
    // A verse inherits from a line, so each line may be one.
    let names = name == "line" ? [name, "verse"] : [name]
    let entities = names.map { SmallModel.layouts[$0]!.entityNumber }
    return rows.keys.filter { entities.contains($0.entity) }.sorted()
  }

  private func pick(_ name: String, _ number: Int) -> ObjectKey? {
    let keys = keys(name)
    return keys.isEmpty ? nil : keys[number % keys.count]
  }

  private var objects: [ObjectKey] {
    rows.keys.filter { SmallModel.graph[$0.entity] != nil }.sorted()
  }

  /// Applies an edit.
  ///
  /// - Parameter newKey: A number for a new row, which no further edit of the case uses.
  mutating func apply(_ edit: Edit, newKey: UInt64) {
    switch edit.kind {
    case 0..<15:
      guard !objects.isEmpty else { return }
      let key = objects[edit.first % objects.count]
      let name = SmallModel.name(key).hasPrefix("page") && edit.second % 2 == 0 ? "y" : "x"
      rows[key]![name] = edit.value % 4 == 0 ? nil : .integer(Int64(edit.value % 4))
    case 15..<30:
      insert(RandomRows.entities[edit.first % 9], newKey)
    case 30..<42:
      guard !objects.isEmpty else { return }
      delete(objects[edit.first % objects.count])
    case 42..<58: refer(edit)
    case 58..<72: pair(edit)
    case 72..<88: link(edit, newKey)
    default: move(edit)
    }
  }

  mutating func insert(_ name: String, _ number: UInt64) {
    rows[ObjectKey(entity: SmallModel.layouts[name]!.entityNumber, number: number)] = [:]
  }

  // MARK: References

  /// Sets the to-one reference of a row to a page, or the hint of a page.
  private mutating func refer(_ edit: Edit) {
    let names = ["line", "line", "guard", "note", "mark", "page"]
    let name = names[edit.first % names.count]
    guard let key = pick(name, edit.second) else { return }
    let target = edit.value % 4 == 0 ? nil : pick("page", edit.value / 4)
    rows[key]![name == "page" ? "hint" : "page"] = target.map { .object($0) }
    if name == "line" {
      rows[key]!["page#order"] = nil
      rows[key]!["page#order"] = target.map { .integer((places(of: $0, "line").max() ?? -1) + 1) }
    }
  }

  /// Connects both ends of a one-to-one relationship, or clears an end.
  private mutating func pair(_ edit: Edit) {
    let (entity, name, other, inverse) = RandomRows.oneToOnes[edit.first % 3]
    guard let key = pick(entity, edit.second) else { return }
    part(key, name, inverse)
    guard edit.value % 4 > 0, let target = pick(other, edit.value / 4), target != key else {
      return
    }
    part(target, inverse, name)
    rows[key]![name] = .object(target)
    rows[target]![inverse] = .object(key)
  }

  private mutating func part(_ key: ObjectKey, _ name: String, _ inverse: String) {
    guard case .object(let other)? = rows[key]?[name] else { return }
    rows[key]![name] = nil
    rows[other]![inverse] = nil
  }

  // MARK: Links and places

  private mutating func link(_ edit: Edit, _ number: UInt64) {
    let name = ["tags", "tags", "peers", "sees"][edit.first % 4]
    guard let source = pick("page", edit.second),
      let target = pick(name == "peers" ? "page" : "tag", edit.value)
    else { return }
    let ends: Set = [source, target]
    let known = keys(name).first { Set(RandomRows.ends(rows[$0]!)) == ends }
    if let known {
      if edit.first % 3 == 0 { rows[known] = nil }
      return
    }
    let key = ObjectKey(entity: SmallModel.layouts[name]!.entityNumber, number: number)
    var values: [String: Value] = ["source": .object(source), "target": .object(target)]
    if name != "sees" {
      values["target#order"] = .integer((places(of: source, name).max() ?? -1) + 1)
    }
    if name == "peers" {
      values["source#order"] = .integer((places(of: target, name).max() ?? -1) + 1)
    }
    rows[key] = values
  }

  static func ends(_ row: [String: Value]) -> [ObjectKey] {
    [row["source"], row["target"]].compactMap {
      if case .object(let key)? = $0 { key } else { nil }
    }
  }

  /// Moves a member to another place that is free.
  private mutating func move(_ edit: Edit) {
    let name = ["line", "tags", "peers"][edit.first % 3]
    guard let key = pick(name, edit.second), let row = rows[key] else { return }
    let column = name == "line" ? "page#order" : "target#order"
    guard case .object(let owner)? = row[name == "line" ? "page" : "source"] else { return }
    let taken = places(of: owner, name)
    var place = Int64(edit.value % 5)
    while taken.contains(place) { place += 1 }
    rows[key]![column] = .integer(place)
    let ends = RandomRows.ends(row)
    if name == "peers", ends[0] == ends[1] { rows[key]!["source#order"] = .integer(place) }
  }

  /// Returns the places of the members of an owner, in no particular order.
  func places(of owner: ObjectKey, _ name: String) -> [Int64] {
    keys(name).flatMap { key -> [Int64] in
      let row = rows[key]!
      func place(_ end: String, _ column: String) -> Int64? {
        guard row[end] == .object(owner), case .integer(let place)? = row[column] else {
          return nil
        }
        return place
      }
      switch name {
      case "line": return [place("page", "page#order")].compactMap { $0 }
      case "peers":
        let both = [place("source", "target#order"), place("target", "source#order")]
          .compactMap { $0 }
        // A link of an object to itself has one place.
        return Array(Set(both))
      default: return [place("source", "target#order")].compactMap { $0 }
      }
    }
  }

  // MARK: Deleting

  /// Deletes an object and applies the delete rules, unless a delete rule denies the deletion.
  private mutating func delete(_ key: ObjectKey) {
    var doomed: [ObjectKey] = [key]
    let isPage = SmallModel.name(key).hasPrefix("page")
    if isPage {
      let leading = rows.keys.filter { rows[$0]!["page"] == .object(key) }
      let names = leading.map { SmallModel.name($0) }
      if names.contains(where: { $0.hasPrefix("guard") || $0.hasPrefix("seal") }) { return }
      doomed += leading.filter {
        let name = SmallModel.name($0)
        return ["line", "verse", "cover"].contains { name.hasPrefix($0) }
      }
    }
    for gone in doomed { rows[gone] = nil }
    let lost = Set(doomed.map { Value.object($0) })
    for (key, row) in rows {
      if RandomRows.ends(row).contains(where: { lost.contains(.object($0)) }) {
        rows[key] = nil
        continue
      }
      for (name, value) in row where lost.contains(value) {
        rows[key]![name] = nil
        rows[key]!["\(name)#order"] = nil
      }
    }
  }
}

extension RandomRows {
  /// Returns the changes from these rows to the given rows.
  func changes(to other: RandomRows) -> [RowText] {
    Set(rows.keys).union(other.rows.keys).sorted().compactMap { key in
      switch (rows[key], other.rows[key]) {
      case (nil, let values?): return RowText(.insert, key, values)
      case (.some, nil): return RowText(.remove, key)
      case (let old?, let new?) where old != new:
        var values: [String: Value] = [:]
        for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
          values[name] = new[name] ?? .null
          let order = "\(name)#order"
          // A context that gives a member another owner sets the place too.
          if old[order] != nil || new[order] != nil { values[order] = new[order] ?? .null }
        }
        return RowText(.none, key, values)
      default: return nil
      }
    }
  }
}
