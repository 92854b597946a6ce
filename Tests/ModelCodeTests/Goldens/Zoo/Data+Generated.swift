// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Foundation
public import Quire

/// An object of the entity `Data`.
nonisolated public final class Data: ManagedObject {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `amount`
    public static let amount = AttributeName<Double>("amount")
    /// `deleted_`
    public static let deleted_ = AttributeName<Bool?>("deleted_")
    /// `hash`
    public static let hash = AttributeName<Foundation.Data?>("hash")
    /// `hash_`
    public static let hash_ = AttributeName<Foundation.Data?>("hash_")
    /// `isDeleted`
    public static let isDeleted = AttributeName<Bool?>("isDeleted")
    /// `moment`
    public static let moment = AttributeName<Date?>("moment")
    /// `animal`
    public static let animal = ToOneName<Animal>("animal")
  }

  /// The entity's name in the model.
  public override class var entityName: String { "Data" }

  /// The attribute `amount`: a number of at least `0.0`, required, `0.0` in a new object.
  public var amount: Double {
    get { self[Keys.amount] }
    set { self[Keys.amount] = newValue }
  }

  /// The attribute `deleted_`: yes or no.
  public var deleted_: Bool? {
    get { self[Keys.deleted_] }
    set { self[Keys.deleted_] = newValue }
  }

  /// The attribute `hash`: bytes.
  ///
  /// It has another name here, since Swift or managed objects use `hash` already.
  public var hash_2: Foundation.Data? {
    get { self[Keys.hash] }
    set { self[Keys.hash] = newValue }
  }

  /// The attribute `hash_`: bytes.
  public var hash_: Foundation.Data? {
    get { self[Keys.hash_] }
    set { self[Keys.hash_] = newValue }
  }

  /// The attribute `isDeleted`: yes or no.
  ///
  /// It has another name here, since Swift or managed objects use `isDeleted` already.
  public var isDeleted_: Bool? {
    get { self[Keys.isDeleted] }
    set { self[Keys.isDeleted] = newValue }
  }

  /// The attribute `moment`: a moment.
  public var moment: Date? {
    get { self[Keys.moment] }
    set { self[Keys.moment] = newValue }
  }

  /// The relationship `animal`: one object of `Animal` or none.
  public var animal: Animal? {
    get { self[Keys.animal] }
    set { self[Keys.animal] = newValue }
  }
}
