// SAFETY: Positions are below the number of objects, and rows are below the number of rows in their block. Columns are
// verified when they are loaded, and the blocks keep them alive as long as the writer exists. A column that a block lacks
// has no values, and its memory is never read.

import Foundation
import ObjectModel
import Rows
import StoreInterface

/// Writes the objects of one entity. The constant parts of their text are created only once.
final class EntityWriter {
  let rows: EntityRows
  private let start: [UInt8]
  private let attributes: [AttributeWriter]
  private let relationships: [RelationshipWriter]
  private let form: XMLStoreOptions.Form

  /// Returns the writers of all entities that have objects, in the order of their names.
  static func all(
    _ contents: AtomicContents, _ options: XMLStoreOptions
  ) throws -> [EntityWriter] {
    let view = contents.view
    var rows: [UInt16: EntityRows] = [:]
    for layout in contents.schema.layouts {
      let found = try EntityRows(layout, view)
      if !found.keys.isEmpty { rows[layout.entityNumber] = found }
    }
    var lists = ListsByRelationship(contents.model, contents.schema, rows)
    for table in contents.schema.linkTables {
      lists.links[table.layout.entityNumber] = try EntityRows(table.layout, view)
    }
    let names = contents.schema.layouts.map(\.entity)
    let spellings = Dictionary(
      uniqueKeysWithValues: zip(names, NameSpellings(names, in: .upper).written))
    var writers: [EntityWriter] = []
    for one in rows.values.sorted(by: { $0.layout.entity < $1.layout.entity }) {
      writers.append(
        try EntityWriter(one, contents.model, spellings, &lists, options.form, rows))
    }
    return writers
  }

  private init(
    _ rows: EntityRows, _ model: Model, _ spellings: [String: String],
    _ lists: inout ListsByRelationship, _ form: XMLStoreOptions.Form, _ all: [UInt16: EntityRows]
  ) throws {
    self.rows = rows
    self.form = form
    let layout = rows.layout
    func name(_ entity: String) -> [UInt8] {
      TextEscapes.attribute(spellings[entity] ?? entity)
    }
    start = Array("    <object type=\"".utf8) + name(layout.entity) + Array("\" id=\"z".utf8)
    let values = layout.columns.filter { $0.kind != .reference && !$0.name.contains("#") }
    let properties = model.properties(of: layout.entity).compactMap { property in
      if case .relationship(let relationship) = property, !relationship.isTransient {
        relationship
      } else {
        nil
      }
    }
    let names = values.map(\.name) + properties.map(\.name)
    let spelled = Dictionary(
      uniqueKeysWithValues: zip(names, NameSpellings(names, in: .lower).written))
    attributes = try values.map { column in
      AttributeWriter(
        kind: column.kind,
        start: Array("        <attribute name=\"".utf8)
          + TextEscapes.attribute(spelled[column.name] ?? column.name)
          + Array("\" type=\"\(AttributeWriter.type(column.kind))\">".utf8),
        columns: try rows.blocks.map { try $0.column(column) })
    }
    relationships = try properties.sorted { $0.name < $1.name }.map { relationship in
      let start =
        Array("        <relationship name=\"".utf8)
        + TextEscapes.attribute(spelled[relationship.name] ?? relationship.name)
        + Array(
          "\" type=\"\(relationship.count.minimum)/\(max(relationship.count.maximum, 0))\"".utf8)
        + Array(" destination=\"".utf8) + name(relationship.destination) + [UInt8(ascii: "\"")]
      guard let index = layout.index(of: relationship.name), !relationship.isToMany else {
        let lists = try lists.lists(relationship, of: layout.entity)
        try EntityWriter.checkLength(lists, rows, relationship)
        return RelationshipWriter(start: start, columns: [], lists: lists)
      }
      let columns = try rows.blocks.map { try $0.column(layout.columns[index]) }
      try EntityWriter.checkTargets(columns, rows, relationship, all)
      return RelationshipWriter(start: start, columns: columns, lists: nil)
    }
  }

