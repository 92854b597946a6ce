// Reads JSON (RFC 8259), and reports the place of each error.

/// An error in a JSON text, with its place.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of the line, from 1.
  package let line: Int
  /// The number of the byte in the line, from 1.
  package let column: Int
  /// The description of the error.
  package let reason: String

  /// The place and the reason.
  package var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError {
  fileprivate init(_ fault: JSONBytes.Fault, in bytes: [UInt8]) {
    let before = bytes[..<min(fault.place, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    self.init(
      line: before.count { $0 == 0x0A } + 1, column: before.count - lineStart + 1,
      reason: fault.reason)
  }
}

extension JSON {
  /// Returns the value of a text in UTF-8.
  ///
  /// Stricter than most readers: an object with a repeated name is an error, because readers differ in the value that
  /// they choose.
  ///
  /// - Parameter depthLimit: The maximum depth of nested arrays and objects.
  package static func read(
    _ bytes: [UInt8], depthLimit: Int = JSONBytes.mostDepth
  ) throws(JSONError) -> JSON {
    do throws(JSONBytes.Fault) {
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw JSONBytes.Fault(place: 0, reason: "The text is not UTF-8.")
      }
      var place = 0
      let value = try value(bytes, &place, depthLimit: depthLimit)
      JSONBytes.skipSpace(bytes, &place)
      guard place == bytes.count else {
        throw JSONBytes.Fault(place: place, reason: "The text continues after the value.")
      }
      return value
    } catch { throw JSONError(error, in: bytes) }
  }

  /// Returns the value of a member; `nil` if the member does not exist, or the value is not an object.
  package subscript(name: String) -> JSON? {
    guard case .members(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// Returns the value that begins at `place`, and moves `place` to the end of the value.
  package static func value(
    _ bytes: [UInt8], _ place: inout Int, depthLimit: Int = JSONBytes.mostDepth
  ) throws(JSONBytes.Fault) -> JSON {
    JSONBytes.skipSpace(bytes, &place)
    guard place < bytes.count else {
      throw JSONBytes.Fault(place: place, reason: "A value is missing at the end of the text.")
    }
    switch bytes[place] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depthLimit > 0 else {
        throw JSONBytes.Fault(place: place, reason: "Values are nested too deeply.")
      }
      return bytes[place] == UInt8(ascii: "{")
        ? try members(bytes, &place, depthLimit - 1) : try array(bytes, &place, depthLimit - 1)
    case UInt8(ascii: "\""): return .string(try JSONBytes.string(bytes, &place))
    default:
      let word = try JSONBytes.word(bytes, &place)
      return switch word {
      case "true": .boolean(true)
      case "false": .boolean(false)
      case "null": .null
      default: .number(word)
      }
    }
  }

  private static func array(
    _ bytes: [UInt8], _ place: inout Int, _ depthLimit: Int
  ) throws(JSONBytes.Fault) -> JSON {
    place += 1
    if JSONBytes.take("]", bytes, &place) { return .array([]) }
    var values: [JSON] = []
    repeat {
      values.append(try value(bytes, &place, depthLimit: depthLimit))
    } while JSONBytes.take(",", bytes, &place)
    guard JSONBytes.take("]", bytes, &place) else {
      throw JSONBytes.Fault(place: place, reason: "A comma or ] is missing.")
    }
    return .array(values)
  }

  private static func members(
    _ bytes: [UInt8], _ place: inout Int, _ depthLimit: Int
  ) throws(JSONBytes.Fault) -> JSON {
    place += 1
    if JSONBytes.take("}", bytes, &place) { return .members([]) }
    var members: [JSON.Member] = []
    var names = ReadNames()
    repeat {
      JSONBytes.skipSpace(bytes, &place)
      let start = place
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else {
        throw JSONBytes.Fault(place: place, reason: "A name in quotes is missing.")
      }
      let name = try JSONBytes.string(bytes, &place)
      guard names.isNew(name, after: members) else {
        throw JSONBytes.Fault(place: start, reason: "The name \"\(name)\" occurs twice.")
      }
      guard JSONBytes.take(":", bytes, &place) else {
        throw JSONBytes.Fault(place: place, reason: "A colon is missing.")
      }
      let value = try value(bytes, &place, depthLimit: depthLimit)
      members.append(JSON.Member(name: name, value: value))
    } while JSONBytes.take(",", bytes, &place)
    guard JSONBytes.take("}", bytes, &place) else {
      throw JSONBytes.Fault(place: place, reason: "A comma or } is missing.")
    }
    return .members(members)
  }
}

/// The names of an object's members while the object is read. Few names are compared one by one, and many in a set.
private struct ReadNames {
  private static let most = 16
  private var many: Set<String> = []

  /// Returns whether no member has the name yet.
  mutating func isNew(_ name: String, after members: [JSON.Member]) -> Bool {
    if members.count < Self.most { return !members.contains { $0.name == name } }
    if many.isEmpty { many = Set(members.map(\.name)) }
    return many.insert(name).inserted
  }
}
