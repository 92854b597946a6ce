import ObjectModel
import ObjectQuery
import Rows

/// A property of an entity, for its objects: the model's description and the place of the values.
///
/// A class, so that passing it copies nothing.
final class GraphProperty: Sendable {
  let name: String
  let property: Property
  let place: Place

  init(name: String, property: Property, place: Place) {
    self.name = name
    self.property = property
    self.place = place
  }

  enum Place: Sendable {
    /// A value in a column.
    case attribute(Attribute, column: Int)
    /// Several values in columns of their own, named after the parts.
    case composite(Attribute, parts: [String])
    /// A value in memory only.
    case transient(Attribute)
    /// A reference in a column.
    case toOne(ToOne)
    /// Links, or references of other rows.
    case toMany(ToMany)
    /// A relationship in memory only.
    case transientRelationship(Relationship, inverse: Relationship?)
    /// The results of a fetch request.
    case fetched(FetchedProperty)
  }

  /// A relationship to one object.
  final class ToOne: Sendable {
    let relationship: Relationship
    let column: Int
    /// The column of the object's position in the ordered inverse relationship.
    let order: Int?
    let inverse: Relationship?
    /// Whether setting the reference requires no other write.
    let isPlain: Bool
    /// Whether deleting the object with the reference affects the object that the reference refers to.
    var mattersToDeletion: Bool {
      relationship.deleteRule == .cascade || relationship.deleteRule == .deny
        || inverse.map { !$0.isToMany } ?? false
    }

    init(relationship: Relationship, column: Int, order: Int?, inverse: Relationship?) {
      isPlain = order == nil && inverse?.isToMany ?? true
      self.relationship = relationship
      self.column = column
      self.order = order
      self.inverse = inverse
    }
  }

  /// A relationship to any number of objects.
  final class ToMany: Sendable {
    let relationship: Relationship
    let query: ToManyRelationship
    /// The way to find the objects at the other end.
    let way: RelationshipWay
    /// The side of the link table with the links; `nil` if the references of the inverse store the relationship.
    let links: LinkTable.Side?
    let inverse: Relationship?
    /// Whether a link may lead to an object that is to be deleted. That is possible if the inverse has the delete rule
    /// *deny*.
    var mayLeadToDeleted: Bool { links != nil && inverse?.deleteRule == .deny }

    init(
      relationship: Relationship, query: ToManyRelationship, way: RelationshipWay,
      links: LinkTable.Side?, inverse: Relationship?
    ) {
      self.way = way
      self.relationship = relationship
      self.query = query
      self.links = links
      self.inverse = inverse
    }
  }

  /// Whether the property is an attribute with one value.
  var isAttribute: Bool {
    switch place {
    case .attribute, .transient: true
    default: false
    }
  }

  /// The inverse of a stored relationship.
  var inverse: Relationship? {
    switch place {
    case .toOne(let toOne): toOne.inverse
    case .toMany(let toMany): toMany.inverse
    default: nil
    }
  }

  var relationship: Relationship? {
    if case .relationship(let relationship) = property { relationship } else { nil }
  }
}

/// The part of a property that reading and writing need, found by the hash of the property's name.
struct PropertyCode {
  /// The hash of the name.
  var hash: UInt64
  /// The position among the entity's properties.
  var property: Int32
  /// The column's position in the layout; -1 if there is no column.
  var column: Int32
  var form: Form
  /// The kind of values in the column. An accessor compares its own kind with this.
  var content: Content

  enum Form: UInt8 {
    case none
    /// A stored attribute that a program may set.
    case attribute
    case derived
    /// A reference that can be set without any other write.
    case plainToOne
    case toOne
    /// A property without a column.
    case other
  }

  /// The kind of values in an attribute's column. An enum of this module, so that one comparison is a single
  /// instruction.
  enum Content: UInt8 {
    case int16
    case int32
    case int64
    case boolean
    case float
    case double
    case date
    case string
    case uri
    /// A kind that is not read or written in place.
    case other
  }

  static let none = PropertyCode(hash: 0, property: -1, column: -1, form: .none, content: .other)
}

extension PropertyCode {
  /// Whether the column has integers or Booleans.
  @inline(__always)
  var isWhole: Bool {
    switch content {
    case .int16, .int32, .int64, .boolean: true
    default: false
    }
  }

  /// Whether the column has floating-point numbers or dates.
  @inline(__always)
  var isReal: Bool {
    switch content {
    case .float, .double, .date: true
    default: false
    }
  }

  /// Whether the column has texts.
  @inline(__always)
  var isText: Bool { content == .string || content == .uri }

  /// Returns whether the column can store an integer.
  @inline(__always)
  func takes(_ number: Int64) -> Bool {
    switch content {
    case .int16: number == Int64(Int16(truncatingIfNeeded: number))
    case .int32: number == Int64(Int32(truncatingIfNeeded: number))
    case .int64: true
    default: false
    }
  }
}

extension PropertyCode.Content {
  /// Makes the content of a kind of columns.
  init(_ kind: ColumnKind) {
    self =
      switch kind {
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .boolean: .boolean
      case .float: .float
      case .double: .double
      case .date: .date
      case .string: .string
      case .uri: .uri
      case .decimal, .binary, .uuid, .reference: .other
      }
  }
}
