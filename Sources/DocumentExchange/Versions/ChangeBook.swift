import Comparison
import JSONText

/// The changes from one version to another, with the old and the new values of everything that differs.
///
/// Two books follow each other, and a book can be turned around. So the difference of any two versions is a way through the
/// books between them, and needs neither version as a whole (spec §16.3).
struct ChangeBook: Sendable {
  /// An object, or a link, of a store.
  struct Subject: Sendable, Hashable {
    /// The name of the store, in a document of several stores.
    let store: String?
    /// The name of the entity, or of the relationship of a link.
    let name: String
    let isLink: Bool
    /// The identifier of the object, or the two identifiers at the ends of a link.
    let ids: [String]
  }

  /// The values of a row that differ; `nil` in place of the values of a row that is not there.
  struct Row: Sendable, Hashable {
    var old: [String: JSON]?
    var new: [String: JSON]?
  }

  /// An attachment before and after; `nil` where there is none.
  struct File: Sendable, Hashable {
    var old: AttachedFile?
    var new: AttachedFile?
  }

  /// The bytes of an attachment.
  struct AttachedFile: Sendable, Hashable {
    let digest: String
    let byteCount: Int
  }

  private(set) var rows: [Subject: Row] = [:]
  /// The attachments that differ, by name.
  private(set) var files: [String: File] = [:]
  /// The member `entities` of the patch, the version hashes of the model.
  private(set) var entities: JSON?
  /// The replicas of the lanes of inserted objects, by the lanes' starts.
  private(set) var lanes: [String: JSON] = [:]

  init() {}

  /// Reads the lines of a patch.
  ///
  /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/damaged``.
  init(_ patch: Patch, files: [String: File], path: String) throws {
    let lines = patch.json
    if case .members(let members)? = lines[0]["lanes"] {
      for one in members { lanes[one.name] = one.value }
    }
    entities = lines[0]["entities"]
    // A link that was removed and made again has two lines, of which the removal comes first.
    for change in ["deleted", "changed", "inserted"] {
      for line in lines.dropFirst() where line["change"] == .string(change) {
        guard let (subject, row) = ChangeBook.row(line) else {
          throw ExchangeError(
            .damaged, "A line of a patch is not complete: \(line.line)", path: path)
        }
        rows[subject] = try ChangeBook.combined(rows[subject], row, subject, path)
      }
    }
    self.files = files
  }

  private static func row(_ line: JSON) -> (Subject, Row)? {
    let isLink = line["links"] != nil
    guard case .string(let name)? = line[isLink ? "links" : "entity"] else { return nil }
    var ids: [String] = []
    switch (line["id"], line["ends"]) {
    case (.string(let id)?, nil): ids = [id]
    case (nil, .array(let ends)?):
      for case .string(let end) in ends { ids.append(end) }
      guard ids.count == 2, ends.count == 2 else { return nil }
    default: return nil
    }
    var store: String?
    if case .string(let text)? = line["store"] { store = text }
    var row = Row(old: [:], new: [:])
    if case .members(let properties)? = line["properties"] {
      for property in properties {
        row.old![property.name] = property.value["old"]
        row.new![property.name] = property.value["new"]
      }
    }
    if line["change"] == .string("inserted") { row.old = nil }
    if line["change"] == .string("deleted") { row.new = nil }
    return (Subject(store: store, name: name, isLink: isLink, ids: ids), row)
  }

  // MARK: - Composition

  /// The changes from the second version to the first.
  var turned: ChangeBook {
    var book = self
    book.rows = rows.mapValues { Row(old: $0.new, new: $0.old) }
    book.files = files.mapValues { File(old: $0.new, new: $0.old) }
    return book
  }

  /// Adds the changes that follow.
  ///
  /// - Throws: ``ExchangeError`` with code ``ExchangeError/Code/damaged`` if the changes can't follow these.
  mutating func append(_ next: ChangeBook, path: String) throws {
    if let entities, let other = next.entities, entities != other {
      throw ExchangeError(
        .notSupported, "The versions have different models.", path: path,
        hint: "Migrate this document to the newer model with 'quire migrate', and try again.")
    }
    entities = entities ?? next.entities
    lanes.merge(next.lanes) { $1 }
    for (subject, row) in next.rows {
      rows[subject] = try ChangeBook.combined(rows[subject], row, subject, path)
    }
    for (name, file) in next.files {
      let both = File(old: files[name].map(\.old) ?? file.old, new: file.new)
      files[name] = both.old == both.new ? nil : both
    }
  }

