/// Builds a keyed archive with the layout of Foundation's archiver.
///
///     var archive = KeyedArchiveWriter()
///     let names = archive.array([archive.text("Ada"), archive.text("Grace")])
///     let bytes = archive.bytes(root: names)
///
/// Each method returns a reference, which may be used in any field of another object. An object that is referenced
/// before its contents are known is reserved first and filled later, so a graph may be circular. Equal calls give
/// equal bytes.
public struct KeyedArchiveWriter: Sendable {
  public static let nothing = PropertyList.uid(0)

  private var objects: [PropertyList] = [.string("$null")]
  private var strings: [String: PropertyList] = [:]
  private var classes: [ArchivedClass: PropertyList] = [:]

  /// Creates an archive without objects.
  public init() {}

  /// Reserves an object that is filled later, and returns its reference.
  public mutating func reserve() -> PropertyList {
    objects.append(.null)
    return .uid(UInt64(objects.count - 1))
  }

  /// Sets the class and the fields of a reserved object. A second call replaces the first.
  ///
  /// - Precondition: The reference came from this archive and is not ``nothing``.
  public mutating func fill(
    _ reference: PropertyList, _ archivedClass: ArchivedClass, _ fields: [String: PropertyList]
  ) {
    guard case .uid(let index) = reference, index > 0, index < UInt64(objects.count) else {
      preconditionFailure("The object was not reserved in this archive.")
    }
    var fields = fields
    fields["$class"] = add(archivedClass)
    objects[Int(index)] = .dictionary(fields)
  }

  /// Adds an object of the given class and fields.
  public mutating func add(
    _ archivedClass: ArchivedClass, _ fields: [String: PropertyList]
  ) -> PropertyList {
    let reference = reserve()
    fill(reference, archivedClass, fields)
    return reference
  }

  /// Adds a plain value: a number, a boolean, text or bytes.
  public mutating func add(_ value: PropertyList) -> PropertyList {
    if case .string(let text) = value { return self.text(text) }
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  /// Adds a text, or returns the reference of an equal text that was added before.
  public mutating func text(_ text: String) -> PropertyList {
    if let known = strings[text] { return known }
    objects.append(.string(text))
    let reference = PropertyList.uid(UInt64(objects.count - 1))
    strings[text] = reference
    return reference
  }

  private mutating func add(_ archivedClass: ArchivedClass) -> PropertyList {
    if let known = classes[archivedClass] { return known }
    let reference = add(
      .dictionary([
        "$classname": .string(archivedClass.names[0]),
        "$classes": .array(archivedClass.names.map { .string($0) }),
      ]))
    classes[archivedClass] = reference
    return reference
  }

  /// Returns the archive's bytes.
  ///
  /// The method is mutating only because the argument may add the root object. A nonmutating method would see the
  /// archive as it was before the argument was evaluated.
  ///
  /// - Precondition: Every reserved object was filled.
  public mutating func bytes(root: PropertyList) -> [UInt8] {
    precondition(!objects.contains(.null), "An object was reserved but not filled.")
    return BinaryPropertyList.write(
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": root]), "$objects": .array(objects),
      ]))
  }
}

/// The class of an archived object and its superclasses.
public struct ArchivedClass: Sendable, Hashable {
  /// The name of the class, followed by its superclasses up to `NSObject`.
  public let names: [String]

  /// Creates a class from its name and its superclasses, the direct superclass first. `NSObject` may be left out.
  public init(_ name: String, _ superclasses: String...) {
    names = [name] + superclasses + ["NSObject"]
  }
}

// Classes of Foundation, which every archive uses.
extension ArchivedClass {
  public static let array = ArchivedClass("NSArray")
  public static let mutableArray = ArchivedClass("NSMutableArray", "NSArray")
  public static let set = ArchivedClass("NSSet")
  public static let dictionary = ArchivedClass("NSDictionary")
  public static let mutableDictionary = ArchivedClass("NSMutableDictionary", "NSDictionary")
  public static let date = ArchivedClass("NSDate")
  public static let uuid = ArchivedClass("NSUUID")
  public static let url = ArchivedClass("NSURL")
  /// A decimal number, under the archiver's name for its class.
  public static let decimal = ArchivedClass(
    "NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue")
}
