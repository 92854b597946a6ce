public import ObjectModel

/// The columns of an entity's rows in a store, each with a number that never changes.
///
/// A layout is derived from an entity of a model; see ``Schema``. Blocks identify their columns by these numbers.
/// So a property can be renamed, added or dropped without rewriting existing blocks (spec §3.6).
public struct Layout: Sendable, Hashable {
  public let entity: String
  /// The entity's number in the store, from 1.
  public let entityNumber: UInt16
  /// The columns, in the order of their properties' names.
  public let columns: [LayoutColumn]
  private let names: KnownPositions<String>
  private let numbers: KnownPositions<UInt16>

  /// Creates the layout of the given entity with the given columns.
  ///
  /// - Precondition: No two columns share a name or a number.
  public init(entity: String, entityNumber: UInt16, columns: [LayoutColumn]) {
    guard let layout = Layout(checking: entity, entityNumber: entityNumber, columns: columns) else {
      preconditionFailure("Two columns of the layout share a name or a number.")
    }
    self = layout
  }

  /// Creates a layout of stored columns; `nil` when two columns share a name or a number.
  public init?(checking entity: String, entityNumber: UInt16, columns: [LayoutColumn]) {
    guard let names = KnownPositions(columns.count, { columns[$0].name }),
      let numbers = KnownPositions(columns.count, { columns[$0].number })
    else { return nil }
    self.entity = entity
    self.entityNumber = entityNumber
    self.columns = columns
    self.names = names
    self.numbers = numbers
  }

  /// Returns the position of the column with the given name.
  ///
  /// Takes a hash of the name or some comparisons: look the position up once and keep it.
  public func index(of name: String) -> Int? {
    names.position(of: name, among: columns.count) { columns[$0].name }
  }

  /// Returns the position of the column with the given number.
  public func index(ofNumber number: UInt16) -> Int? {
    numbers.position(of: number, among: columns.count) { columns[$0].number }
  }
}

/// One column of a layout: a stored property, or a part of a property.
public struct LayoutColumn: Sendable, Hashable {
  /// The column's number in blocks. It is unique in the entity's family and never used again.
  public let number: UInt16
  /// The property's name. A part of a composite attribute is `address.street`. The place of an object in an ordered
  /// relationship is the name of the inverse relationship and `#order`.
  public let name: String
  /// The kind of the column's values.
  public let kind: ColumnKind
  /// Whether a row may lack a value in the column.
  public let isOptional: Bool
  /// The value of a row that was written before the column existed.
  public let defaultValue: Value

  /// Creates a column with the given number, name and kind.
  public init(
    number: UInt16, name: String, kind: ColumnKind, isOptional: Bool = true,
    defaultValue: Value = .null
  ) {
    self.number = number
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.defaultValue = defaultValue
  }
}

extension LayoutColumn {
  /// Numbers of columns that every block may have and no property has (spec §3.3.3).
  public enum Number {
    /// The row's key: the object's number within its entity.
    public static let key: UInt16 = 0xFFFF
    /// The row's version: the commit that wrote the row, or 0 for an uncommitted row.
    public static let version: UInt16 = 0xFFFE
    /// The version of the row below, which a change is based on; 0 if nothing lies below.
    public static let basis: UInt16 = 0xFFFD
    /// The object of an index entry.
    public static let object: UInt16 = 0xFFFC
    /// Not a column: the mark of an index of words in a schema (spec §4.6.3).
    static let words: UInt16 = 0xFFFB
    /// The highest number a property may have.
    public static let highestProperty: UInt16 = 0xEFFF
  }
}

extension LayoutColumn {
  /// The basis of a row that replaces an uncommitted row (spec §3.5.2).
  public static let unsavedBasis: Int64 = -1
}
