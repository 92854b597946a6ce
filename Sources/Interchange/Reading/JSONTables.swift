package import DurableFiles
import Foundation
import JSONText
import ModelNotations
import ObjectModel

/// Splits nested JSON into tables, from which a model is inferred as from comma-separated values.
///
/// ```text
/// [{"name": "Douro", "guide": {"name": "Ana"}, "stops": [{"name": "Porto"}, {"name": "Régua"}]}]
/// ```
///
/// gives the tables *trips* (the name of the file), *guide* and *stops*:
///
/// - An object within an object becomes a row of a table with the name of its member, and the member a reference. Equal
///   objects are one row, so a customer who stands in a hundred orders is one customer.
/// - Each object of an array becomes a row with a reference to the object that has the array.
/// - Any other array is kept as JSON text.
/// - The outermost value is an array of objects; an object whose members are arrays of objects, each of which is a table; or one object.
package struct JSONTables {
  private let file: ImportFile
  private let roots: [(table: String, value: JSON)]
  private var tables: [Table] = []
  private var positions: [String: Int] = [:]
  /// Whether the columns are known and rows are written.
  private var writes = false

  private struct Table {
    let name: String
    var columns: [String] = []
    var places: [String: Int] = [:]
    var rowCount = 0
    /// The rows of objects within objects, by the text of the object.
    var known: [JSON: String] = [:]
    var file: DurableFile?
    var bytes: [UInt8] = []
  }

  /// The greatest size of a file, which is read into memory.
  private static let byteLimit = 1 << 30

  /// Whether a file contains JSON: its first character is a bracket.
  package static func isJSON(_ file: ImportFile) throws -> Bool {
    let start = try file.file.read(byteCount: min(file.byteCount, 4096), at: 0)
    let first = start.first { ![0x20, 0x09, 0x0D, 0x0A].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Whether a file contains lines of JSON that an export wrote: its first object names its entity.
  package static func isExport(_ file: ImportFile) throws -> Bool {
    let start = try file.file.read(byteCount: min(file.byteCount, 4096), at: 0)
    return String(decoding: start, as: UTF8.self).hasPrefix("{\"\(FieldName.entity)\"")
  }

  /// Reads a file of JSON, or of JSON lines.
  ///
  /// - Throws: ``ImportError`` with the place at which the text is not JSON, or does not contain objects.
  package init(_ file: ImportFile) throws {
    self.file = file
    roots = JSONTables.roots(
      try JSONTables.values(of: file), in: InferredNames.stem(of: file.name))
  }

  /// Writes the tables as comma-separated values.
  ///
  /// - Parameter makeFile: Makes an empty file for a table.
  package mutating func write(_ makeFile: (_ name: String) throws -> DurableFile) throws
    -> [ImportFile]
  {
    // The first walk finds the columns, which are the first line of each table.
    try visitAll()
    writes = true
    for index in tables.indices {
      tables[index].file = try makeFile(tables[index].name)
      tables[index].rowCount = 0
      tables[index].known = [:]
      add(["@id"] + tables[index].columns, to: index)
    }
    try visitAll()
    return try tables.indices.map { index in
      try flush(index)
      var result = ImportFile(
        tables[index].file!, name: "\(file.name): \(tables[index].name)", format: .csv)
      result.table = tables[index].name
      return result
    }
  }

  // MARK: - Walking

  private mutating func visitAll() throws {
    for (table, value) in roots { try visit(value, in: table) }
  }

  /// Adds the row of an object within an object, or finds the row of an equal one, and returns its identifier.
  private mutating func refer(to value: JSON, in table: String) throws -> String {
    let index = position(of: table)
    if let known = tables[index].known[value] { return known }
    let id = try visit(value, in: table)
    tables[index].known[value] = id
    return id
  }

  /// Adds an object as a row, and returns its identifier.
  ///
  /// - Parameter owner: The table and the identifier of the object that has the array with this one.
  @discardableResult
  private mutating func visit(
    _ value: JSON, in table: String, from owner: (table: String, id: String)? = nil
  ) throws -> String {
    guard case .members(let members) = value else { throw refused(value, in: table) }
    let index = position(of: table)
    tables[index].rowCount += 1
    let id = "\(index + 1)/p\(tables[index].rowCount)"
    var cells: [(column: String, text: String)] = []
    for member in members {
      switch member.value {
      case .null: continue
      case .members(let inner) where !inner.isEmpty:
        cells.append((member.name, try refer(to: member.value, in: member.name)))
      case .members: continue
      case .array(let items):
        if items.isEmpty { continue }
        guard items.allSatisfy(\.isObject) else {
          cells.append((member.name, JSONTables.quoted(member.value.line)))
          continue
        }
        for item in items { try visit(item, in: member.name, from: (table, id)) }
      case .string(let text): cells.append((member.name, JSONTables.quoted(text)))
      case .boolean, .number: cells.append((member.name, member.value.text))
      }
    }
    if let owner {
      let column = InferredNames.property(of: InferredNames.singular(owner.table))
      let isTaken = owner.table == table || members.contains { $0.name == column }
      cells.append((isTaken ? "parent" : column, owner.id))
    }
    try put(cells, id, in: index)
    return id
  }

  private mutating func position(of table: String) -> Int {
    if let known = positions[table] { return known }
    positions[table] = tables.count
    tables.append(Table(name: table))
    return tables.count - 1
  }

  private mutating func put(_ cells: [(column: String, text: String)], _ id: String, in index: Int)
    throws
  {
    guard writes else {
      for (column, _) in cells where tables[index].places[column] == nil {
        tables[index].places[column] = tables[index].columns.count
        tables[index].columns.append(column)
      }
      return
    }
    var row = Array(repeating: "", count: tables[index].columns.count)
    for (column, text) in cells { row[tables[index].places[column]!] = text }
    add([id] + row, to: index)
    if tables[index].bytes.count > 1 << 18 { try flush(index) }
  }

  private mutating func add(_ cells: [String], to index: Int) {
    let isHeader = tables[index].rowCount == 0
    tables[index].bytes +=
      cells.map { isHeader ? JSONTables.quoted($0) : $0 }
      .joined(separator: ",").utf8
    tables[index].bytes.append(0x0A)
  }

  private mutating func flush(_ index: Int) throws {
    try tables[index].file?.append(tables[index].bytes)
    tables[index].bytes = []
  }

  /// Returns a cell in quotes. A quoted cell is a text even if it looks like a number.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  // MARK: - Reading

  private static func values(of file: ImportFile) throws -> [JSON] {
    func refuse(_ reason: String, line: Int = 1, column: Int = 1) -> ImportError {
      var problem = ImportProblem(line: line, column: column, reason)
      problem.file = file.name
      return ImportError(problems: [problem])
    }
    let byteCount = try file.byteCount
    guard byteCount <= byteLimit else {
      throw refuse(
        "The file has more than 1 GiB. Split it, or write it as JSON lines for 'quire import'.")
    }
    let bytes = try file.file.read(byteCount: byteCount, at: 0)
    do { return [try JSON.read(bytes)] } catch {
      // The text may be JSON lines, of which each is a value.
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      guard lines.count > 1, (try? JSON.read(Array(lines[0]))) != nil else {
        throw refuse(error.reason, line: error.line, column: error.column)
      }
      var values: [JSON] = []
      for (number, line) in lines.enumerated() {
        if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
        do { values.append(try JSON.read(Array(line))) } catch {
          throw refuse(error.reason, line: number + 1, column: error.column)
        }
      }
      return values
    }
  }

  /// Returns the outermost objects with the names of their tables.
  private static func roots(_ values: [JSON], in name: String) -> [(table: String, value: JSON)] {
    guard values.count == 1 else { return values.map { (name, $0) } }
    switch values[0] {
    case .array(let items): return items.map { (name, $0) }
    case .members(let members) where !members.isEmpty && members.allSatisfy(\.value.isTable):
      return members.flatMap { member in
        guard case .array(let items) = member.value else { return [(table: String, value: JSON)]() }
        return items.map { (member.name, $0) }
      }
    default: return [(name, values[0])]
    }
  }

  private func refused(_ value: JSON, in table: String) -> ImportError {
    var problem = ImportProblem(
      line: 0, "\(table) contains \(value.kind), and each object must have its values in braces.")
    problem.file = file.name
    return ImportError(problems: [problem], isMalformed: true)
  }
}

extension JSON {
  fileprivate var isObject: Bool { if case .members = self { true } else { false } }

  /// Whether the value is an array of objects.
  fileprivate var isTable: Bool {
    if case .array(let items) = self { items.allSatisfy(\.isObject) } else { false }
  }
}
