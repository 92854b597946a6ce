public import Foundation

/// A keyed archive: a graph of objects with named fields, in the format of Foundation's archiver.
///
///     let archive = try KeyedArchive(bytes)
///     let model = archive.root
///     model["NSEntities"]?.dictionary        // by name, whatever class of dictionary it was
///
/// Objects are looked up on access and never instantiated. So circular references do no harm, and no class of the
/// archive is ever created.
public struct KeyedArchive: Sendable {
  private let objects: [PropertyList]
  private let rootIndex: Int

  /// Reads the archive in the given bytes: a property list in binary form, or in the XML form that some tools write.
  ///
  /// - Throws: ``PropertyListError`` if the bytes are not a property list, or not a keyed archive; `XMLError` if the bytes
  ///   begin like XML and are not well-formed.
  public init(_ bytes: [UInt8]) throws {
    let list = try KeyedArchive.list(bytes)
    guard list["$archiver"]?.string != nil, let objects = list["$objects"]?.array,
      let top = list["$top"]?.dictionary
    else {
      throw PropertyListError(
        .notAnArchive, "The property list has no '$archiver', '$objects' and '$top'.")
    }
    guard case .uid(let root)? = top["root"] ?? top.first?.value, root < UInt64(objects.count)
    else { throw PropertyListError(.notAnArchive, "The archive has no root object.") }
    self.objects = objects
    rootIndex = Int(root)
  }

  private static func list(_ bytes: [UInt8]) throws -> PropertyList {
    guard XMLPropertyList.isLikely(bytes) else { return try BinaryPropertyList.read(bytes) }
    return withReferences(try XMLPropertyList.read(bytes))
  }

  /// Returns a property list from XML with its references restored. XML represents a reference as a dictionary with
  /// the single key `CF$UID`.
  private static func withReferences(_ list: PropertyList) -> PropertyList {
    switch list {
    case .array(let members): return .array(members.map(withReferences))
    case .dictionary(let fields):
      if fields.count == 1, case .integer(let index)? = fields["CF$UID"], index >= 0 {
        return .uid(UInt64(index))
      }
      return .dictionary(fields.mapValues(withReferences))
    default: return list
    }
  }

  public var root: ArchivedObject { ArchivedObject(archive: self, index: rootIndex) }

  /// Returns the object that a value refers to, or the value itself if it is not a reference; `nil` for null.
  func resolve(_ value: PropertyList) -> ArchivedObject? {
    if case .uid(let index) = value {
      guard index > 0, index < UInt64(objects.count) else { return nil }
      return ArchivedObject(archive: self, index: Int(index))
    }
    return value == .null ? nil : ArchivedObject(archive: self, value: value)
  }

  func object(_ index: Int) -> PropertyList { objects[index] }
}

/// One object of a keyed archive, or a plain value in one of its fields.
public struct ArchivedObject: Sendable {
  private let archive: KeyedArchive
  /// The object's number in the archive, which identifies the object; `nil` for a plain value.
  public let index: Int?
  private let content: PropertyList

  init(archive: KeyedArchive, index: Int) {
    self.archive = archive
    self.index = index
    content = archive.object(index)
  }

  init(archive: KeyedArchive, value: PropertyList) {
    self.archive = archive
    index = nil
    content = value
  }

  /// The class and its superclasses, the class first; empty for a plain value.
  public var classNames: [String] {
    guard case .uid(let index)? = content["$class"],
      let description = archive.resolve(.uid(index))?.content
    else { return [] }
    let names = description["$classes"]?.array?.compactMap(\.string) ?? []
    return names.isEmpty ? description["$classname"]?.string.map { [$0] } ?? [] : names
  }

  /// The class; `nil` for a plain value.
  public var className: String? { classNames.first }

  /// The names of the fields.
  public var fieldNames: [String] {
    (content.dictionary?.keys.filter { !$0.hasPrefix("$") } ?? []).sorted()
  }

  /// The value of the given field; `nil` if the field does not exist, or its value is null.
  public subscript(field: String) -> ArchivedObject? {
    content[field].flatMap { archive.resolve($0) }
  }

  /// The plain value; `nil` if this is an object.
  public var value: PropertyList? {
    if case .dictionary(let fields) = content, fields["$class"] != nil { nil } else { content }
  }
}

