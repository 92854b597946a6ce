import PluginSupport

/// The decoded contents of a file.
struct StoredFile: Decodable {
  var preamble: AtomicPreamble
  /// The objects of each entity, by the entity's name.
  var objects: [String: [[String: JSONValue]]]
  /// The links of each many-to-many relationship, by the name of its entity and its own name.
  var links: [String: [[JSONValue]]]

  private enum Key: String, CodingKey { case objects, links }

  init(from decoder: any Decoder) throws {
    preamble = try StoredPreamble(from: decoder).preamble
    let members = try decoder.container(keyedBy: Key.self)
    objects = try members.decode([String: [[String: JSONValue]]].self, forKey: .objects)
    links = try members.decode([String: [[JSONValue]]].self, forKey: .links)
  }
}

/// The part of a file before its objects.
struct StoredPreamble: Decodable {
  var preamble: AtomicPreamble

  private enum Key: String, CodingKey {
    case model, metadata, entityNumbers, highestEntityNumber, nextKey
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    func lines(_ key: Key) throws -> String {
      try members.decode([String].self, forKey: key).joined(separator: "\n")
    }
    preamble = AtomicPreamble(
      model: try lines(.model), metadata: try lines(.metadata),
      entityNumbers: try members.decode([String: UInt16].self, forKey: .entityNumbers),
      highestEntityNumber: try members.decode(UInt16.self, forKey: .highestEntityNumber),
      nextKey: try members.decode(UInt64.self, forKey: .nextKey))
  }
}

/// The version of a file's format.
struct StoredVersion: Decodable {
  var version: Int

  private enum Key: String, CodingKey { case version = "quire-json" }

  init(from decoder: any Decoder) throws {
    version = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .version)
  }
}

/// One JSON value of a file.
enum JSONValue: Decodable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // Texts are the most common values, so they are tried first.
    if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if value.decodeNil() {
      self = .null
    } else {
      throw DecodingError.dataCorruptedError(
        in: value, debugDescription: "This is neither a text nor a number, true, false or null.")
    }
  }
}
