// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Data`.
@Entity
nonisolated public final class Data: ManagedObject {
  /// The attribute `amount`: a number of at least `0.0`, required, `0.0` in a new object.
  @Attribute(.range(0.0...)) public var amount: Double = 0.0

  /// The attribute `deleted_`: true or false.
  public var deleted_: Bool?

  /// The attribute `hash`: bytes.
  ///
  /// It has another name here, since Swift or managed objects use `hash` already.
  @Attribute("hash") public var hash_2: Foundation.Data?

  /// The attribute `hash_`: bytes.
  public var hash_: Foundation.Data?

  /// The attribute `isDeleted`: true or false.
  ///
  /// It has another name here, since Swift or managed objects use `isDeleted` already.
  @Attribute("isDeleted") public var isDeleted_: Bool?

  /// The attribute `moment`: a date.
  public var moment: Date?

  /// The relationship `animal`: one object of `Animal` or none.
  public var animal: Animal?
}
