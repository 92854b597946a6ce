import JSONText
import ModelNotations
import ObjectModel

/// Reads the objects of a file one by one.
final class RecordReader {
  let file: ImportFile
  private var lines: InputLines
  private var bytes: [UInt8] = []
  private var cells: [Field] = []
  /// The columns of a file of comma-separated values; `nil` before the first line was read.
  private var columns: [ImportColumn]?
  /// The number of the object's first line.
  private(set) var line = 0
  /// The entity that the file names for the object.
  private(set) var entity: String?
  /// The object's identifier in the files.
  private(set) var identifier: String?
  private(set) var fields: [Field] = []
  /// The names that the file has for others in the model, as far as they have occurred.
  private(set) var usedNames: Set<String> = []

  /// A property of the object, and the position of its value in the bytes of the line.
  struct Field {
    let name: String
    let start: Int
    let end: Int
    var isQuoted = false
    /// A text that belongs to the value, before the bytes.
    var prefix = ""
    /// Whether a value such as `4/p1` is an identifier, so that it gets no prefix.
    var mayBeIdentifier = false
  }

  /// The maximum number of properties of an object. More are an error.
  private static let mostFields = 65_536

  /// The index of the file among the files of the import.
  let fileNumber: Int

  init(_ file: ImportFile, number: Int) {
    self.file = file
    fileNumber = number
    lines = InputLines(file.file, allowsCarriageReturns: file.format == .csv)
  }

  /// The number of bytes of the file that have been read.
  var offset: Int { lines.offset }

  /// The number of bytes that the object takes in the file.
  var byteCount: Int { bytes.count }

  /// Moves to the next object, and returns `false` after the last.
  ///
  /// - Throws: ``ImportProblem`` if the line is unreadable.
  func next() throws -> Bool {
    do {
      switch file.format {
      case .jsonl: return try nextOfJSON()
      case .csv: return try nextOfCells()
      }
    } catch var problem as ImportProblem {
      problem.file = file.name
      problem.fileNumber = fileNumber
      // In JSON each line is separate. In comma-separated values a misplaced quote changes the meaning of the
      // following lines.
      problem.endsFile = problem.endsFile || !problem.isMalformed
      throw problem
    }
  }

  /// Moves to the next readable object. The first pass has reported the unreadable objects.
  func nextReadable() throws -> Bool {
    while true {
      do { return try next() } catch let problem as ImportProblem {
        if problem.endsFile { return false }
      }
    }
  }

  /// Returns the value of a field.
  ///
  /// - Throws: ``ImportProblem`` if the text is not UTF-8.
  func value(_ field: Field) throws(ImportProblem) -> FieldValue {
    switch file.format {
    case .jsonl:
      var place = field.start
      do throws(JSONBytes.Fault) { return FieldValue(try JSON.value(bytes, &place)) } catch {
        throw problem(error)
      }
    case .csv:
      if isEmpty(field) { return .null }
      let text = try cell(field)
      if field.prefix.isEmpty || (field.mayBeIdentifier && ValueText.key(text) != nil) {
        return .cell(text, hasDecimalComma: file.hasDecimalCommas)
      }
      return .cell(field.prefix + text)
    }
  }

  /// Returns whether a cell has no value.
  func isEmpty(_ field: Field) -> Bool { field.start == field.end && !field.isQuoted }

  /// Returns the bytes of a cell, without quotes.
  func bytes(of field: Field) throws -> ArraySlice<UInt8> {
    if !field.isQuoted { return bytes[field.start..<field.end] }
    return Array(try cell(field).utf8)[...]
  }

  /// The names of the columns of comma-separated values, without the ones of entities and identifiers.
  var columnNames: [String] {
    (columns ?? []).map(\.property).filter { !FieldName.isOwn($0) }
  }

  /// Whether a column contains identifiers of the objects.
  var definesIdentifiers: Bool {
    (columns ?? []).contains { $0.property == FieldName.identifier }
  }

  /// Returns a problem with a property of the object.
  func problem(_ property: String?, _ reason: String) -> ImportProblem {
    var problem = ImportProblem(line: line, property: property, reason)
    problem.file = file.name
    problem.fileNumber = fileNumber
    problem.fieldNumber = place(of: property)
    return problem
  }

  /// Returns a problem with a name that the model does not have.
  func problem(unknown name: String, _ reason: String) -> ImportProblem {
    var problem = problem(name, reason)
    problem.isUnknownName = true
    return problem
  }

