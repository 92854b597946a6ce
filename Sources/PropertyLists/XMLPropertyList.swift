import Foundation
public import XMLEvents

/// The XML form of property lists.
///
///     let list = try XMLPropertyList.read(bytes)
///     var writer = XMLWriter()
///     try XMLPropertyList.write(list, into: &writer)
///
/// Safe for any input: nesting is limited, no external resource is loaded, and any deviation from the format is an
/// error with its line.
public enum XMLPropertyList {
  /// The maximum depth of nested values.
  public static let maximumDepth = 256

  /// Whether the bytes begin like XML: with a `<` after an optional byte order mark and spaces.
  public static func isLikely(_ bytes: [UInt8]) -> Bool {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return bytes[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
  }

  /// Reads a property list.
  ///
  /// - Throws: ``PropertyListError`` if the text is not a property list; `XMLError` if the text is not well-formed XML.
  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    let handler = try XMLPushParser.parse(
      bytes.span, handler: Document(), limits: XMLLimits(depth: maximumDepth + 2))
    guard let list = handler.builder.list else {
      throw PropertyListError(.damaged, "The text contains no property list.")
    }
    return list
  }

  /// Reads a property list that is a whole document.
  private struct Document: XMLEventHandler {
    var builder = XMLPropertyListBuilder()

    mutating func start(_ tag: borrowing XMLStartTag) throws { try builder.start(tag) }
    mutating func end(_ name: XMLNameID) throws { try builder.end() }
    mutating func text(_ bytes: Span<UInt8>) throws { try builder.text(bytes) }
  }
}

/// Builds a property list from XML events, for a list within another document.
///
/// The builder accepts the events of the `plist` element, including its start and end.
public struct XMLPropertyListBuilder {
  /// The list; `nil` before its element has ended.
  public private(set) var list: PropertyList?
  /// The open containers and leaves. The `plist` element is the first.
  private var open: [Part] = []
  private var line = 0

  private struct Part {
    enum Kind: String {
      case plist, dict, array, key, string, integer, real, date, data
      case yes = "true"
      case no = "false"
    }
    let kind: Kind
    var text: [UInt8] = []
    var values: [PropertyList] = []
    var members: [String: PropertyList] = [:]
    var key: String?

    var isContainer: Bool { kind == .dict || kind == .array || kind == .plist }
  }

  /// Creates a builder that has received no events.
  public init() {}

  /// Handles the start of an element.
  ///
  /// - Throws: ``PropertyListError`` if the element is not allowed here.
  public mutating func start(_ tag: borrowing XMLStartTag) throws {
    line = tag.position.line
    let name = tag.nameString
    guard let kind = Part.Kind(rawValue: name) else {
      throw damaged("'\(name.prefix(40))' is not an element of a property list")
    }
    guard open.count <= XMLPropertyList.maximumDepth else {
      throw PropertyListError(
        .limit, "line \(line): the list is nested more than \(XMLPropertyList.maximumDepth) deep.")
    }
    if let parent = open.last {
      guard parent.isContainer, kind != .plist else {
        throw damaged("'\(name)' is not allowed in '\(parent.kind.rawValue)'")
      }
      guard parent.kind != .plist || parent.values.isEmpty else {
        throw damaged("there are two values where one is expected")
      }
      guard (kind == .key) == (parent.kind == .dict && parent.key == nil) else {
        throw damaged(
          kind == .key ? "a key is not allowed here" : "a value of a dictionary has no key")
      }
    } else if list != nil || kind != .plist {
      throw damaged("'plist' is expected, but '\(name)' is found")
    }
    open.append(Part(kind: kind))
  }

  /// Handles text within an element.
  ///
  /// - Throws: ``PropertyListError`` if text is not allowed here.
  public mutating func text(_ bytes: Span<UInt8>) throws {
    guard let kind = open.last?.kind else { return }
    guard open[open.count - 1].isContainer || kind == .yes || kind == .no else {
      for index in bytes.indices { open[open.count - 1].text.append(bytes[index]) }
      return
    }
    for index in bytes.indices where ![0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) {
      throw damaged("'\(kind.rawValue)' contains text")
    }
  }

  /// Handles the end of the innermost open element.
  ///
  /// - Throws: ``PropertyListError`` if the contents of the element are not a valid value.
  public mutating func end() throws {
    guard let part = open.popLast() else { return }
    let value: PropertyList
    switch part.kind {
    case .plist:
      guard let only = part.values.first else { throw damaged("the property list is empty") }
      list = only
      return
    case .key:
      open[open.count - 1].key = String(decoding: part.text, as: UTF8.self)
      return
    case .dict:
      guard part.key == nil else { throw damaged("the last key of a dictionary has no value") }
      value = .dictionary(part.members)
    case .array: value = .array(part.values)
    case .string: value = .string(String(decoding: part.text, as: UTF8.self))
    case .yes: value = .boolean(true)
    case .no: value = .boolean(false)
    default:
      let text = String(decoding: part.text, as: UTF8.self)
      guard let found = XMLPropertyList.value(part.kind.rawValue, text) else {
        throw damaged("'\(text.prefix(60))' is not a value of kind \(part.kind.rawValue)")
      }
      value = found
    }
    guard let parent = open.last else { return }
    if parent.kind == .dict {
      let key = parent.key ?? ""
      guard parent.members[key] == nil else {
        throw damaged("the key '\(key.prefix(60))' occurs twice")
      }
      open[open.count - 1].members[key] = value
      open[open.count - 1].key = nil
    } else {
      open[open.count - 1].values.append(value)
    }
  }

  private func damaged(_ words: String) -> PropertyListError {
    PropertyListError(.damaged, "line \(line): \(words).")
  }
}

extension XMLPropertyList {
  /// Returns the value of a leaf element that is not text; `nil` if its contents are not valid.
  fileprivate static func value(_ element: String, _ text: String) -> PropertyList? {
    if element == "data" {
      return Base64.bytes(text.utf8.span).map { .data(Data($0)) }
    }
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch element {
    case "integer":
      let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
      let digits = isHexadecimal ? String(text.dropFirst(2)) : text
      let radix = isHexadecimal ? 16 : 10
      if let value = Int64(digits, radix: radix) { return .integer(value) }
      return UInt64(digits, radix: radix).map { .unsigned($0) }
    case "real":
      switch text.lowercased() {
      case "nan": return .real(.nan)
      case "inf", "+inf", "infinity", "+infinity": return .real(.infinity)
      case "-inf", "-infinity": return .real(-.infinity)
      default:
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Double(text).map { .real($0) }
      }
    default: return date(text).map { .date($0) }
    }
  }

  /// Returns the date of a text in the form `2001-01-01T00:00:00Z`; `nil` if the text is invalid.
  private static func date(_ text: String) -> Date? {
    guard
      let match = text.wholeMatch(
        of: #/(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z/#),
      let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
      let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
      let date = CivilDate(year, month, day), year >= 1, hour < 24, minute < 60, second < 60
    else { return nil }
    let minutes = (date.number * 24 + hour) * 60 + minute
    return Date(timeIntervalSinceReferenceDate: Double(minutes * 60 + second))
  }
}
