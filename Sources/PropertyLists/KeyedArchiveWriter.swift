/// A keyed archive that is being made, laid out as Foundation's archiver lays it out.
///
///     var archive = KeyedArchiveWriter()
///     let names = archive.array([archive.text("Ada"), archive.text("Grace")])
///     let bytes = archive.bytes(root: names)
///
/// Objects are referred to by what the methods return, in any field of any other object. One that is
/// referred to before it is known is reserved first and filled later, so a graph may lead back to
/// itself. Equal calls give equal bytes.
public struct KeyedArchiveWriter: Sendable {
  /// A reference that leads nowhere.
  public static let nothing = PropertyList.uid(0)

  private var objects: [PropertyList] = [.string("$null")]
  private var strings: [String: PropertyList] = [:]
  private var classes: [ArchivedClass: PropertyList] = [:]

  /// An archive without objects.
  public init() {}

  /// A reference to an object that is filled later.
  public mutating func reserve() -> PropertyList {
    objects.append(.null)
    return .uid(UInt64(objects.count - 1))
  }

  /// Says what a reserved object is. The last word counts.
  ///
  /// - Precondition: The reference came from this archive and does not lead nowhere.
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

  /// Adds a text, or finds it among those that were added.
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

  /// The archive's bytes.
  ///
  /// Mutating only so that what stands for the root may be added where it is passed: a method that
  /// reads alone would see the archive as it was before its arguments.
  ///
  /// - Precondition: Every reserved object was filled.
  public mutating func bytes(root: PropertyList) -> [UInt8] {
    precondition(!objects.contains(.null), "An object was reserved and not filled.")
    return BinaryPropertyList.write(
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": root]), "$objects": .array(objects),
      ]))
  }
}

/// The class of an archived object, and those it inherits from.
public struct ArchivedClass: Sendable, Hashable {
  /// The class's name, then those of its superclasses up to `NSObject`.
  public let names: [String]

  /// The class of the given name and superclasses, the next above first. `NSObject` need not be said.
  public init(_ name: String, _ superclasses: String...) {
    names = [name] + superclasses + ["NSObject"]
  }
}

// Foundation's own, of which every archive has some.
extension ArchivedClass {
  /// A list.
  public static let array = ArchivedClass("NSArray")
  /// A list that may grow.
  public static let mutableArray = ArchivedClass("NSMutableArray", "NSArray")
  /// Values without order.
  public static let set = ArchivedClass("NSSet")
  /// Values by name.
  public static let dictionary = ArchivedClass("NSDictionary")
  /// Values by name that may become others.
  public static let mutableDictionary = ArchivedClass("NSMutableDictionary", "NSDictionary")
  /// A moment.
  public static let date = ArchivedClass("NSDate")
  /// A UUID.
  public static let uuid = ArchivedClass("NSUUID")
  /// A URL.
  public static let url = ArchivedClass("NSURL")
  /// A decimal number, as the archiver names its class.
  public static let decimal = ArchivedClass(
    "NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue")
}
