import Foundation
import ObjectModel

/// The schema in its form in the file (spec §4.6.3). Rows can be read with the schema alone, without the model.
package enum SchemaCoding {
  package static let magic: UInt32 = 0x4843_5351
  private static let isOptional: UInt8 = 1
  private static let hasDefault: UInt8 = 2
  private static let isTargetOrdered: UInt8 = 1
  private static let isSourceOrdered: UInt8 = 2
  private static let hasBackward: UInt8 = 4

  // MARK: - Writing

  package static func bytes(_ schema: Schema) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(magic)
    writer.append(schema.highestEntityNumber)
    writer.append(list: schema.highestPropertyNumbers.sorted { $0.key < $1.key }) { writer, pair in
      writer.append(pair.key)
      writer.append(pair.value)
    }
    writer.append(list: schema.layouts) { writer, layout in
      writer.append(layout.entityNumber)
      writer.append(text: layout.entity)
      writer.append(list: layout.columns) { writer, column in
        let value = defaultBytes(column.defaultValue)
        writer.append(column.number)
        writer.append(column.kind.rawValue)
        writer.append((column.isOptional ? isOptional : 0) | (value == nil ? 0 : hasDefault))
        writer.append(text: column.name)
        if let value {
          writer.append(UInt32(value.count))
          writer.append(value)
        }
      }
      let relationships = (schema.relationshipNumbers[layout.entity] ?? [:])
        .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      writer.append(list: relationships) { writer, pair in
        writer.append(pair.value)
        writer.append(text: pair.key)
      }
    }
    writer.append(list: schema.linkTables) { writer, table in
      let orders: [(UInt16, UInt8)] = [
        (LinkTable.Column.targetOrder, isTargetOrdered),
        (LinkTable.Column.sourceOrder, isSourceOrdered),
      ]
      var flags: UInt8 = table.backward == nil ? 0 : hasBackward
      for (number, flag) in orders where table.layout.index(ofNumber: number) != nil {
        flags |= flag
      }
      writer.append(table.layout.entityNumber)
      writer.append(flags)
      writer.append(text: table.layout.entity)
      for end in [table.forward, table.backward].compactMap({ $0 }) {
        writer.append(end.relationship)
        writer.append(list: end.entities) { $0.append($1) }
      }
    }
    writer.append(list: schema.indexes) { writer, index in
      writer.append(index.number)
      writer.append(index.entityNumber)
      let mark = index.isOfWords ? [LayoutColumn.Number.words] : []
      writer.append(list: index.columns.map(\.number) + mark) { $0.append($1) }
    }
    return writer.bytes
  }

  /// Returns the bytes of a default value; `nil` if the column has none.
  private static func defaultBytes(_ value: Value) -> [UInt8]? {
    func bytes(_ word: some FixedWidthInteger & BitwiseCopyable) -> [UInt8] {
      var writer = ByteWriter()
      writer.append(word)
      return writer.bytes
    }
    switch value {
    case .null, .object: return nil
    case .boolean(let value): return [value ? 1 : 0]
    case .integer(let value): return bytes(value)
    case .float(let value): return bytes(Double(value).bitPattern)
    case .double(let value): return bytes(value.bitPattern)
    case .date(let value): return bytes(value.timeIntervalSinceReferenceDate.bitPattern)
    case .decimal(let value): return Array("\(value)".utf8)
    case .string(let value), .uri(let value): return Array(value.utf8)
    case .binary(let value): return Array(value)
    case .uuid(let value): return value.bytes
    }
  }

  // MARK: - Reading

  /// Parses a schema that lies at `offset` in the file.
  package static func read(_ bytes: [UInt8], at offset: UInt64) throws -> Schema {
    let (schema, excess) = try start(of: bytes, at: offset)
    guard excess == 0 else {
      throw FormatFault("The schema at \(offset) has \(excess) surplus bytes.")
    }
    return schema
  }

  /// Parses a schema at the beginning of some bytes, and returns the number of bytes left behind it.
  package static func start(
    of bytes: [UInt8], at offset: UInt64
  ) throws -> (schema: Schema, excess: Int) {
    var reader = ByteReader(bytes, at: offset)
    guard try reader.next(UInt32.self) == magic else {
      throw FormatFault("The bytes at \(offset) are not a schema.")
    }
    let highestEntity = try reader.next(UInt16.self)
    let highest = try reader.list { reader throws(FormatFault) in
      (try reader.next(UInt16.self), try reader.next(UInt16.self))
    }
    guard zip(highest, highest.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else {
      throw FormatFault("The families of the schema are not in order.")
    }
    var relationships: [String: [String: UInt16]] = [:]
    let layouts = try reader.list { reader throws(FormatFault) in
      try layout(&reader, &relationships)
    }
    let links = try reader.list { reader throws(FormatFault) in try linkTable(&reader) }
    let places = IndexedLayouts(layouts, links)
    let indexes = try reader.list { reader throws(FormatFault) in try index(&reader, places) }
    do {
      let schema = try Schema(
        layouts: layouts, relationshipNumbers: relationships, linkTables: links, indexes: indexes,
        highestEntityNumber: highestEntity,
        highestPropertyNumbers: Dictionary(uniqueKeysWithValues: highest))
      return (schema, reader.remaining)
    } catch {
      throw FormatFault("The schema at \(offset) is not valid: \(error.description)")
    }
  }

  private static func layout(
    _ reader: inout ByteReader, _ relationships: inout [String: [String: UInt16]]
  ) throws(FormatFault) -> Layout {
    let number = try reader.next(UInt16.self)
    let name = try reader.text()
    let columns = try reader.list { reader throws(FormatFault) in try column(&reader, of: name) }
    guard let layout = Layout(checking: name, entityNumber: number, columns: columns) else {
      throw FormatFault("Two columns of '\(name)' share a name or a number.")
    }
    var others: [String: UInt16] = [:]
    for _ in 0..<Int(try reader.next(UInt16.self)) {
      let number = try reader.next(UInt16.self)
      let relationship = try reader.text()
      guard others.updateValue(number, forKey: relationship) == nil else {
        throw FormatFault("The relationship '\(name).\(relationship)' occurs twice.")
      }
    }
    relationships[name] = others
    return layout
  }

  private static func column(
    _ reader: inout ByteReader, of entity: String
  ) throws(FormatFault) -> LayoutColumn {
    let number = try reader.next(UInt16.self)
    let kind = try reader.next(UInt8.self)
    let flags = try reader.next(UInt8.self)
    let name = try reader.text()
    guard let kind = ColumnKind(rawValue: kind), flags <= 3 else {
      throw FormatFault(
        "The column '\(entity).\(name)' has the kind \(kind) and the flags \(flags), which are not valid."
      )
    }
    guard number >= 1, number <= LayoutColumn.Number.highestProperty else {
      throw FormatFault("The number \(number) of '\(entity).\(name)' is reserved.")
    }
    var value = Value.null
    if flags & hasDefault != 0 {
      let count = Int(try reader.next(UInt32.self))
      guard let found = Value(defaultBytes: try reader.take(count), kind: kind) else {
        throw FormatFault("The default of '\(entity).\(name)' is not a value of the column's kind.")
      }
      value = found
    }
    return LayoutColumn(
      number: number, name: name, kind: kind, isOptional: flags & isOptional != 0,
      defaultValue: value)
  }

  private static func linkTable(_ reader: inout ByteReader) throws(FormatFault) -> LinkTable {
    let number = try reader.next(UInt16.self)
    let flags = try reader.next(UInt8.self)
    let name = try reader.text()
    guard flags <= 7 else {
      throw FormatFault("The links '\(name)' have the unknown flags \(flags).")
    }
    func end() throws(FormatFault) -> LinkTable.End {
      let relationship = try reader.next(UInt16.self)
      let entities = try reader.list { reader throws(FormatFault) in try reader.next(UInt16.self) }
      guard !entities.isEmpty, zip(entities, entities.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw FormatFault("The entities of the links '\(name)' are missing, or not in order.")
      }
      return LinkTable.End(entities: entities, relationship: relationship)
    }
    return LinkTable(
      name: name, number: number, forward: try end(),
      backward: flags & hasBackward == 0 ? nil : try end(),
      isTargetOrdered: flags & isTargetOrdered != 0,
      isSourceOrdered: flags & isSourceOrdered != 0)
  }

  private static func index(
    _ reader: inout ByteReader, _ layouts: IndexedLayouts
  ) throws(FormatFault) -> IndexLayout {
    let number = try reader.next(UInt16.self)
    let entity = try reader.next(UInt16.self)
    var numbers = try reader.list { reader throws(FormatFault) in try reader.next(UInt16.self) }
    let isOfWords = numbers.last == LayoutColumn.Number.words
    if isOfWords { numbers.removeLast() }
    let layout = layouts[entity]
    let columns = numbers.compactMap { number in
      layout.flatMap { layout in
        layout.index(ofNumber: number).map { layout.columns[$0] }
      }
    }
    guard !columns.isEmpty, columns.count == numbers.count, Set(numbers).count == numbers.count,
      columns.allSatisfy({ $0.kind != .binary })
    else { throw FormatFault("The index \(number) has columns whose values can't be sorted.") }
    guard !isOfWords || columns.map(\.kind) == [.string] else {
      throw FormatFault("The index \(number) of words is not of one text.")
    }
    return IndexLayout(
      number: number, entityNumber: entity, columns: columns, isOfWords: isOfWords)
  }
}

