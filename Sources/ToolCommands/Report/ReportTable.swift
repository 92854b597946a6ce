import CommandInterface
import Comparison
import Foundation
import Interchange
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import SeededRandom
import StoreInterface

/// The rows of one entity as JSON, which the script of the page draws as a table.
///
/// Memory holds one row, and the columns of a few blocks. If there are more rows than the page shows, each row has the
/// same chance, and the same document gives the same sample.
struct ReportTable {
  /// One column of the table.
  private struct Column {
    let name: String
    let type: String
    let cell: Cell

    enum Cell {
      /// The position of the attribute's column, and the letter of its kind.
      case value(Int, kind: String, Attribute.Precision?)
      case reference(Int)
      case count(ToManyRelationship)
    }

    /// The letter that tells the script how to show and sort the cells.
    var letter: String {
      switch cell {
      case .value(_, let kind, _): kind
      case .reference: "r"
      case .count: "c"
      }
    }
  }

  /// The result of writing a table.
  struct Written {
    /// The number of written rows.
    var rowCount = 0
    /// The error of a damaged store, after which no further rows could be read; `nil` if all rows were read.
    var fault: (any Error)?
  }

  private let entity: ReportSource.StoredEntity
  private let tree: ObjectTree
  private let columns: [Column]
  /// The number of rows on the page.
  let shownCount: Int

  /// The most characters of a text on the page.
  static let mostCharacters = 2000
  /// The most characters of the name of an object that a reference refers to.
  private static let mostNameCharacters = 60

  /// - Parameter tree: The store's objects, for the names of the objects that references refer to.
  init(_ entity: ReportSource.StoredEntity, _ tree: ObjectTree, most: Int) {
    self.entity = entity
    self.tree = tree
    shownCount = min(entity.count, most)
    let (model, schema) = (tree.store.model, tree.store.schema)
    columns = FetchColumns(of: entity.name, model, schema).columns.compactMap { column in
      switch column.content {
      case .list(let relationship):
        return Column(
          name: column.name, type: "[\(relationship.destination)]", cell: .count(relationship))
      case .value:
        guard let index = entity.layout.index(of: column.name) else { return nil }
        let kind = entity.layout.columns[index].kind
        let property = model.property(column.name, of: entity.name)
        return Column(
          name: column.name, type: property.map { Wording.type(of: $0) } ?? "",
          cell: kind == .reference
            ? .reference(index)
            : .value(
              index, kind: column.form.precision == .day ? "D" : Self.letter(of: kind),
              column.form.precision))
      case .values: return nil
      }
    }
  }

  private static func letter(of kind: ColumnKind) -> String {
    switch kind.content {
    case .boolean: "b"
    case .integer, .float, .double, .decimal: "n"
    case .date: "d"
    case .binary: "x"
    case .uuid, .uri: "u"
    case .string, .object: "s"
    }
  }

  /// Writes the table: an object with the columns and the rows.
  ///
  /// - Parameters:
  ///   - pictures: The bytes that pictures in cells may still take.
  ///   - progress: Called with the number of rows that were passed.
  func write(
    to output: PageOutput, _ pictures: inout PictureAllowance, progress: (Int) -> Void
  ) throws -> Written {
    let heads = columns.map { column in
      JSON.array([.string(column.name), .string(column.letter), .string(column.type)])
    }
    try output.write(script: Array("{\"columns\":\(JSON.array(heads).line),\"rows\":[".utf8))
    var written = Written()
    do { try writeRows(to: output, &written, &pictures, progress) } catch {
      // Only the page's own destination and a failed disk end the command. The page states the damage of a store.
      if output.hasFailed || error.isFailureOfDisk { throw error }
      written.fault = error
    }
    try output.write("]}")
    return written
  }

