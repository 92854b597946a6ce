import ObjectModel
import PropertyLists

extension StoreMetadata {
  /// The lanes of object numbers (spec §4.4.6). The metadata of a store that was never copied do not contain them.
  package var lanes: StoreLanes {
    get {
      guard values[Key.lanes] != nil || values[Key.lane] != nil else { return StoreLanes() }
      var replicas: [UInt64: UInt64] = [:]
      if case .dictionary(let entries)? = values[Key.lanes] {
        for (start, replica) in entries {
          guard let number = StoreMetadata.start(start),
            let replica = replica.string.flatMap(StoreMetadata.replica)
          else { continue }
          replicas[number] = replica
        }
      }
      guard let current = values[Key.lane] else { return StoreLanes(replicas, current: 0) }
      return StoreLanes(replicas, current: current.string.flatMap(StoreMetadata.start))
    }
    set {
      values[Key.lanes] =
        newValue.replicas.isEmpty
        ? nil
        : .dictionary(
          Dictionary(
            uniqueKeysWithValues: newValue.replicas.map {
              ("\($0)", .string(StoreMetadata.text(ofReplica: $1)))
            }))
      values[Key.lane] = newValue.current.flatMap { $0 > 0 ? .string("\($0)") : nil }
    }
  }

  /// The fault of the values for lanes; `nil` if they are valid (spec §4.4.6).
  package var faultOfLanes: String? {
    if let all = values[Key.lanes] {
      guard case .dictionary(let entries) = all else {
        return "'\(Key.lanes)' is not a dictionary."
      }
      for (start, replica) in entries.sorted(by: { $0.key < $1.key }) {
        if StoreMetadata.start(start) == nil {
          return "No lane begins at '\(start.prefix(60))'."
        }
        if replica.string.flatMap(StoreMetadata.replica) == nil {
          return "The replica of the lane from \(start) is not a text of 16 hexadecimal digits."
        }
      }
    }
    if values[Key.lane] != nil, lanes.current == nil {
      return "'\(Key.lane)' does not name a lane of '\(Key.lanes)'."
    }
    return nil
  }

  /// Returns the number at which a lane begins; `nil` if the text is not the start of a drawn lane.
  package static func start(_ text: String) -> UInt64? {
    // A number has one text: without a sign, and without zeros in front.
    guard let number = UInt64(text), "\(number)" == text, StoreLanes.isStart(number) else {
      return nil
    }
    return number
  }

  /// Returns the replica of a text of 16 hexadecimal digits; `nil` for any other text.
  package static func replica(_ text: String) -> UInt64? {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    return UInt64(text, radix: 16)
  }

  /// Returns the text of a replica: 16 hexadecimal digits.
  package static func text(ofReplica replica: UInt64) -> String {
    let digits = String(replica, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension StoreType {
  /// Whether files of the type record lanes. A server is one store for all its users, and SQLite files have the form that
  /// Core Data gives them.
  package var recordsLanes: Bool { self == .binary || self == .compressed || self == .xml }
}
