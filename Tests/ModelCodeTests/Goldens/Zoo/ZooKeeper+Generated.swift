// swift-format-ignore-file
// Made from the model "Zoo", by Quire. Do not edit: change the model and make it anew.

public import Quire

/// An object of the entity `Keeper`.
///
/// The class is written by hand. Its `entityName` must be "Keeper".
extension ZooKeeper {
  /// The names of the properties, each with its type.
  nonisolated public enum Keys {
    /// `phone`
    public static let phone = AttributeName<String?>("phone")
    /// `enclosures`
    public static let enclosures = ToManyName<Enclosure>("enclosures")
    /// `visitors`
    public static let visitors = ToManyName<Visitor>("visitors")
  }

  /// The attribute `phone`: text.
  public var phone: String? {
    get { self[Keys.phone] }
    set { self[Keys.phone] = newValue }
  }

  /// The relationship `enclosures`: any number of objects of `Enclosure`.
  public var enclosures: RelatedObjects<Enclosure> {
    get { self[Keys.enclosures] }
    set { self[Keys.enclosures] = newValue }
  }

  /// Adds an object to `enclosures`.
  public func addToEnclosures(_ object: Enclosure) {
    add(object, to: Keys.enclosures)
  }

  /// Adds each of the objects to `enclosures`.
  public func addToEnclosures(_ objects: some Sequence<Enclosure>) {
    for object in objects { add(object, to: Keys.enclosures) }
  }

  /// Takes an object away from `enclosures`.
  public func removeFromEnclosures(_ object: Enclosure) {
    remove(object, from: Keys.enclosures)
  }

  /// Takes each of the objects away from `enclosures`.
  public func removeFromEnclosures(_ objects: some Sequence<Enclosure>) {
    for object in objects { remove(object, from: Keys.enclosures) }
  }

  /// The relationship `visitors`: any number of objects of `Visitor`.
  public var visitors: RelatedObjects<Visitor> {
    get { self[Keys.visitors] }
    set { self[Keys.visitors] = newValue }
  }

  /// Adds an object to `visitors`.
  public func addToVisitors(_ object: Visitor) {
    add(object, to: Keys.visitors)
  }

  /// Adds each of the objects to `visitors`.
  public func addToVisitors(_ objects: some Sequence<Visitor>) {
    for object in objects { add(object, to: Keys.visitors) }
  }

  /// Takes an object away from `visitors`.
  public func removeFromVisitors(_ object: Visitor) {
    remove(object, from: Keys.visitors)
  }

  /// Takes each of the objects away from `visitors`.
  public func removeFromVisitors(_ objects: some Sequence<Visitor>) {
    for object in objects { remove(object, from: Keys.visitors) }
  }
}
