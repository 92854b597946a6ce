public import ObjectModel

/// An object that a snapshot refers to: its identifier, and its values if they were asked for.
///
///     let stop = Stop.Snapshot(lisbon, including: \.trip)
///     print(stop.trip?.value?.name ?? "on no trip")
public struct RelatedSnapshot<Snapshot: EntitySnapshot>: Sendable, Hashable, Codable {
  /// The identifier; `nil` if the values come from elsewhere and name none.
  public let objectID: ObjectID?
  /// A snapshot may lead to snapshots of its own type, so the values lie in a box.
  private let values: Box

  private indirect enum Box: Sendable, Hashable {
    case none
    case some(Snapshot)
  }

  /// The values; `nil` if the snapshot was made without them.
  public var value: Snapshot? {
    if case .some(let value) = values { value } else { nil }
  }

  /// Refers to an object by its identifier.
  public init(_ id: ObjectID) { (objectID, values) = (id, .none) }

  /// Refers to an object by its values.
  public init(_ value: Snapshot) { (objectID, values) = (value.objectID, .some(value)) }

  /// Reads an identifier, or values.
  public init(from decoder: any Decoder) throws {
    if let uri = try? decoder.singleValueContainer().decode(String.self) {
      guard let id = ObjectID(uri: uri) else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "\"\(uri)\" is not an identifier of an object."))
      }
      self.init(id)
    } else {
      self.init(try Snapshot(from: decoder))
    }
  }

  /// Writes the values, or the identifier alone.
  public func encode(to encoder: any Encoder) throws {
    if let value { return try value.encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encode(objectID)
  }
}
