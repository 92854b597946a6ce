/// One violation of a rule.
public struct Finding: Sendable, Hashable {
  public let rule: Rule
  /// The place of the violation.
  public let place: Place
  /// The found and the expected state, in a sentence or two.
  public let message: String

  public init(rule: Rule, place: Place, message: String) {
    self.rule = rule
    self.place = place
    self.message = message
  }
}

/// A place in a document. Members that do not apply are `nil`.
public struct Place: Sendable, Hashable {
  /// The file in a document's folder, or a folder in it.
  public var file: String?
  /// The part of the file: `header`, `trailer`, `record`, `metadata`, `model`, `schema`, `page`, `block`. For a
  /// manifest it is the member, such as `stores[0].uuid`.
  public var section: String?
  /// The offset of the part from the start of the file, in bytes.
  public var offset: UInt64?
  /// The number of the newest commit that the part belongs to.
  public var commit: Int64?
  /// The number of a block's column.
  public var column: UInt16?
  /// The position of a row in its block.
  public var row: Int?
  /// The name of an entity.
  public var entity: String?
  /// The number of an object of the entity.
  public var object: UInt64?
  /// The name of a property.
  public var property: String?

  public init(
    _ section: String? = nil, at offset: UInt64? = nil, commit: Int64? = nil,
    column: UInt16? = nil, row: Int? = nil, entity: String? = nil, object: UInt64? = nil,
    property: String? = nil
  ) {
    self.section = section
    self.offset = offset
    self.commit = commit
    self.column = column
    self.row = row
    self.entity = entity
    self.object = object
    self.property = property
  }
}

extension Place: CustomStringConvertible {
  /// The place within its file, in words: `block at 1184, column 5, row 17`, `Trip 3, budget`. Empty for the whole
  /// file.
  public var description: String {
    var parts: [String] = []
    if let section { parts.append(offset.map { "\(section) at \($0)" } ?? section) }
    if let commit { parts.append("commit \(commit)") }
    if let column { parts.append("column \(column)") }
    if let row { parts.append("row \(row)") }
    if let entity { parts.append(object.map { "\(entity) \($0)" } ?? entity) }
    if let property { parts.append(property) }
    return parts.joined(separator: ", ")
  }
}

extension Finding: CustomStringConvertible {
  /// The text of the finding in a report, without the file's name.
  public var description: String { description(inFile: nil) }

  /// Returns the text of the finding in a report: `BLCK-034 notes.store: record at 1832: … (spec §4.4.1)`.
  public func description(inFile file: String?) -> String {
    let file = [file, place.file].compactMap { $0 }.joined(separator: "/")
    let words = [
      file.isEmpty ? nil : file, place.description.isEmpty ? nil : place.description, message,
    ]
    .compactMap { $0 }.joined(separator: ": ")
    return "\(rule.id) \(words) (\(rule.reference))"
  }
}