/// The layouts of entities and link tables, by number, for the indexes. If several layouts have the same number, the
/// last one is used.
private struct IndexedLayouts {
  private let layouts: [Layout]
  private let links: [LinkTable]
  private let positions: [UInt16: Int]

  init(_ layouts: [Layout], _ links: [LinkTable]) {
    self.layouts = layouts
    self.links = links
    var positions: [UInt16: Int] = [:]
    positions.reserveCapacity(layouts.count + links.count)
    for (index, layout) in layouts.enumerated() { positions[layout.entityNumber] = index }
    for (index, table) in links.enumerated() {
      positions[table.layout.entityNumber] = layouts.count + index
    }
    self.positions = positions
  }

  subscript(number: UInt16) -> Layout? {
    guard let position = positions[number] else { return nil }
    return position < layouts.count
      ? layouts[position] : links[position - layouts.count].layout
  }
}

extension Value {
  /// Creates the default value of a column of the given kind; `nil` if the bytes are not a value of that kind.
  fileprivate init?(defaultBytes bytes: [UInt8], kind: ColumnKind) {
    func word() -> UInt64? {
      bytes.count == 8 ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
    }
    func real() -> Double? { word().map(Double.init(bitPattern:)) }
    let value: Value? =
      switch kind.content {
      case .boolean: bytes == [0] || bytes == [1] ? .boolean(bytes == [1]) : nil
      case .integer:
        word().map { Int64(bitPattern: $0) }
          .flatMap { kind.integerRange.contains($0) ? .integer($0) : nil }
      case .float: real().map { .float(Float($0)) }
      case .double: real().map { .double($0) }
      case .date: real().map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .decimal:
        bytes == Array("NaN".utf8)
          ? .decimal(.nan) : DecimalParts(text: bytes.span).map { .decimal($0.decimal) }
      case .string: String(validating: bytes, as: UTF8.self).map { .string($0) }
      case .uri: String(validating: bytes, as: UTF8.self).map { .uri($0) }
      case .binary: .binary(Data(bytes))
      case .uuid: UUID(bytes: bytes).map { .uuid($0) }
      case .object: nil
      }
    guard let value else { return nil }
    self = value
  }
}
