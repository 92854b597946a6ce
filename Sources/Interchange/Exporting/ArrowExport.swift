import ObjectModel
import Rows

/// Writes the objects of one entity as a table in Arrow's file format.
///
/// The columns come from the blocks of the store as they are, a few tens of thousands of rows at a time.
struct ArrowExport {
  private let layout: Layout
  private let fields: [RecordField]
  private let form: ArrowFileWriter.Form
  private var lists: [RelatedLists]
  private var records: FoundRecords
  private var byteCount = 0
  private var lastBlock = -1

  private static let rowCount = 65_536
  private static let mostBytes = 64 << 20

  /// - Parameter lists: The members of the to-many relationships, in the order of the properties.
  init(
    _ layout: Layout, _ properties: [ExportedProperty], _ lists: [RelatedLists],
    as form: ArrowFileWriter.Form, in view: View
  ) throws {
    self.layout = layout
    self.form = form
    self.lists = lists
    records = FoundRecords(listCount: lists.count)
    var fields: [RecordField] = [.identifier(FieldName.identifier)]
    for property in properties { try ArrowExport.add(property, layout, view, to: &fields) }
    self.fields = fields
  }

  private static func add(
    _ property: ExportedProperty, _ layout: Layout, _ view: View, to fields: inout [RecordField]
  ) throws {
    switch property {
    case .attribute(_, let index, _, let precision):
      let column = layout.columns[index]
      // A column of Arrow has one number of digits, so all decimal numbers are read once before the first is written. The
      // model's number of places is the least, because stored numbers may have more.
      var form = RecordForm(precision)
      if column.kind == .decimal {
        var found = try DecimalScale(of: column, layout, in: view)
        if case .places(let places) = precision { found.require(places: places) }
        if let digits = found.digits { form = .scaled(digits) }
      }
      fields.append(.property(column, as: form))
    case .toOne(_, let index):
      fields.append(.property(layout.columns[index]))
    case .composite(_, let parts):
      for part in parts { try add(part, layout, view, to: &fields) }
    case .toMany(let name, let list): fields.append(.list(name, list))
    }
  }

  /// Writes the table.
  ///
  /// - Parameter progress: Called repeatedly with the number of objects that are written.
  /// - Returns: The number of objects.
  mutating func write(
    _ view: View, progress: (Int) throws -> Void, to sink: ([UInt8]) throws -> Void
  ) throws -> Int {
    var writer = try FoundRecords.writer(fields, as: form, to: sink)
    var count = 0
    var walk = try RowWalk(view, layout)
    while let place = try walk.next() {
      if place.number != lastBlock {
        byteCount += place.block.byteCount
        lastBlock = place.number
      }
      let members = lists.indices.map { lists[$0].others(of: place.key) }
      records.append(
        place.block, entity: layout.entityNumber, row: place.row, lists: members)
      count += 1
      if records.count == ArrowExport.rowCount || byteCount > ArrowExport.mostBytes {
        try flush(to: &writer, sink)
        try progress(count)
      }
    }
    try flush(to: &writer, sink)
    try writer.end(to: sink)
    return count
  }

  private mutating func flush(
    to writer: inout ArrowFileWriter, _ sink: ([UInt8]) throws -> Void
  ) throws {
    guard records.count > 0 else { return }
    try records.write(0..<records.count, fields, to: &writer, sink)
    records = FoundRecords(listCount: lists.count)
    (byteCount, lastBlock) = (0, -1)
  }
}
