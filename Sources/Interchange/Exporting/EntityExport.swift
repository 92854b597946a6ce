import ObjectModel
import Rows

/// Writes the objects of one entity.
final class EntityExport {
  private let layout: Layout
  private let properties: [ExportedProperty]
  private let format: ExchangeFormat
  private let known: KnownObjects
  /// Whether the first cell of each line is the identifier.
  private let cellsBeginWithKey: Bool
  /// The start of an object in JSON.
  private let entityText: String
  /// The start of an identifier.
  private let keyText: String
  var lists: [RelatedLists] = []
  var output = OutputBytes()
  var report = ObjectExport.Report()
  private var values: WalkValues

  init(
    _ layout: Layout, _ properties: [ExportedProperty], _ format: ExchangeFormat,
    _ known: KnownObjects, cellsBeginWithKey: Bool
  ) {
    self.layout = layout
    self.cellsBeginWithKey = cellsBeginWithKey
    values = WalkValues(layout)
    self.properties = properties
    self.format = format
    self.known = known
    keyText = "\(layout.entityNumber)/p"
    entityText = "{\"\(FieldName.entity)\":\"\(layout.entity)\",\"\(FieldName.identifier)\":\""
  }

  /// Writes the line with the column names of comma-separated values.
  func begin() {
    guard format == .csv else { return }
    let names =
      (cellsBeginWithKey ? [FieldName.identifier] : []) + properties.flatMap { $0.cellNames() }
    output.append(names.joined(separator: ",") + "\n")
  }

  func write(_ place: RowWalk.Place) throws {
    switch format {
    case .jsonl:
      output.append(entityText)
      output.append(keyText)
      output.append(String(place.key))
      output.append("\"")
      for property in properties { try write(property, place) }
      output.append("}\n")
    case .csv:
      if cellsBeginWithKey {
        output.append(keyText)
        output.append(String(place.key))
      }
      var needsComma = cellsBeginWithKey
      for property in properties { try writeCells(property, place, &needsComma) }
      output.append("\n")
    }
    report.objectCount += 1
  }

  // MARK: - Values

  private func value(_ column: Int, _ place: RowWalk.Place) throws -> Value {
    try values.value(column, place)
  }

  /// Returns the target of a reference; `nil` if there is none, or if it does not exist.
  private func reference(_ column: Int, _ place: RowWalk.Place) throws -> ObjectKey? {
    guard case .object(let key) = try value(column, place) else { return nil }
    if try known.contains(key) { return key }
    report.lostReferenceCount += 1
    return nil
  }

  // MARK: - JSON

  private func write(_ property: ExportedProperty, _ place: RowWalk.Place) throws {
    func begin(_ name: String) {
      output.append(",\"")
      output.append(name)
      output.append("\":")
    }
    switch property {
    case .attribute(let name, let column, let writesNull, let precision):
      let value = try value(column, place)
      if value.isNull, !writesNull { return }
      begin(name)
      output.append(json: value, precision)
    case .composite(let name, let parts):
      let before = output.bytes.count
      begin(name)
      output.append("{")
      let start = output.bytes.count
      for part in parts { try write(part, place) }
      // Parts without values are left out, and so is a composite attribute without any value.
      guard output.bytes.count > start else {
        output.cut(to: before)
        return
      }
      output.remove(at: start)
      output.append("}")
    case .toOne(let name, let column):
      guard let key = try reference(column, place) else { return }
      begin(name)
      output.append("\"\(ValueText.text(key))\"")
    case .toMany(let name, let list):
      let keys = lists[list].others(of: place.key)
      guard !keys.isEmpty else { return }
      begin(name)
      for (index, key) in keys.enumerated() {
        output.append(index == 0 ? "[\"" : "\",\"")
        output.append(ValueText.text(key))
      }
      output.append("\"]")
    }
  }

  // MARK: - Cells

  private func writeCells(
    _ property: ExportedProperty, _ place: RowWalk.Place, _ needsComma: inout Bool
  ) throws {
    if case .composite(_, let parts) = property {
      for part in parts { try writeCells(part, place, &needsComma) }
      return
    }
    if needsComma { output.append(",") }
    needsComma = true
    switch property {
    case .attribute(_, let column, _, let precision):
      let value = try value(column, place)
      if !value.isNull { output.append(cell: ValueText.exchange.text(value, precision)) }
    case .composite: break
    case .toOne(_, let column):
      if let key = try reference(column, place) { output.append(ValueText.text(key)) }
    case .toMany(_, let list):
      let keys = lists[list].others(of: place.key)
      output.append(keys.map(ValueText.text).joined(separator: " "))
    }
  }
}
