/// Where a store keeps the links of a relationship whose objects lead to many on both sides, or that
/// has no way back (spec §3.2.4).
///
/// A link is a row: of the object it leads from and the one it leads to, and where these have an
/// order, of its places in it. So links are put, removed, merged and kept as history like any other
/// rows.
public struct LinkTable: Sendable, Hashable {
  /// The columns of the links, under a number of their own.
  public let layout: Layout
  /// The relationship that leads from ``Column/source`` to ``Column/target``.
  public let forward: End
  /// The relationship that leads back; `nil` when there is none. Where a relationship is its own
  /// inverse, both are the same and each link counts in both directions.
  public let backward: End?

  /// One of the relationships whose links a table has.
  public struct End: Sendable, Hashable {
    /// The numbers of all entities that have the relationship: the one that declares it and those
    /// that inherit it, ascending.
    public let entities: [UInt16]
    /// The relationship's number in their family.
    public let relationship: UInt16

    /// The relationship with the given number of the given entities.
    public init(entities: [UInt16], relationship: UInt16) {
      self.entities = entities.sorted()
      self.relationship = relationship
    }
  }

  /// The numbers of a link's columns.
  public enum Column {
    /// The object that the link leads from.
    public static let source: UInt16 = 1
    /// The object that the link leads to.
    public static let target: UInt16 = 2
    /// The target's place among those of the source, where they have an order.
    public static let targetOrder: UInt16 = 3
    /// The source's place among those of the target, where they have an order.
    public static let sourceOrder: UInt16 = 4
  }

  /// A table of the given number.
  ///
  /// - Parameters:
  ///   - name: What messages call the links.
  ///   - isTargetOrdered: Whether the targets of a source have an order.
  ///   - isSourceOrdered: Whether the sources of a target have one.
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

  /// The table seen from one of its relationships.
  public struct Side: Sendable, Hashable {
    /// The table.
    public let table: LinkTable
    /// Whether the relationship leads from source to target.
    public let isForward: Bool

    /// A table, seen from one of its ends.
    public init(table: LinkTable, isForward: Bool) {
      (self.table, self.isForward) = (table, isForward)
    }

    /// The table seen from the other end.
    public var turned: Side { Side(table: table, isForward: !isForward) }

    /// The column of the object that has the relationship.
    public var owner: LayoutColumn { table.column(isForward ? Column.source : Column.target)! }
    /// The column of the object that it leads to.
    public var destination: LayoutColumn {
      table.column(isForward ? Column.target : Column.source)!
    }
    /// The column of that object's place; `nil` when the relationship has no order.
    public var order: LayoutColumn? {
      table.column(isForward ? Column.targetOrder : Column.sourceOrder)
    }
  }

  private func column(_ number: UInt16) -> LayoutColumn? {
    layout.index(ofNumber: number).map { layout.columns[$0] }
  }
}

extension Schema {
  /// Where the links of a relationship are; `nil` when it follows from a column, or is none.
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
