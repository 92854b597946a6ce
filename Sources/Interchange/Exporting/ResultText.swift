import Foundation
package import ObjectModel

/// Writes the results of a fetch as text, with the columns that the caller chooses. Values are written as
/// ``ObjectExport`` writes them.
///
/// ``ObjectImport`` can read the JSON lines if each column is a property.
package struct ResultText {
  /// A format of results.
  package enum Form: Sendable {
    /// One array of objects, indented.
    case json
    /// An object on each line.
    case jsonl
    case csv
  }

  /// A column of the results.
  package struct Column: Sendable {
    /// The name. For a part of a composite attribute, the name is a path.
    package let name: String
    /// Whether the column is a part of a composite attribute. In JSON the attribute is an object with these parts as
    /// members.
    let isPart: Bool
    /// Whether JSON contains a null value. An import sets the default value if the member is missing.
    let writesNull: Bool
    /// The precision of the attribute whose values the column contains.
    let precision: Attribute.Precision?

    /// Creates a column of the given name.
    package init(
      _ name: String, isPart: Bool = false, writesNull: Bool = false,
      precision: Attribute.Precision? = nil
    ) {
      self.name = name
      self.isPart = isPart
      self.writesNull = writesNull
      self.precision = precision
    }
  }

  /// The content of one cell.
  package enum Cell: Sendable {
    /// A value, which may be null.
    case value(Value)
    /// The objects that a relationship refers to.
    case list([ObjectKey])
    /// A value of each object that a relationship refers to.
    case values([Value])
  }

  /// The columns of the objects of one entity.
  package struct Columns: Sendable {
    fileprivate let entity: String
    fileprivate let columns: [Column]
    fileprivate let nodes: [Node]

    /// Creates the columns of the objects of an entity.
    package init(of entity: String, _ columns: [Column]) {
      self.entity = entity
      self.columns = columns
      nodes = Node.tree(columns)
    }
  }

  /// A member of a JSON object.
  fileprivate indirect enum Node: Sendable {
    case cell(name: String, Int)
    case members(name: String, [Node])

    static func tree(_ columns: [Column]) -> [Node] {
      var nodes: [Node] = []
      for (index, column) in columns.enumerated() {
        let path =
          column.isPart ? column.name.split(separator: ".").map(String.init) : [column.name]
        insert(path[...], index, into: &nodes)
      }
      return nodes
    }

    private static func insert(_ path: ArraySlice<String>, _ index: Int, into nodes: inout [Node]) {
      guard let name = path.first else { return }
      if path.count == 1 { return nodes.append(.cell(name: name, index)) }
      var members: [Node] = []
      let known = nodes.firstIndex { node in
        if case .members(name, let found) = node {
          members = found
          return true
        }
        return false
      }
      insert(path.dropFirst(), index, into: &members)
      let node = Node.members(name: name, members)
      if let known { nodes[known] = node } else { nodes.append(node) }
    }
  }

  private let form: Form
  private let writesNumbers: Bool
  private let texts: ValueText
  private var output = OutputBytes()
  private var rowCount = 0

  /// Creates an empty text in the given format.
  ///
  /// - Parameter writesNumbers: Whether decimal numbers are numbers in JSON. Most programs read numbers of JSON as
  ///   floating-point numbers, which have fewer digits.
  package init(_ form: Form, writesNumbers: Bool = false, as texts: ValueText = .exchange) {
    self.form = form
    self.writesNumbers = writesNumbers
    self.texts = texts
  }

  /// Removes and returns the bytes that have been written. They end with a line break.
  package mutating func take() -> [UInt8] { output.take() }

  /// Writes the text that precedes the first object.
  ///
  /// - Parameters:
  ///   - namesEntities: Whether each line of comma-separated values contains the entity of its object.
  ///   - namesObjects: Whether each line of comma-separated values begins with the identifier of its object.
  package mutating func begin(
    _ columns: Columns, namesEntities: Bool, namesObjects: Bool = true
  ) {
    self.namesEntities = namesEntities
    self.namesObjects = namesObjects
    switch form {
    case .json: output.append("[")
    case .jsonl: break
    case .csv:
      let own = [
        namesObjects ? FieldName.identifier : nil, namesEntities ? FieldName.entity : nil,
      ].compactMap(\.self)
      output.append(own.joined(separator: ","))
      for (index, column) in columns.columns.enumerated() {
        if !own.isEmpty || index > 0 { output.append(",") }
        output.append(cell: column.name)
      }
      output.append("\n")
    }
  }

  private var namesEntities = false
  private var namesObjects = true

  /// Writes an object, with a cell for each of its columns; or a row of values if `key` is `nil`.
  package mutating func append(_ key: ObjectKey?, _ cells: [Cell], _ columns: Columns) {
    switch form {
    case .json:
      output.append(rowCount == 0 ? "\n  {" : ",\n  {")
      writeObject(key, cells, columns, indent: "\n    ")
      output.append("\n  }")
    case .jsonl:
      output.append("{")
      writeObject(key, cells, columns, indent: nil)
      output.append("}\n")
    case .csv:
      if let key, namesObjects { output.append(ValueText.text(key)) }
      if namesEntities { output.append((namesObjects ? "," : "") + columns.entity) }
      let isFirst = !namesEntities && (key == nil || !namesObjects)
      for (index, cell) in cells.enumerated() {
        if !isFirst || index > 0 { output.append(",") }
        let precision = columns.columns[index].precision
        switch cell {
        case .value(.null): break
        case .value(let value): output.append(cell: texts.text(value, precision))
        case .list(let keys):
          output.append(keys.map { ValueText.text($0) }.joined(separator: " "))
        case .values(let values) where values.isEmpty: break
        case .values(let values):
          output.append(
            cell: values.map { texts.text($0, precision) }.joined(separator: "; "))
        }
      }
      output.append("\n")
    }
    rowCount += 1
  }

  /// Writes the text that follows the last object.
  package mutating func finish() {
    if form == .json { output.append(rowCount == 0 ? "]\n" : "\n]\n") }
  }

  // MARK: - JSON

  private mutating func writeObject(
    _ key: ObjectKey?, _ cells: [Cell], _ columns: Columns, indent: String?
  ) {
    let colon = indent == nil ? ":" : ": "
    if let key {
      output.append("\(indent ?? "")\"\(FieldName.entity)\"\(colon)")
      output.append(quoted: columns.entity)
      output.append(",\(indent ?? "")\"\(FieldName.identifier)\"\(colon)\"")
      output.append(ValueText.text(key))
      output.append("\"")
    }
    var isFirst = key == nil
    for node in columns.nodes
    where write(node, cells, columns.columns, isFirst: isFirst, indent: indent) {
      isFirst = false
    }
  }

  /// Writes a member, unless it has no value.
  ///
  /// - Returns: Whether a member was written.
  private mutating func write(
    _ node: Node, _ cells: [Cell], _ columns: [Column], isFirst: Bool, indent: String?
  ) -> Bool {
    switch node {
    case .cell(let name, let index):
      let precision = columns[index].precision
      switch cells[index] {
      case .value(let value):
        if value.isNull, !columns[index].writesNull { return false }
        begin(name, isFirst: isFirst, indent)
        write(value, precision)
      case .list(let keys):
        if keys.isEmpty { return false }
        begin(name, isFirst: isFirst, indent)
        writeArray(keys.map { .object($0) }, nil, indent)
      case .values(let values):
        begin(name, isFirst: isFirst, indent)
        writeArray(values, precision, indent)
      }
      return true
    case .members(let name, let members):
      let before = output.bytes.count
      begin(name, isFirst: isFirst, indent)
      output.append("{")
      var isEmpty = true
      for member in members {
        if write(member, cells, columns, isFirst: isEmpty, indent: indent.map { $0 + "  " }) {
          isEmpty = false
        }
      }
      // A composite attribute without any value is left out.
      if isEmpty {
        output.cut(to: before)
        return false
      }
      output.append((indent ?? "") + "}")
      return true
    }
  }

  private mutating func writeArray(
    _ values: [Value], _ precision: Attribute.Precision?, _ indent: String?
  ) {
    let inner = indent.map { $0 + "  " } ?? ""
    output.append("[")
    for (place, value) in values.enumerated() {
      output.append((place == 0 ? "" : ",") + inner)
      write(value, precision)
    }
    output.append((values.isEmpty ? "" : indent ?? "") + "]")
  }

  private mutating func write(_ value: Value, _ precision: Attribute.Precision?) {
    if writesNumbers, case .decimal(let number) = value, number.isFinite {
      output.append(texts.text(value, precision))
    } else {
      output.append(json: value, precision, as: texts)
    }
  }

  private mutating func begin(_ name: String, isFirst: Bool, _ indent: String?) {
    output.append((isFirst ? "" : ",") + (indent ?? ""))
    output.append(quoted: name)
    output.append(indent == nil ? ":" : ": ")
  }
}
