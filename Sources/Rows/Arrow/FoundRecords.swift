package import ObjectModel

/// Rows that a request found, in its order, to be read later as Arrow arrays: the form in which results cross to other
/// languages.
///
/// Blocks never change, so records may be read on any thread and after the context has changed. An `ArrowBatch` in contrast
/// contains the rows of one block with the column names and types of stores, for plug-ins.
package struct FoundRecords: Sendable {
  /// The place of a record.
  struct Place: BitwiseCopyable {
    let block: UInt32
    let row: UInt32
  }

  private(set) var blocks: [(block: Block, entity: UInt16)] = []
  private(set) var places: [Place] = []
  /// The lists of the columns of to-many relationships, for records in the order in which they were added.
  package private(set) var lists: [RecordLists] = []

  package init() {}

  /// Creates a value for records with some columns of to-many relationships.
  package init(listCount: Int) { lists = Array(repeating: RecordLists(), count: listCount) }

  package mutating func append(
    _ block: Block, entity: UInt16, row: Int, lists others: [[ObjectKey]]
  ) {
    append(block, entity: entity, rows: row..<row + 1)
    for (index, keys) in others.enumerated() { lists[index].append(keys) }
  }

  private var indices: [ObjectIdentifier: UInt32] = [:]
  /// The objects that the records refer to, with their layouts; `nil` if no column is about related objects.
  private(set) var related: (view: View, schema: Schema)?

  /// Lets columns contain values of related objects, as a view shows them.
  package mutating func relate(in view: View, _ schema: Schema) {
    if related == nil { related = (view, schema) }
  }

  package var count: Int { places.count }

  package mutating func append(
    _ block: Block, entity: UInt16, rows: some RandomAccessCollection<Int>
  ) {
    let index = index(of: block, entity)
    for row in rows { places.append(Place(block: index, row: UInt32(row))) }
  }

  /// Adds a row without a record, and returns its place.
  mutating func add(_ block: Block, entity: UInt16, row: Int) -> Place {
    Place(block: index(of: block, entity), row: UInt32(row))
  }

  private mutating func index(of block: Block, _ entity: UInt16) -> UInt32 {
    // The rows of sorted results alternate between blocks.
    if let known = indices[ObjectIdentifier(block)] { return known }
    let index = UInt32(blocks.count)
    blocks.append((block, entity))
    indices[ObjectIdentifier(block)] = index
    return index
  }

  /// Puts the records into the order of some keys. Keys without a record are skipped.
  ///
  /// - Parameters:
  ///   - offset: The number of records to leave out at the start.
  ///   - limit: The greatest number of records; 0 for all.
  /// - Throws: The error of a damaged block.
  package mutating func order(by keys: [ObjectKey], from offset: Int, limit: Int) throws {
    var known: [ObjectKey: Place] = [:]
    known.reserveCapacity(places.count)
    for place in places {
      let (block, entity) = blocks[Int(place.block)]
      let number = UInt64(bitPattern: try block.keys.integer(at: Int(place.row)))
      known[ObjectKey(entity: entity, number: number)] = place
    }
    let ordered = keys.compactMap { known[$0] }.dropFirst(offset)
    places = Array(limit > 0 ? ordered.prefix(limit) : ordered)
  }

  /// Returns the end of the records from `start` that make one array: a number of rows that readers process well, or fewer
  /// rows with long values.
  package func endOfArray(from start: Int) -> Int {
    var byteCount = 0
    var known: Set<UInt32> = []
    var end = start
    while end < places.count, end - start < FoundRecords.arrayRowCount {
      if known.insert(places[end].block).inserted {
        byteCount += blocks[Int(places[end].block)].block.byteCount
        if byteCount > FoundRecords.arrayByteCount, end > start { break }
      }
      end += 1
    }
    return end
  }

  private static let arrayRowCount = 65_536
  private static let arrayByteCount = 1 << 26
}

