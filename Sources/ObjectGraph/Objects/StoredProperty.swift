public import ObjectModel
public import ObjectQuery

// The subscripts that the accessors of an `@Entity` class call. The compiler chooses one by the type of the property.
// The macro has computed the hash of the name.
extension EntityMapped where Self: ManagedObject {
  /// The value of an attribute.
  @inlinable
  public subscript<V: AttributeValue>(stored name: StaticString, hash: UInt64) -> V {
    get { read(name, hash) }
    set {
      if !write(newValue, hash) { setStored(newValue.storedValue, hash, name.description) }
    }
  }

  /// The object that a relationship refers to, or `nil`.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> D? {
    get { relatedObject(name, hash) }
    set { relate(to: newValue, name, hash) }
  }

  /// The object that a required relationship refers to.
  ///
  /// - Precondition: The relationship refers to an object. It is empty until it is set, and after the other object is
  ///   deleted.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> D {
    get {
      guard let object: D = relatedObject(name, hash) else { missingObject(name) }
      return object
    }
    set { relate(to: newValue, name, hash) }
  }

  /// Unavailable: each access of an array would make all objects of the relationship.
  @available(
    *, unavailable,
    message:
      "A relationship to many objects is read in place: write RelatedObjects<…> instead of […]."
  )
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> [D] {
    get { missingObject(name) }
    set { missingObject(name) }
  }

  /// The objects that a relationship refers to, each made when it is read.
  @inlinable
  public subscript<D: ManagedObject>(stored name: StaticString, hash: UInt64) -> RelatedObjects<D> {
    get { relatedObjects(name.description, hash) }
    set { relate(to: newValue.objects, name.description, hash) }
  }

  /// The structure of a composite attribute. Setting it changes only the parts that differ.
  public subscript<C: CompositeValue>(stored name: StaticString, hash: UInt64) -> C {
    get { C(composite: CompositeParts(self, name, hash)) }
    set { newValue.write(to: CompositeParts(self, name, hash)) }
  }

  /// Returns the objects that a fetched property finds.
  ///
  /// - Throws: `QueryError` if the request does not fit the model; `StoreError` if a store is damaged.
  public func fetchedObjects<D: ManagedObject>(stored name: StaticString) throws -> [D] {
    try fetchedObjects(forKey: name.description).checked(as: D.self)
  }

  /// Unavailable: a property can't have this type. Only the getter is unavailable, so that a property has one error.
  @_disfavoredOverload
  public subscript<V>(stored name: StaticString, hash: UInt64) -> V {
    @available(
      *, unavailable,
      message:
        "Quire can't store values of this type: conform the type to AttributeValue, as in enum Kind: String, AttributeValue, or to CodableValue. Or make the property computed or static."
    )
    get { missingObject(name) }
    set { missingObject(name) }
  }

  /// The value of an attribute whose type is not known to the macro.
  @inlinable
  public subscript<V: AttributeValue>(attribute name: StaticString, hash: UInt64) -> V {
    read(name, hash)
  }

  /// The structure of a composite attribute with options.
  public subscript<C: CompositeValue>(attribute name: StaticString, hash: UInt64) -> C {
    self[stored: name, hash]
  }

  /// Unavailable: only an attribute has options.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "@Attribute belongs to values: remove it from a relationship, or conform a type of values to AttributeValue or CodableValue."
  )
  public subscript<V>(attribute name: StaticString, hash: UInt64) -> V { missingObject(name) }

  @usableFromInline
  func missingObject(_ name: StaticString) -> Never {
    misuse(
      "The relationship \"\(name)\" of \(self) is not set, but its type is not optional. Set it before you read it, or declare it optional."
    )
  }
}
