import Foundation
import ObjectModel
import Rows
import StoreInterface

extension GraphCheck {
  /// An object with the hash of its unique values.
  private struct Candidate {
    var hash: Int
    var key: ObjectKey
  }

  /// Checks the uniqueness constraints of an entity, among its own objects and the objects of its subentities.
  func checkUniqueness(_ entity: Entity) throws {
    for constraint in entity.uniquenessConstraints where !constraint.isEmpty {
      var columns: [UInt16: [ObjectColumn]] = [:]
      var candidates: [Candidate] = []
      for member in model.family(of: entity.name) {
        guard let layout = schema[member.name], let found = objects[layout.entityNumber] else {
          continue
        }
        let indexes = constraint.compactMap { layout.index(of: $0) }
        guard indexes.count == constraint.count, !found.keys.isEmpty else { continue }
        let blocks = try blocks(of: layout)
        let own = try indexes.map {
          try ObjectColumn(layout.columns[$0], of: found, in: blocks)
        }
        columns[layout.entityNumber] = own
        for object in found.keys.indices {
          guard let bytes = GraphCheck.bytes(own, object) else { continue }
          candidates.append(
            Candidate(
              hash: bytes.hashValue,
              key: ObjectKey(entity: layout.entityNumber, number: found.keys[object])))
        }
      }
      candidates.sort { ($0.hash, $0.key) < ($1.hash, $1.key) }
      report(candidates, columns, constraint)
    }
  }

  private func report(
    _ candidates: [Candidate], _ columns: [UInt16: [ObjectColumn]], _ constraint: [String]
  ) {
    var index = 0
    while index + 1 < candidates.count {
      let first = candidates[index]
      index += 1
      // Equal values have equal hashes and are adjacent. Different values with the same hash are very unlikely.
      while index < candidates.count, candidates[index].hash == first.hash {
        let other = candidates[index]
        index += 1
        guard bytes(of: first.key, columns) == bytes(of: other.key, columns) else { continue }
        findings.add(
          .sharedValues,
          Place(
            entity: schema[other.key.entity]?.entity, object: other.key.number,
            property: constraint.joined(separator: ", ")),
          "\(name(first.key)) has the same values.")
      }
    }
  }

  private func bytes(of key: ObjectKey, _ columns: [UInt16: [ObjectColumn]]) -> [UInt8]? {
    guard let own = columns[key.entity], let object = own.first?.objects.index(of: key.number)
    else {
      return nil
    }
    return GraphCheck.bytes(own, object)
  }

  /// Returns the values of an object as bytes, which are equal if the values are; `nil` if a value is missing,
  /// because missing values never conflict.
  private static func bytes(_ columns: [ObjectColumn], _ object: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    for column in columns {
      let words: [UInt8]
      switch column.value(object) {
      case .null: return nil
      case .string(let text), .uri(let text): words = Array(text.utf8)
      case .binary(let data): words = Array(data)
      case .double(let number): words = Array("\(number == 0 ? 0 : number)".utf8)
      case .float(let number): words = Array("\(number == 0 ? 0 : number)".utf8)
      case .date(let date): words = Array("\(date.timeIntervalSinceReferenceDate)".utf8)
      case let value: words = Array("\(value)".utf8)
      }
      bytes += Array("\(words.count):".utf8) + words
    }
    return bytes
  }
}
