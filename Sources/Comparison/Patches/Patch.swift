import DurableFiles
package import JSONText
import ObjectModel
import Rows
import StoreInterface

/// The changes from one document or store to another, as text that can be kept, sent and merged (spec §13).
///
/// A patch contains the old and the new value of each changed property, so it merges into a copy that has changed meanwhile.
/// Use a patch if the place that receives the changes can't read the document with the changes; otherwise
/// ``Merge`` reads the documents themselves. A patch is in memory as a whole, and contains no attachments.
///
///     let patch = try Patch(from: "Trips.quire@3", to: "Trips.quire")
///     try patch.write(to: "changes.jsonl")
public struct Patch: Sendable {
  /// The name of the patch in messages.
  private let name: String
  private let header: JSON
  private let hashes: [String: String]
  /// The lanes of the identifiers of inserted objects.
  private let lanes: StoreLanes
  private let lines: [Line]

  private struct Line {
    /// The number of the line, from 1.
    let number: Int
    let store: String?
    let change: Change
    let json: JSON
  }

  private enum Change: String {
    case inserted
    case changed
    case deleted
  }

  /// Reads a patch from the bytes of its text.
  ///
  /// - Parameter name: The name of the patch in messages.
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/badPatch`` or ``ComparisonError/Code/newerPatch``. The
  ///   message names the line that is wrong.
  public init(_ bytes: [UInt8], name: String = "patch") throws {
    var texts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if texts.last?.isEmpty ?? false { texts.removeLast() }
    guard let first = texts.first, let header = try? JSON.read(first) else {
      throw ComparisonError.noHeader(name)
    }
    try self.init(
      name, header,
      texts.enumerated().dropFirst().map { index, text in
        do throws(JSONError) { return try JSON.read(text) } catch {
          throw Self.fault(name, index + 1, "\(error.reason) (column \(error.column))")
        }
      })
  }

  /// Creates a patch from its lines.
  package init(_ name: String, _ header: JSON, _ changes: [JSON]) throws {
    guard header["format"] == .string(PatchHeader.format),
      case .number(let digits)? = header["version"], let version = Int(digits), version > 0,
      case .members(let entities)? = header["entities"]
    else { throw ComparisonError.noHeader(name) }
    guard version <= PatchHeader.version else {
      throw ComparisonError(
        .newerPatch,
        "'\(name)' has version \(version) of the format, and this program reads version "
          + "\(PatchHeader.version).", path: name)
    }
    var hashes: [String: String] = [:]
    for entity in entities {
      guard case .string(let hash) = entity.value else {
        throw Self.fault(name, 1, "A hash is not text.")
      }
      hashes[entity.name] = hash
    }
    guard let lanes = PatchHeader.lanes(header["lanes"]) else {
      throw Self.fault(name, 1, "'lanes' must be the replicas of lanes, by the lanes' starts.")
    }
    self.name = name
    self.header = header
    self.hashes = hashes
    self.lanes = lanes
    lines = try changes.enumerated().map { index, json in
      guard case .string(let word)? = json["change"], let change = Change(rawValue: word) else {
        throw Self.fault(name, index + 2, "'change' must be inserted, changed or deleted.")
      }
      var store: String?
      if case .string(let name)? = json["store"] { store = name }
      return Line(number: index + 2, store: store, change: change, json: json)
    }
  }

  /// The number of changed objects and links.
  public var changeCount: Int { lines.count }

  /// The lines of the patch, the header first.
  package var json: [JSON] { [header] + lines.map(\.json) }

  private static func fault(_ name: String, _ line: Int, _ reason: String) -> ComparisonError {
    ComparisonError(.badPatch, "\(name): line \(line): \(reason)", path: name)
  }

  private func fault(_ line: Line, _ reason: String) -> ComparisonError {
    Self.fault(name, line.number, reason)
  }

  /// Throws an error if the stores have another version of the model, or if the patch is for a store that is not there.
  package func check(_ parts: [MergePart]) throws {
    guard hashes == PatchHeader.hashes(parts.map(\.ours.model)) else {
      throw ComparisonError(
        .differentModels,
        "'\(name)' and '\(parts[0].ours.name)' have different versions of the model.",
        hint: "Migrate the document, or write the patch from documents with its model.")
    }
    for line in lines where !parts.contains(where: { $0.name == line.store }) {
      throw fault(
        line,
        line.store.map { "There is no store '\($0)'." }
          ?? "'store' must name one of the stores.")
    }
  }

