extension ObjectID {
  /// The identifier as text that is valid in every process (spec §3.2.3).
  public var uri: String {
    let digits = String(store.rawValue, radix: 16)
    let tag = String(repeating: "0", count: 16 - digits.count) + digits
    return "x-quire://\(tag)/\(key.entity)/p\(key.number)"
  }

  /// Creates the identifier of the given text; `nil` when the text is not an identifier (spec §3.2.3).
  public init?(uri: String) {
    let scheme = "x-quire://".utf8
    guard uri.utf8.starts(with: scheme) else { return nil }
    let parts = uri.utf8.dropFirst(scheme.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 16, parts[2].first == UInt8(ascii: "p"),
      let tag = UInt64(canonical: parts[0], radix: 16),
      let entity = UInt16(exactly: UInt64(canonical: parts[1], radix: 10) ?? .max), entity > 0,
      let number = UInt64(canonical: parts[2].dropFirst(), radix: 10),
      number > 0, number <= ObjectKey.highestNumber
    else { return nil }
    self.init(store: StoreTag(rawValue: tag), key: ObjectKey(entity: entity, number: number))
  }
}

extension ObjectID: Codable {
  /// Reads the text that ``uri`` returns.
  ///
  /// - Throws: `DecodingError` if the text is not an identifier.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = ObjectID(uri: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The text is not the identifier of an object: \(text)")
    }
    self = id
  }

  /// Writes ``uri``, which is valid in every process.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(uri)
  }
}

extension UInt64 {
  /// Parses a number from digits; `nil` if the text has other characters, or in base 10 if it has leading zeros.
  fileprivate init?(canonical text: Substring.UTF8View, radix: Int) {
    let digits = String(Substring(text))
    guard let number = UInt64(digits, radix: radix), digits.first != "+" else { return nil }
    if radix == 10, String(number) != digits { return nil }
    self = number
  }
}
