public import ObjectModel
public import ObjectQuery

// The subscripts that the accessors of an `@Entity` class call. The compiler chooses one by the type of the property; the
// macro has computed the hash of the name.
extension EntityMapped where Self: ManagedObject {
  /// The value of an attribute.
  @inlinable
  public subscript<V: AttributeValue>(stored name: StaticString, hash: UInt64) -> V {
    get { self[AttributeName<V>(name, hash: hash)] }
    set { self[AttributeName<V>(name, hash: hash)] = newValue }
  }

  /// The object that a relationship leads to, or `nil`.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> D? {
    get { self[ToOneName<D>(name, hash: hash)] }
    set { self[ToOneName<D>(name, hash: hash)] = newValue }
  }

  /// The object that a required relationship leads to.
  ///
  /// - Precondition: The relationship leads to an object. It leads nowhere until it is set, and after the deletion of the
  ///   other object.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> D {
    get {
      guard let object: D = self[ToOneName<D>(name, hash: hash)] else {
        missingObject(name)
      }
      return object
    }
    set { self[ToOneName<D>(name, hash: hash)] = newValue }
  }

  /// The objects that a relationship leads to, as an array.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> [D] {
    get { Array(self[ToManyName<D>(name, hash: hash)]) }
    set { self[ToManyName<D>(name, hash: hash)] = RelatedObjects(newValue) }
  }

  /// The objects that a relationship leads to, each made when it is read.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> RelatedObjects<D> {
    get { self[ToManyName<D>(name, hash: hash)] }
    set { self[ToManyName<D>(name, hash: hash)] = newValue }
  }

  /// No property is of this type.
  @available(
    *, unavailable,
    message:
      "Quire stores no values of this type: conform the type to AttributeValue, or make the property computed or static."
  )
  @_disfavoredOverload
  public subscript<V>(stored name: StaticString, hash: UInt64) -> V {
    get { missingObject(name) }
    set { missingObject(name) }
  }

  @usableFromInline
  func missingObject(_ name: StaticString) -> Never {
    misuse(
      "The relationship \"\(name)\" of \(self) leads nowhere, and its type says that it leads to an object. Declare it optional to read it before it is set."
    )
  }
}
