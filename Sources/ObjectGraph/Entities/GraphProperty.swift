import ObjectModel
import ObjectQuery
import Rows

/// A property of an entity as objects know it: what the model says, and where its values are.
struct GraphProperty: Sendable {
  let name: String
  let property: Property
  let place: Place

  enum Place: Sendable {
    /// A value in a column.
    case attribute(Attribute, column: Int)
    /// Several values in columns of their own, under the names of the parts.
    case composite(Attribute, parts: [String])
    /// A value in memory only.
    case transient(Attribute)
    /// A reference in a column.
    case toOne(ToOne)
    /// What other rows or links say.
    case toMany(ToMany)
    /// A relationship in memory only.
    case transientRelationship(Relationship)
    /// What a request finds.
    case fetched(FetchedProperty)
  }

  /// A relationship to one object.
  struct ToOne: Sendable {
    let relationship: Relationship
    let column: Int
    /// The column of the object's place among those that lead to the same one.
    let order: Int?
    /// The relationship back.
    let inverse: Relationship?
  }

  /// A relationship to any number of objects.
  struct ToMany: Sendable {
    let relationship: Relationship
    let query: ToManyRelationship
    /// Where its links are; `nil` when it follows from the reference that leads back.
    let links: LinkTable.Side?
    /// The relationship back.
    let inverse: Relationship?
  }

  var relationship: Relationship? {
    if case .relationship(let relationship) = property { relationship } else { nil }
  }
}

/// What finding a property by its number gives: just what reading and writing it needs.
struct PropertyCode {
  /// The number made of the name.
  var hash: UInt64
  /// The position among the entity's properties.
  var property: Int32
  /// The column's position in the layout; -1 when there is none.
  var column: Int32
  var form: Form
  /// What the column holds.
  var kind: ColumnKind

  enum Form: UInt8 {
    case none
    /// A value that may be set.
    case attribute
    /// A value that follows from others.
    case derived
    case toOne
    /// Anything that has no column.
    case other
  }

  static let none = PropertyCode(hash: 0, property: -1, column: -1, form: .none, kind: .int64)
}