  /// Throws an error if a reference refers to a missing object.
  private static func checkTargets(
    _ columns: [Column?], _ rows: EntityRows, _ relationship: Relationship,
    _ all: [UInt16: EntityRows]
  ) throws {
    for (key, location) in zip(rows.keys, rows.locations) {
      guard let reference = columns[Int(location >> 24)]?.reference(at: Int(location & 0xFF_FFFF))
      else { continue }
      guard all[reference.entity]?.place(of: reference.number) != nil else {
        throw DatabaseWriter.dangling(key, rows.layout.entity, relationship.name, reference)
      }
    }
  }

  /// Throws an error if a list is too long for readers (spec §5.7.1).
  private static func checkLength(
    _ lists: InverseLists?, _ rows: EntityRows, _ relationship: Relationship
  ) throws {
    guard let lists else { return }
    for (place, key) in rows.keys.enumerated()
    where lists.list(rows.layout.entityNumber, place).count * 17
      > XMLStoreFormat.greatestReferencesByteCount
    {
      throw StoreError(
        .badChange,
        "Object z\(key) (\(rows.layout.entity)) has more objects in '\(relationship.name)' than a "
          + "store of type XML can contain.")
    }
  }

  /// Adds the object at the given position.
  ///
  /// - Throws: ``StoreError`` for an object that is too large for readers (spec §5.7.1).
  func append(_ place: Int, to output: inout OutputBuffer) throws {
    let location = rows.locations[place]
    let (block, row) = (Int(location >> 24), Int(location & 0xFF_FFFF))
    let before = output.count
    output.append(start)
    output.append(magnitude: rows.keys[place])
    output.append(EntityWriter.openEnd)
    for index in attributes.indices { attributes[index].append(block, row, form, to: &output) }
    for index in relationships.indices {
      relationships[index].append(rows.layout.entityNumber, place, block, row, to: &output)
    }
    output.append(EntityWriter.end)
    guard output.count - before <= XMLStoreFormat.greatestObjectByteCount else {
      throw StoreError(
        .badChange,
        "Object z\(rows.keys[place]) (\(rows.layout.entity)) needs more than "
          + "\(XMLStoreFormat.greatestObjectByteCount) bytes, which is too much for a store of "
          + "type XML.")
    }
  }

  private static let openEnd = Array("\">\n".utf8)
  private static let end = Array("    </object>\n".utf8)
}

/// One column of all blocks, which is read without reference counting.
@safe
private final class BlockColumns {
  /// The columns, retained because they own the memory that `raws` refer to.
  private let columns: [Column?]
  private let raws: UnsafeMutablePointer<RawColumn>

  init(_ columns: [Column?]) {
    self.columns = columns
    unsafe raws = .allocate(capacity: max(columns.count, 1))
    for (index, column) in columns.enumerated() {
      var nothing = unsafe RawColumn()
      unsafe nothing.isNothing = true
      unsafe (raws + index).initialize(to: column?.raw ?? nothing)
    }
  }

  deinit { unsafe raws.deallocate() }

  var isEmpty: Bool { columns.isEmpty }

  /// The column of a block. Valid while this object exists.
  @unsafe @inline(__always)
  subscript(block: Int) -> UnsafeMutablePointer<RawColumn> { unsafe raws + block }
}

/// Writes one attribute of one entity's objects.
private final class AttributeWriter {
  let kind: ColumnKind
  let start: [UInt8]
  private let columns: BlockColumns

  init(kind: ColumnKind, start: [UInt8], columns: [Column?]) {
    self.kind = kind
    self.start = start
    self.columns = BlockColumns(columns)
  }

  private static let end = Array("</attribute>\n".utf8)

  /// Returns the value of the XML attribute `type` for a kind of column (spec §5.3.3).
  static func type(_ kind: ColumnKind) -> String {
    switch kind {
    case .boolean: "bool"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .float: "float"
    case .double: "double"
    case .date: "date"
    case .decimal: "decimal"
    case .string: "string"
    case .uri: "uri"
    case .binary: "binary"
    case .uuid: "uuid"
    case .reference: ""
    }
  }