  /// Returns the change that two changes of one row are together; `nil` if the row is as before.
  private static func combined(
    _ first: Row?, _ second: Row, _ subject: Subject, _ path: String
  ) throws -> Row? {
    guard let first else { return second }
    guard (first.new == nil) == (second.old == nil) else {
      throw ExchangeError(
        .damaged,
        "The changes of \(subject.name) \(subject.ids.joined(separator: ", ")) do not follow each other.",
        path: path)
    }
    // A property that a change does not name keeps its value. In a row that is inserted or deleted it has none.
    let isWhole = first.old == nil || first.new == nil || second.new == nil
    let names = Set(
      [first.old, first.new, second.old, second.new].flatMap { $0?.keys.map(\.self) ?? [] })
    var both = Row(old: first.old == nil ? nil : [:], new: second.new == nil ? nil : [:])
    if both.old == nil, both.new == nil { return nil }
    for name in names {
      let old = first.old?[name] ?? (first.new?[name] == nil ? second.old?[name] : nil)
      let new = second.new?[name] ?? (second.old?[name] == nil ? first.new?[name] : nil)
      if both.old != nil, both.new != nil {
        if old ?? .null != new ?? .null {
          both.old![name] = old ?? .null
          both.new![name] = new ?? .null
        }
      } else if isWhole {
        if both.old != nil, let old, old != .null { both.old![name] = old }
        if both.new != nil, let new, new != .null { both.new![name] = new }
      }
    }
    return both.old?.isEmpty == true && both.new?.isEmpty == true ? nil : both
  }

  /// Returns the changes that a merge adds to a version, where both begin at one version.
  ///
  /// Where both change one thing, the change that leads to the version stays.
  ///
  /// - Parameter others: The changes that lead to the version.
  func added(to others: ChangeBook) -> ChangeBook {
    var book = self
    for (subject, row) in rows {
      guard let other = others.rows[subject] else { continue }
      guard let old = row.old, let new = row.new, let theirs = other.new, other.old != nil else {
        book.rows[subject] = nil
        continue
      }
      let names = Set(new.keys).subtracting(theirs.keys)
      book.rows[subject] =
        names.isEmpty
        ? nil
        : Row(
          old: old.filter { names.contains($0.key) }, new: new.filter { names.contains($0.key) })
    }
    book.files = files.filter { others.files[$0.key] == nil }
    return book
  }

  // MARK: - Patches

  /// The changes of the rows as lines of a patch, the header first, in a stable order.
  var lines: [JSON] {
    let header = JSON.object([
      "format": .string(PatchHeader.format), "version": .number(PatchHeader.version),
      "entities": entities ?? .members([]),
      "lanes": lanes.isEmpty ? nil : ChangeBook.members(lanes),
    ])
    let sorted = rows.sorted { one, other in
      (one.key.store ?? "", one.key.name, one.key.ids.joined(separator: " "))
        < (other.key.store ?? "", other.key.name, other.key.ids.joined(separator: " "))
    }
    return [header] + sorted.map { ChangeBook.line($0, $1) }
  }

  private static func line(_ subject: Subject, _ row: Row) -> JSON {
    let change = row.old == nil ? "inserted" : row.new == nil ? "deleted" : "changed"
    let names = Set((row.old ?? [:]).keys).union((row.new ?? [:]).keys)
    let properties = names.sorted().map { name in
      JSON.Member(
        name: name, value: .object(["old": row.old?[name], "new": row.new?[name]]))
    }
    return .object([
      "change": .string(change), "store": subject.store.map(JSON.string),
      subject.isLink ? "links" : "entity": .string(subject.name),
      "id": subject.isLink ? nil : .string(subject.ids[0]),
      "ends": subject.isLink ? .strings(subject.ids) : nil,
      "properties": properties.isEmpty ? nil : .members(properties),
    ])
  }

  private static func members(_ values: [String: JSON]) -> JSON {
    .members(values.sorted { $0.key < $1.key }.map { JSON.Member(name: $0.key, value: $0.value) })
  }

  /// The changes of the rows as a patch.
  func patch(named name: String) throws -> Patch {
    let lines = lines
    return try Patch(name, lines[0], Array(lines.dropFirst()))
  }
}
