/// The difference between two lists of a to-many relationship.
public struct MemberChange: Sendable {
  /// The members of the new side that do not match a member of the old side.
  public let added: [ComparedObject]
  /// The members of the old side that do not match a member of the new side.
  public let removed: [ComparedObject]
  /// Whether the members of both sides are in another order. False for a relationship without an order.
  public let isReordered: Bool
  /// All members of the new side, in their order; `nil` for a relationship without an order.
  public let order: [ComparedObject]?
}
