import ObjectModel
import ObjectQuery
import Rows

/// A property of an entity as objects know it: what the model says, and where its values are.
///
/// A class, so that handing one over copies nothing.
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
  final class ToOne: Sendable {
    let relationship: Relationship
    let column: Int
    /// The column of the object's place among those that lead to the same one.
    let order: Int?
    /// The relationship back.
    let inverse: Relationship?
    /// Whether setting the reference is all there is to do.
    let isPlain: Bool
    /// Whether deleting the object it leads away from concerns the one it leads to.
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
    /// How the objects at the other end are found.
    let way: RelationshipWay
    /// Where its links are; `nil` when it follows from the reference that leads back.
    let links: LinkTable.Side?
    /// The relationship back.
    let inverse: Relationship?
    /// Whether a link may lead to a deleted object, because the link denies the deletion.
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

  /// Whether it is an attribute with one value.
  var isAttribute: Bool {
    switch place {
    case .attribute, .transient: true
    default: false
    }
  }

  /// The relationship back, of one that is stored.
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

/// What finding a property by its number gives: just what reading and writing it needs.
struct PropertyCode {
  /// The number made of the name.
  var hash: UInt64
  /// The position among the entity's properties.
  var property: Int32
  /// The column's position in the layout; -1 when there is none.
  var column: Int32
  var form: Form
  /// The kind of values in the column, by which an accessor checks its own.
  var content: Content

  enum Form: UInt8 {
    case none
    /// A value that may be set.
    case attribute
    /// A value that follows from others.
    case derived
    /// A reference, and nothing that must agree with it.
    case plainToOne
    case toOne
    /// Anything that has no column.
    case other
  }

  /// What the column of an attribute holds. Of this module, because comparing it must be a single step.
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
    /// Nothing that is read or written in place.
    case other
  }

  static let none = PropertyCode(hash: 0, property: -1, column: -1, form: .none, content: .other)
}

extension PropertyCode {
  /// Whether there is a column of whole numbers or booleans.
  @inline(__always)
  var isWhole: Bool {
    switch content {
    case .int16, .int32, .int64, .boolean: true
    default: false
    }
  }

  /// Whether there is a column of floating-point numbers or dates.
  @inline(__always)
  var isReal: Bool {
    switch content {
    case .float, .double, .date: true
    default: false
    }
  }

  /// Whether there is a column of text.
  @inline(__always)
  var isText: Bool { content == .string || content == .uri }

  /// Whether a whole number may be set.
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
  /// What the column of an attribute holds that is of a kind.
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