  /// Returns the changes of one store as the layers of a merge. The base has the old values of the patch, and otherwise
  /// the rows of the store.
  ///
  /// - Parameter renumbers: Whether an inserted object gets a new identifier if another object of the store has its own.
  package func layers(_ part: MergePart, renumbers: Bool) throws -> MergeLayers {
    let entities = Dictionary(
      uniqueKeysWithValues: PatchEntity.all(part.ours).map {
        (($0.isLinks ? "links" : "") + $0.name, $0)
      }
    )
    let own = lines.filter { $0.store == part.name }
    var rows: [Row] = []
    // A layer has one change of each row, so a patch has one line for each.
    var numbers: [Subject: Int] = [:]
    for line in own {
      let isLinks = line.json["links"] != nil
      guard case .string(let name)? = line.json[isLinks ? "links" : "entity"] else {
        throw fault(line, "'entity' or 'links' is missing.")
      }
      guard let entity = entities[(isLinks ? "links" : "") + name] else {
        throw fault(line, "There is no '\(name)'.")
      }
      let found = try row(line, entity)
      if let earlier = numbers.updateValue(line.number, forKey: Subject(found)) {
        throw fault(
          line,
          "\(isLinks ? "The link" : "The object") has another line already, line \(earlier). Each has one line at most."
        )
      }
      rows.append(found)
    }
    return try PatchLayers(rows, part, lanes, name: name, renumbers: renumbers).layers()
  }

  /// A line of a patch. Identifiers are those of the patch.
  struct Row {
    let entity: PatchEntity
    let isInserted: Bool
    let isDeleted: Bool
    /// The object; `nil` for a link.
    let key: ObjectKey?
    /// The objects at the ends of a link.
    let ends: [ObjectKey]
    let values: [(property: PatchEntity.Property, old: Value, new: Value)]

    /// All objects that the line names.
    var named: [ObjectKey] {
      var named = ends
      if let key { named.append(key) }
      for value in values {
        for case .object(let other) in [value.old, value.new] { named.append(other) }
      }
      return named
    }
  }

  /// The subject of a line: an object, or the ends of a link.
  private struct Subject: Hashable {
    private let entityNumber: UInt16
    private let keys: [ObjectKey]

    init(_ row: Row) {
      entityNumber = row.entity.layout.entityNumber
      keys = row.key.map { [$0] } ?? (row.entity.isSymmetric ? row.ends.sorted() : row.ends)
    }
  }

  private func row(_ line: Line, _ entity: PatchEntity) throws -> Row {
    var values: [(property: PatchEntity.Property, old: Value, new: Value)] = []
    if let properties = line.json["properties"] {
      guard case .members(let members) = properties else {
        throw fault(line, "'properties' must be an object.")
      }
      for member in members {
        guard let property = entity.properties.first(where: { $0.name == member.name }) else {
          throw fault(line, "'\(entity.name)' has no property '\(member.name)'.")
        }
        func value(_ side: String, _ isExpected: Bool) throws -> Value {
          let json = member.value[side]
          guard (json != nil) == isExpected else {
            throw fault(
              line,
              "'\(side)' of '\(member.name)' \(isExpected ? "is missing" : "does not belong here")."
            )
          }
          guard let value = property.value(json ?? .null, ValueText.key) else {
            throw fault(line, "'\(side)' of '\(member.name)' is not a value of the property.")
          }
          return value
        }
        values.append(
          (
            property, try value("old", line.change != .inserted),
            try value("new", line.change != .deleted)
          ))
      }
    }
    var key: ObjectKey?
    var ends: [ObjectKey] = []
    if entity.isLinks {
      guard case .array(let items)? = line.json["ends"], items.count == 2 else {
        throw fault(line, "'ends' must be two identifiers.")
      }
      // The first two properties of a link are its ends.
      ends = try zip(items, entity.properties).map { item, property in
        guard case .object(let end)? = property.value(item, ValueText.key) else {
          throw fault(
            line, "'ends' must be two identifiers, of objects that '\(entity.name)' relates.")
        }
        return end
      }
    } else {
      guard case .string(let text)? = line.json["id"], let found = ValueText.key(text),
        found.entity == entity.layout.entityNumber
      else { throw fault(line, "'id' must be an identifier of '\(entity.name)'.") }
      key = found
    }
    return Row(
      entity: entity, isInserted: line.change == .inserted, isDeleted: line.change == .deleted,
      key: key, ends: ends, values: values)
  }
}

extension ComparisonError {
  fileprivate static func noHeader(_ name: String) -> ComparisonError {
    ComparisonError(
      .badPatch, "'\(name)' is not a patch of Quire: its first line is not a header.", path: name,
      .noHeader)
  }
}
