import Documents
public import ObjectGraph
public import ObjectModel

extension Merge {
  /// The numbers of objects that a merge inserts, changes and deletes.
  public struct Counts: Sendable, Hashable {
    /// The number of new objects.
    public let inserted: Int
    /// The number of changed objects.
    public let changed: Int
    /// The number of deleted objects.
    public let deleted: Int
  }

  /// A value, an order, an object or an attachment that both sides have changed, so that only one of them can win.
  public struct Conflict: CustomStringConvertible {
    /// The kind of a conflict.
    public enum Kind: String, Sendable {
      /// Both sides have set an attribute or a to-one relationship to different values.
      case value
      /// One side has deleted an object that the second side has changed, or refers to in a new place.
      case deletion
      /// Both sides have changed the order of one relationship.
      case order
      /// Both sides have changed the same attachment.
      case attachment
    }

    /// The facts of a conflict.
    package enum Facts {
      case object(StoreMerge.Conflict)
      case attachment(AttachmentMerge.Conflict)
    }
    package let facts: Facts

    init(_ facts: Facts) { self.facts = facts }

    private var dispute: MergeDispute? {
      if case .object(let conflict) = facts { conflict.dispute } else { nil }
    }

    /// The kind of the conflict.
    public var kind: Kind { dispute.flatMap { Kind(rawValue: $0.kind.rawValue) } ?? .attachment }

    /// The name of the store in a document with several stores; `nil` if there is only one.
    public var store: String? {
      if case .object(let conflict) = facts { conflict.store } else { nil }
    }

    /// The entity of the object; `nil` for an attachment.
    public var entity: String? { dispute?.entity }

    /// The identifier of the object in `ours`, or in the second copy for an object that only this copy has; `nil` for an attachment.
    public var object: ObjectKey? {
      guard case .object(let conflict) = facts else { return nil }
      return conflict.originalKeys[conflict.dispute.object] ?? conflict.dispute.object
    }

    /// The name of the property, or of the attachment; `nil` for a deletion.
    public var property: String? {
      switch facts {
      case .object(let conflict): conflict.dispute.property
      case .attachment(let conflict): conflict.name
      }
    }

    /// Returns the value on a side; `nil` unless the conflict is about a value and the side has the object.
    public func value(_ side: MergeSide) -> Value? {
      guard let dispute else { return nil }
      let state =
        switch side {
        case .ours: dispute.ours
        case .theirs: dispute.theirs
        case .base: dispute.base
        }
      if case .value(let value) = state { return value }
      return nil
    }

    private var precision: Attribute.Precision? {
      if case .object(let conflict) = facts { conflict.precision } else { nil }
    }

    /// The conflict in words, such as `value Trip 4/p1 name`.
    public var description: String {
      let parts = [
        kind.rawValue, store, entity, object.map { ValueText.text($0) }, property,
      ]
      let values = [MergeSide.ours, .theirs].compactMap { side in
        value(side).map { "\(side.rawValue) \(ValueText.exchange.text($0, precision))" }
      }
      return parts.compactMap(\.self).joined(separator: " ")
        + (values.isEmpty ? "" : " (\(values.joined(separator: ", ")))")
    }
  }
}