  private func writeRows(
    to output: PageOutput, _ written: inout Written, _ pictures: inout PictureAllowance,
    _ progress: (Int) -> Void
  ) throws {
    guard shownCount > 0 else { return }
    var random = SeededGenerator(seed: UInt64(entity.layout.entityNumber))
    let rows = try RowStream(tree.store.view, entity.layout)
    var passed = 0
    while written.rowCount < shownCount, let place = try rows.next() {
      // Of n rows that are left, k are still needed, so the next one is taken with the chance k / n.
      let left = max(1, entity.count - passed)
      passed += 1
      if passed % 4096 == 0 { progress(passed) }
      guard
        shownCount - written.rowCount >= left
          || Int.random(in: 0..<left, using: &random) < shownCount - written.rowCount
      else { continue }
      var bytes: [UInt8] = written.rowCount == 0 ? [] : Array(",\n".utf8)
      bytes += "[\(place.key)".utf8
      let key = ObjectKey(entity: entity.layout.entityNumber, number: place.key)
      for column in columns {
        bytes.append(0x2C)
        try append(column, key, place, rows, &pictures, to: &bytes)
      }
      bytes.append(0x5D)
      try output.write(script: bytes)
      written.rowCount += 1
    }
  }

  // MARK: - Cells

  private func append(
    _ column: Column, _ key: ObjectKey, _ place: RowWalk.Place, _ rows: RowStream,
    _ pictures: inout PictureAllowance, to bytes: inout [UInt8]
  ) throws {
    switch column.cell {
    case .count(let relationship):
      let count = try tree.store.source.objects(relatedTo: key, through: relationship).count
      bytes += "\(count)".utf8
    case .reference(let index):
      guard case .object(let target) = try rows.value(index, place) else {
        bytes += "null".utf8
        return
      }
      bytes += "[\"\(target.entity)/\(target.number)\"".utf8
      // A name that can't be read is left out. The reference itself is right.
      if let name = try readIfSound({ try tree.name(of: target) }) ?? nil {
        bytes.append(0x2C)
        let text =
          if case .string(let text) = name.value {
            text
          } else {
            Wording.text(name.value, name.precision)
          }
        append(text.cut(to: Self.mostNameCharacters), to: &bytes)
      }
      bytes.append(0x5D)
    case .value(let index, _, let precision):
      append(try rows.value(index, place), precision, &pictures, to: &bytes)
    }
  }

  private func append(
    _ value: Value, _ precision: Attribute.Precision?, _ pictures: inout PictureAllowance,
    to bytes: inout [UInt8]
  ) {
    switch value {
    case .null: bytes += "null".utf8
    // Numbers of a script have 53 bits, so larger whole numbers are texts.
    case .integer(let number) where number.magnitude > 1 << 53: append("\(number)", to: &bytes)
    case .date(let date):
      append(exact: .double(date.timeIntervalSinceReferenceDate), to: &bytes)
    case .string(let text), .uri(let text): append(cut: text, to: &bytes)
    case .binary(let data):
      bytes += "[\(data.count),".utf8
      append(Wording.text(value), to: &bytes)
      if let type = PictureType(data.prefix(PictureType.beginByteCount)), pictures.take(data.count)
      {
        bytes += ",\"\(type.urlBeginning)\(data.base64EncodedString())\"".utf8
      }
      bytes.append(0x5D)
    default: append(exact: value, precision, to: &bytes)
    }
  }

  private func append(
    exact value: Value, _ precision: Attribute.Precision? = nil, to bytes: inout [UInt8]
  ) {
    let text = ValueText.exchange.text(value, precision)
    if ValueText.isBare(value) { bytes += text.utf8 } else { append(text, to: &bytes) }
  }

  /// Appends a text, or the beginning of a long text and the number of its characters.
  private func append(cut text: String, to bytes: inout [UInt8]) {
    guard text.utf8.count > Self.mostCharacters, text.count > Self.mostCharacters else {
      return append(text, to: &bytes)
    }
    bytes.append(0x5B)
    append(String(text.prefix(Self.mostCharacters)), to: &bytes)
    bytes += ",\(text.count)]".utf8
  }

  private func append(_ text: String, to bytes: inout [UInt8]) {
    JSON.append(quoted: text, to: &bytes, escapesAllControls: true)
  }
}