// Values of objects of the common classes.
extension ArchivedObject {
  /// The text of a string of any class.
  public var string: String? {
    value?.string ?? self["NS.string"]?.value?.string
      ?? self["NS.bytes"]?.value?.data.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The whole number of a number of any class.
  public var integer: Int64? { value?.integer ?? self["NS.intval"]?.value?.integer }

  /// The number of a number of any class.
  public var real: Double? { value?.real ?? self["NS.dblval"]?.value?.real }

  /// The boolean of a number of any class.
  public var boolean: Bool? { value?.boolean }

  /// The bytes of a data object of any class.
  public var data: Data? { value?.data ?? self["NS.data"]?.value?.data }

  /// The moment of a date object.
  public var date: Date? {
    if case .date(let date)? = value { return date }
    return self["NS.time"]?.value?.real.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// The UUID of a UUID object.
  public var uuid: UUID? {
    guard let bytes = self["NS.uuidbytes"]?.value?.data.map({ Array($0) }), bytes.count == 16 else {
      return nil
    }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// The text of a URL object, with the relative part after its base.
  public var url: String? {
    guard let relative = self["NS.relative"]?.string else { return nil }
    guard let base = self["NS.base"]?.url else { return relative }
    return URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative
  }

  /// The value of a decimal number object.
  public var decimal: Decimal? {
    guard let mantissa = self["NS.mantissa"]?.value?.data, mantissa.count == 16,
      let exponent = self["NS.exponent"]?.value?.integer, (-128...127).contains(exponent)
    else { return nil }
    // The mantissa has eight 16-bit parts. The archive names their byte order: 1 is little-endian.
    let isLittle = self["NS.mantissa.bo"]?.value?.integer ?? 1 == 1
    let bytes = Array(mantissa)
    var magnitude = Decimal(0)
    for part in (0..<8).reversed() {
      let (low, high) =
        isLittle ? (bytes[part * 2], bytes[part * 2 + 1]) : (bytes[part * 2 + 1], bytes[part * 2])
      magnitude = magnitude * 65_536 + Decimal(Int(high) << 8 | Int(low))
    }
    let isNegative = self["NS.negative"]?.value?.boolean ?? false
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: magnitude)
  }

  /// The members of an array, set or ordered set of any class, in the archive's order.
  public var array: [ArchivedObject]? {
    if let plain = value?.array { return plain.compactMap { archive.resolve($0) } }
    if let members = content["NS.objects"]?.array, content["NS.keys"] == nil {
      return members.compactMap { archive.resolve($0) }
    }
    // An ordered set has a separate field for each member.
    guard content["NS.object.0"] != nil else { return nil }
    var members: [ArchivedObject] = []
    while let next = self["NS.object.\(members.count)"] { members.append(next) }
    return members
  }

  /// The members of a dictionary of any class with text keys.
  public var dictionary: [String: ArchivedObject]? {
    members.map { Dictionary($0, uniquingKeysWith: { _, last in last }) }
  }

  /// The members of a dictionary of any class with text keys, in the archive's order.
  public var members: [(String, ArchivedObject)]? {
    let keys: [ArchivedObject?]
    let values: [ArchivedObject?]
    if let names = content["NS.keys"]?.array, let objects = content["NS.objects"]?.array {
      keys = names.map { archive.resolve($0) }
      values = objects.map { archive.resolve($0) }
    } else if let mapping = self["NSKnownKeysMappingStrategy1"] ?? self["searchMapping"],
      let names = mapping["keys"]?.array, let objects = self["values"]
    {
      keys = names
      values = objects.archivedMembers
    } else {
      return nil
    }
    return zip(keys, values).compactMap { key, value in
      if let name = key?.string, let value { (name, value) } else { nil }
    }
  }

  /// The members of an array, with `nil` for null members.
  private var archivedMembers: [ArchivedObject?] {
    let members = value?.array ?? content["NS.objects"]?.array ?? []
    return members.map { archive.resolve($0) }
  }

  /// A short description of the object.
  public var summary: String {
    if let string { return "\"\(string.prefix(40))\"" }
    if let url { return "<\(url.prefix(60))>" }
    if let uuid { return uuid.uuidString }
    if let decimal { return "\(decimal)" }
    if let date {
      let seconds = date.timeIntervalSinceReferenceDate
      // Foundation ends the process if a date is outside every calendar.
      return abs(seconds) < 1e11 ? date.formatted(.iso8601) : "\(seconds) s after 2001"
    }
    if let integer { return "\(integer)" }
    if let real { return "\(real)" }
    if let data { return "\(data.count) bytes" }
    if let dictionary {
      return "{" + dictionary.keys.sorted().prefix(8).joined(separator: ", ") + "}"
    }
    if let array { return "[\(array.count)]" }
    return "\(className ?? "object") {\(fieldNames.prefix(8).joined(separator: ", "))}"
  }
}