  @inline(__always)
  func append(
    _ block: Int, _ row: Int, _ form: XMLStoreOptions.Form, to output: inout OutputBuffer
  ) {
    let raw = unsafe columns[block]
    if unsafe raw.pointee.isNull(row) { return }
    output.append(start)
    switch kind.content {
    case .boolean, .integer: unsafe output.append(raw.pointee.integer(row))
    case .string, .uri: unsafe output.append(escaping: raw.pointee.bytes(row))
    case .double: unsafe output.append(shortest: raw.pointee.double(row))
    case .date:
      if form == .coreData {
        unsafe output.append(twentyDecimals: raw.pointee.double(row))
      } else {
        unsafe output.append(shortest: raw.pointee.double(row))
      }
    case .float: unsafe output.append(shortest: raw.pointee.float(row))
    case .decimal:
      output.append(DecimalParts(unsafe raw.pointee.decimal(row))?.text ?? "NaN")
    case .binary: unsafe output.append(base64: raw.pointee.bytes(row))
    case .uuid: output.append(unsafe raw.pointee.uuid(row).uuidString)
    case .object: break
    }
    output.append(AttributeWriter.end)
  }
}

/// Writes one relationship of one entity's objects.
private final class RelationshipWriter {
  let start: [UInt8]
  /// The references of a to-one relationship.
  private let columns: BlockColumns
  /// The lists of a to-many relationship.
  let lists: InverseLists?

  init(start: [UInt8], columns: [Column?], lists: InverseLists?) {
    self.start = start
    self.columns = BlockColumns(columns)
    self.lists = lists
  }

  private static let references = Array(" idrefs=\"z".utf8)
  private static let next = Array(" z".utf8)
  private static let quote = UInt8(ascii: "\"")
  private static let end = Array("></relationship>\n".utf8)

  func append(
    _ entity: UInt16, _ place: Int, _ block: Int, _ row: Int, to output: inout OutputBuffer
  ) {
    output.append(start)
    if let lists {
      var isFirst = true
      for number in lists.list(entity, place) {
        output.append(isFirst ? RelationshipWriter.references : RelationshipWriter.next)
        output.append(magnitude: number)
        isFirst = false
      }
      if !isFirst { output.append(RelationshipWriter.quote) }
    } else if !columns.isEmpty, unsafe !columns[block].pointee.isNull(row) {
      let key = unsafe ObjectKey(rawValue: UInt64(bitPattern: columns[block].pointee.integer(row)))
      if key.rawValue != 0 {
        output.append(RelationshipWriter.references)
        output.append(magnitude: key.number)
        output.append(RelationshipWriter.quote)
      }
    }
    output.append(RelationshipWriter.end)
  }
}

/// The lists of to-many relationships. Each list is collected once for all entities that have its relationship.
private struct ListsByRelationship {
  private let model: Model
  private let rows: [UInt16: EntityRows]
  private let schema: Schema
  private var known: [String: InverseLists] = [:]
  private var knownSides: [LinkTable.Side: InverseLists] = [:]
  /// The rows of links, by the numbers of their tables.
  var links: [UInt16: EntityRows] = [:]

  init(_ model: Model, _ schema: Schema, _ rows: [UInt16: EntityRows]) {
    self.model = model
    self.schema = schema
    self.rows = rows
  }

  /// Returns the lists of a to-many relationship of an entity.
  mutating func lists(
    _ relationship: Relationship, of entity: String
  ) throws -> InverseLists? {
    if let side = schema.links(of: entity, relationship.name) {
      if let lists = knownSides[side] { return lists }
      guard let links = links[side.table.layout.entityNumber] else { return nil }
      let lists = try InverseLists(side, links, rows)
      knownSides[side] = lists
      return lists
    }
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { return nil }
    let id = "\(relationship.destination).\(inverse.name)"
    if let lists = known[id] { return lists }
    let sources = model.family(of: relationship.destination).compactMap { entity in
      schema[entity.name].flatMap { rows[$0.entityNumber] }
    }
    let lists = try InverseLists(
      inverse.name, isOrdered: relationship.keepsOrder, from: sources, to: rows)
    known[id] = lists
    return lists
  }
}
