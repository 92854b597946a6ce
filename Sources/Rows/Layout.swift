public import ObjectModel

/// The columns an entity's rows have in a store, each with a number that never changes.
///
/// Derived from an entity of a model; see ``Schema``. Blocks name their columns by these numbers,
/// so a property may be renamed, added or dropped without touching a block that is already written
/// (spec §3.6).
public struct Layout: Sendable, Hashable {
  /// The entity's name.
  public let entity: String
  /// The number the store knows the entity by, from 1.
  public let entityNumber: UInt16
  /// The columns, in the order of their properties' names.
  public let columns: [LayoutColumn]
  private let names: KnownPositions<String>
  private let numbers: KnownPositions<UInt16>

  /// The layout of the given entity with the given columns.
  ///
  /// - Precondition: No two columns share a name or a number.
  public init(entity: String, entityNumber: UInt16, columns: [LayoutColumn]) {
    guard let layout = Layout(checking: entity, entityNumber: entityNumber, columns: columns) else {
      preconditionFailure("No two columns of a layout share a name or a number.")
    }
    self = layout
  }

  /// A layout of columns that somebody kept; `nil` when two share a name or a number.
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

  /// The position of the column of the given name.
  ///
  /// Costs a hash of the name or some comparisons: look it up once and keep the position.
  public func index(of name: String) -> Int? {
    names.position(of: name, among: columns.count) { columns[$0].name }
  }

  /// The position of the column with the given number.
  public func index(ofNumber number: UInt16) -> Int? {
    numbers.position(of: number, among: columns.count) { columns[$0].number }
  }
}

/// One column of a layout: a stored property, or a part of one.
public struct LayoutColumn: Sendable, Hashable {
  /// The number blocks know the column by, unique in the entity's family and never used again.
  public let number: UInt16
  /// The property's name. A part of a composite attribute is `address.street`, and the place of an
  /// object in an ordered relationship is the name of the relationship back and `#order`.
  public let name: String
  /// What the column holds.
  public let kind: ColumnKind
  /// Whether a row may have no value here.
  public let isOptional: Bool
  /// The value of a row that was written before the column existed.
  public let defaultValue: Value

  /// A column with the given number, name and kind.
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
  /// Numbers of columns that every block may have and no property does (spec §3.3.3).
  public enum Number {
    /// The row's key: the object's number within its entity.
    public static let key: UInt16 = 0xFFFF
    /// The row's version: the commit that wrote it, or 0 while nothing has.
    public static let version: UInt16 = 0xFFFE
    /// The version of the row beneath, which a change is based on; 0 where nothing lies beneath.
    public static let basis: UInt16 = 0xFFFD
    /// The object that an entry of an index is of.
    public static let object: UInt16 = 0xFFFC
    /// The highest number a property may have.
    public static let highestProperty: UInt16 = 0xEFFF
  }
}

extension LayoutColumn {
  /// The basis of a row that replaces one which no commit has written yet (spec §3.5.2).
  public static let unsavedBasis: Int64 = -1
}