/// One column of records.
package struct RecordField: Sendable {
  /// The name of the column.
  package let name: String
  let content: Content

  enum Content: Sendable {
    /// The identifier of the object: the number of its entity in the upper 16 bits, and the number of the object.
    case identifier
    /// The values of a property.
    case property(LayoutColumn, RecordForm)
    /// The identifiers of the objects of a to-many relationship: one of the lists of the records.
    case list(Int)
    /// The values of a property of the objects that a to-one relationship refers to.
    case related(LayoutColumn, LayoutColumn, RecordForm)
  }

  /// Creates the column of the objects' identifiers.
  package static func identifier(_ name: String) -> RecordField {
    RecordField(name: name, content: .identifier)
  }

  /// Creates the column of a property.
  package static func property(
    _ column: LayoutColumn, as form: RecordForm = .usual
  ) -> RecordField {
    RecordField(name: column.name, content: .property(column, form))
  }

  /// Creates the column of a to-many relationship.
  ///
  /// - Parameter index: The index of the lists among those of the records.
  package static func list(_ name: String, _ index: Int) -> RecordField {
    RecordField(name: name, content: .list(index))
  }

  /// Creates the column of a property of the objects that a to-one relationship refers to: `trip.name`. The records must know
  /// the view of these objects (``FoundRecords/relate(in:_:)``).
  package static func related(
    _ name: String, through reference: LayoutColumn, _ column: LayoutColumn,
    as form: RecordForm = .usual
  ) -> RecordField {
    RecordField(name: name, content: .related(reference, column, form))
  }

  /// Whether the column has values of related objects.
  package var isRelated: Bool { if case .related = content { true } else { false } }

  var format: String {
    switch content {
    case .identifier: "L"
    case .property(let column, let form), .related(_, let column, let form):
      form.format(of: column.kind)
    case .list: "+l"
    }
  }

  /// The name that distinguishes types with the same format, for programs that know it.
  var extensionName: String? {
    switch content {
    case .identifier: "quire.identifier"
    case .property(let column, .usual), .related(_, let column, .usual): column.kind.recordExtension
    case .property, .related, .list: nil
    }
  }

  /// Whether a record may lack a value.
  var isOptional: Bool {
    switch content {
    case .property, .related: true
    case .identifier, .list: false
    }
  }
}

/// The form of the values of a column of records.
package enum RecordForm: Sendable, Hashable {
  /// The form of the column's kind.
  case usual
  /// Decimal numbers of 128 bits with some digits after the point. All values must fit, as ``DecimalScale`` finds out.
  case scaled(Int)
  /// Days since 1970. All values must be dates without a time.
  case day

  /// The number of digits of Arrow's decimal numbers of 128 bits.
  package static let digitCount = 38

  /// Returns the form of the values of an attribute with a precision.
  package init(_ precision: Attribute.Precision?) { self = precision == .day ? .day : .usual }

  func format(of kind: ColumnKind) -> String {
    switch self {
    case .usual: kind.recordFormat
    case .scaled(let scale): "d:\(RecordForm.digitCount),\(scale)"
    case .day: "tdD"
    }
  }
}

extension ColumnKind {
  /// The Arrow format of the values in records. Texts have offsets of 64 bits, because all arrays of a stream have one format.
  var recordFormat: String {
    switch self {
    case .boolean: "b"
    case .int16: "s"
    case .int32: "i"
    case .int64: "l"
    case .float: "f"
    case .double: "g"
    case .date: "tsu:UTC"
    case .decimal, .string, .uri: "U"
    case .binary: "Z"
    case .uuid: "w:16"
    case .reference: "L"
    }
  }

  /// The name that distinguishes types with the same format, for programs that know it.
  var recordExtension: String? {
    switch self {
    case .decimal: "quire.decimal"
    case .uri: "quire.uri"
    case .uuid: "arrow.uuid"
    case .reference: "quire.reference"
    default: nil
    }
  }
}

/// The objects of a to-many relationship, for record after record.
package struct RecordLists: Sendable {
  private(set) var keys: [UInt64] = []
  /// The end of each record's list, after the start of the first.
  private(set) var ends: [Int] = [0]

  /// Adds the list of the next record.
  mutating func append(_ others: [ObjectKey]) {
    for key in others { keys.append(key.rawValue) }
    ends.append(keys.count)
  }
}

/// A value that an Arrow array of records can't contain.
package struct RecordError: Error, CustomStringConvertible {
  package let description: String
}