  /// Returns the index of a property in the object, or the number of properties if the object lacks it.
  private func place(of property: String?) -> Int {
    guard let property, property != FieldName.entity, property != FieldName.identifier else {
      return -1
    }
    return fields.firstIndex { $0.name == property || property.hasPrefix($0.name + ".") }
      ?? fields.count
  }

  private func problem(_ fault: JSONBytes.Fault) -> ImportProblem {
    var problem = ImportProblem(line: line, column: fault.place + 1, fault.reason)
    problem.file = file.name
    problem.fileNumber = fileNumber
    return problem
  }

  // MARK: - JSON

  private func nextOfJSON() throws -> Bool {
    repeat {
      bytes.removeAll(keepingCapacity: true)
      guard try lines.next(into: &bytes) else { return false }
    } while bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    line = lines.number
    fields.removeAll(keepingCapacity: true)
    (entity, identifier) = (nil, nil)
    do throws(JSONBytes.Fault) { try readMembers() } catch { throw problem(error) }
    return true
  }

  private func readMembers() throws(JSONBytes.Fault) {
    var place = 0
    try JSONBytes.expect("{", bytes, &place)
    if !JSONBytes.take("}", bytes, &place) {
      repeat {
        let name = try JSONBytes.string(bytes, &place)
        try JSONBytes.expect(":", bytes, &place)
        let start = place
        try JSONBytes.skip(bytes, &place)
        switch name {
        case FieldName.entity: entity = try word(start, entity, name)
        case FieldName.identifier: identifier = try word(start, identifier, name)
        default:
          guard fields.count < RecordReader.mostFields else {
            throw JSONBytes.Fault(place: start, reason: "The object has too many properties.")
          }
          let property = modelName(of: name)
          guard property != FieldName.none else { continue }
          fields.append(Field(name: property, start: start, end: place))
        }
      } while JSONBytes.take(",", bytes, &place)
      try JSONBytes.expect("}", bytes, &place)
    }
    if let name = entity, let key = file.names.key(ofTable: name) {
      usedNames.insert(key)
      entity = file.names[key]
    }
    JSONBytes.skipSpace(bytes, &place)
    guard place == bytes.count else {
      throw JSONBytes.Fault(place: place, reason: "The line continues after its object.")
    }
  }

  /// Returns the model's name for a name in the file.
  private func modelName(of name: String) -> String {
    guard let key = file.names.key(ofColumn: name, in: entity ?? file.tableName),
      let other = file.names[key]
    else { return name }
    usedNames.insert(key)
    return other.isEmpty ? FieldName.none : other
  }

  /// Returns the text of a member that names the object's entity or identifier.
  private func word(
    _ start: Int, _ before: String?, _ name: String
  ) throws(JSONBytes.Fault) -> String {
    var place = start
    guard before == nil else {
      throw JSONBytes.Fault(place: start, reason: "'\(name)' occurs twice.")
    }
    JSONBytes.skipSpace(bytes, &place)
    guard bytes[place] == 0x22 else {
      throw JSONBytes.Fault(place: place, reason: "'\(name)' must be text.")
    }
    let text = try JSONBytes.string(bytes, &place)
    guard !text.isEmpty else {
      throw JSONBytes.Fault(place: start, reason: "'\(name)' is empty.")
    }
    return text
  }

  // MARK: - Cells

  private func nextOfCells() throws -> Bool {
    do { return try readCells() } catch var problem as ImportProblem {
      problem.endsFile = problem.endsFile || !hasOddCount
      throw problem
    }
  }

  /// Whether the last line and the first have different numbers of cells. The following lines are readable
  /// nevertheless.
  private var hasOddCount = false

  private func readCells() throws -> Bool {
    hasOddCount = false
    guard try readLine() else { return false }
    if columns == nil {
      columns = try readColumns()
      guard try readLine() else { return false }
    }
    try readCellPlaces()
    guard let columns, cells.count == columns.count else {
      hasOddCount = true
      throw ImportProblem(
        line: line, column: 1,
        "The line has \(cells.count) cells, but the first line has \(columns?.count ?? 0).")
    }
    fields.removeAll(keepingCapacity: true)
    (entity, identifier) = (nil, nil)
    for (column, place) in zip(columns, cells) {
      switch column.property {
      case FieldName.entity: if place.end > place.start { entity = try cell(place) }
      case FieldName.identifier: if place.end > place.start { identifier = try cell(place) }
      case FieldName.none: break
      default:
        fields.append(
          Field(
            name: column.property, start: place.start, end: place.end, isQuoted: place.isQuoted,
            prefix: column.prefix, mayBeIdentifier: column.mayBeIdentifier))
        if let prefix = column.keyPrefix, !isEmpty(place) {
          identifier = prefix + (try cell(place))
        }
      }
    }
    return true
  }

