/// The table of a store for the links of one relationship. The relationship is to-many and its inverse is to-many
/// too or does not exist (spec §3.2.4).
///
/// A link is a row with a source object and a target object. In an ordered relationship the row also has the
/// object's place in the order. So links are put, removed, merged and kept as history like all rows.
public struct LinkTable: Sendable, Hashable {
  /// The columns of the links, under their own number.
  public let layout: Layout
  /// The relationship from ``Column/source`` to ``Column/target``.
  public let forward: End
  /// The inverse relationship; `nil` when there is none. A relationship that is its own inverse is both ends, and
  /// each of its links counts in both directions.
  public let backward: End?

  /// One of the relationships of a table.
  public struct End: Sendable, Hashable {
    /// The numbers of all entities that have the relationship, ascending: the entity that declares it and all
    /// entities that inherit it.
    public let entities: [UInt16]
    /// The relationship's number in the family of the entities.
    public let relationship: UInt16

    /// Creates the end of a relationship with the given number, for the given entities.
    public init(entities: [UInt16], relationship: UInt16) {
      self.entities = entities.sorted()
      self.relationship = relationship
    }
  }

  /// The numbers of a link's columns.
  public enum Column {
    /// The source object of the link.
    public static let source: UInt16 = 1
    /// The target object of the link.
    public static let target: UInt16 = 2
    /// The target's place among the targets of the source, if they are ordered.
    public static let targetOrder: UInt16 = 3
    /// The source's place among the sources of the target, if they are ordered.
    public static let sourceOrder: UInt16 = 4
  }

  /// Creates a table with the given number.
  ///
  /// - Parameters:
  ///   - name: The name of the links in messages.
  ///   - isTargetOrdered: Whether the targets of a source have an order.
  ///   - isSourceOrdered: Whether the sources of a target have an order.
  public init(
    name: String, number: UInt16, forward: End, backward: End?, isTargetOrdered: Bool = false,
    isSourceOrdered: Bool = false
  ) {
    self.forward = forward
    self.backward = backward
    var columns = [
      LayoutColumn(number: Column.source, name: "source", kind: .reference, isOptional: false),
      LayoutColumn(number: Column.target, name: "target", kind: .reference, isOptional: false),
    ]
    if isTargetOrdered {
      columns.append(LayoutColumn(number: Column.targetOrder, name: "target#order", kind: .int64))
    }
    if isSourceOrdered {
      columns.append(LayoutColumn(number: Column.sourceOrder, name: "source#order", kind: .int64))
    }
    layout = Layout(entity: name, entityNumber: number, columns: columns)
  }

  /// Whether each link counts in both directions.
  public var isSymmetric: Bool { forward == backward }

  /// A table as one of its relationships sees it.
  public struct Side: Sendable, Hashable {
    public let table: LinkTable
    /// Whether the relationship leads from source to target.
    public let isForward: Bool

    /// Creates the view of a table from one of its ends.
    public init(table: LinkTable, isForward: Bool) {
      (self.table, self.isForward) = (table, isForward)
    }

    /// The table as the inverse relationship sees it.
    public var turned: Side { Side(table: table, isForward: !isForward) }

    /// The column of the object that has the relationship.
    public var owner: LayoutColumn { table.column(isForward ? Column.source : Column.target)! }
    /// The column of the object that the relationship refers to.
    public var destination: LayoutColumn {
      table.column(isForward ? Column.target : Column.source)!
    }
    /// The column of the destination's place; `nil` when the relationship has no order.
    public var order: LayoutColumn? {
      table.column(isForward ? Column.targetOrder : Column.sourceOrder)
    }
  }

  private func column(_ number: UInt16) -> LayoutColumn? {
    layout.index(ofNumber: number).map { layout.columns[$0] }
  }
}

extension Schema {
  /// Returns the link table of a relationship; `nil` when the relationship follows from a column or does not exist.
  public func links(of entity: String, _ relationship: String) -> LinkTable.Side? {
    guard let layout = self[entity], let number = relationshipNumbers[entity]?[relationship] else {
      return nil
    }
    for table in linkTables {
      for (end, isForward) in [(table.forward, true), (table.backward, false)] {
        if let end, end.relationship == number, end.entities.contains(layout.entityNumber) {
          return LinkTable.Side(table: table, isForward: isForward)
        }
      }
    }
    return nil
  }
}