  /// Reads the names in the first line, and gives the columns the meaning that the file states for them.
  private func readColumns() throws -> [ImportColumn] {
    try readCellPlaces()
    var names = try cells.map { try cell($0) }
    guard names.count <= RecordReader.mostFields else {
      throw ImportProblem(line: line, "The line has too many cells.")
    }
    if file.renamesColumns {
      var taken: Set<String> = []
      for index in names.indices {
        names[index] = InferredNames.free(names[index], among: taken)
        taken.insert(names[index])
      }
    }
    let properties = names.map { FieldName.isOwn($0) ? $0 : modelName(of: $0) }
    var seen: [String: String] = [:]
    for (name, property) in zip(names, properties) where property != FieldName.none {
      guard let other = seen.updateValue(name, forKey: property) else { continue }
      throw ImportProblem(
        line: line, column: 1,
        other == name
          ? "The column '\(name)' occurs twice."
          : "The columns '\(other)' and '\(name)' both mean '\(property)'.")
    }
    guard let known = file.columns else { return properties.map { ImportColumn(property: $0) } }
    guard properties.count(where: { !FieldName.isOwn($0) }) == known.count else {
      throw ImportProblem(
        line: line, column: 1, "The file has changed since its columns were read.")
    }
    var rest = known[...]
    return properties.map { FieldName.isOwn($0) ? ImportColumn(property: $0) : rest.removeFirst() }
  }

  /// Reads the next line that is not empty, and further lines while a quoted cell continues.
  private func readLine() throws -> Bool {
    repeat {
      bytes.removeAll(keepingCapacity: true)
      guard try lines.next(into: &bytes) else { return false }
      line = lines.number
    } while bytes.isEmpty || bytes == [0x0D]
    var quotes = 0
    var counted = 0
    while true {
      for byte in bytes[counted...] where byte == 0x22 { quotes += 1 }
      counted = bytes.count
      if quotes % 2 == 0 { break }
      bytes.append(lines.lineEnd ?? 0x0A)
      guard try lines.next(into: &bytes) else {
        throw ImportProblem(line: line, column: 1, "A cell in quotes has no closing quote.")
      }
    }
    if bytes.last == 0x0D { bytes.removeLast() }
    return true
  }

  /// Finds the positions of the line's cells, without their quotes.
  private func readCellPlaces() throws {
    cells.removeAll(keepingCapacity: true)
    var place = 0
    while true {
      if place < bytes.count, bytes[place] == 0x22 {
        let start = place + 1
        place = start
        while true {
          guard let quote = bytes[place...].firstIndex(of: 0x22) else {
            throw ImportProblem(line: line, column: start, "A cell in quotes has no closing quote.")
          }
          place = quote + 1
          guard place < bytes.count, bytes[place] == 0x22 else { break }
          place += 1
        }
        cells.append(Field(name: "", start: start, end: place - 1, isQuoted: true))
        guard place == bytes.count || bytes[place] == file.delimiter else {
          throw ImportProblem(
            line: line, column: place + 1, "A cell continues after its closing quote.")
        }
      } else {
        let end = bytes[place...].firstIndex(of: file.delimiter) ?? bytes.count
        if let quote = bytes[place..<end].firstIndex(of: 0x22) {
          throw ImportProblem(
            line: line, column: quote + 1, "A cell without quotes contains a quote.")
        }
        cells.append(Field(name: "", start: place, end: end))
        place = end
      }
      if place == bytes.count { return }
      place += 1
    }
  }

  private func cell(_ field: Field) throws(ImportProblem) -> String {
    var inner = bytes[field.start..<field.end]
    if field.isQuoted, inner.contains(0x22) {
      var single: [UInt8] = []
      var isSecond = false
      for byte in inner {
        isSecond = byte == 0x22 && !isSecond
        if byte != 0x22 || isSecond { single.append(byte) }
      }
      inner = single[...]
    }
    guard let text = try? String(copying: UTF8Span(validating: inner.span)) else {
      var problem = ImportProblem(line: line, column: field.start + 1, "A cell is not UTF-8.")
      problem.file = file.name
      problem.isNotUTF8 = true
      throw problem
    }
    return text
  }
}
