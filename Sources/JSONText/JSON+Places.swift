// Finds the places of values in a JSON text, for messages about values that have already been read.

/// One step from a JSON value to a value inside it.
package enum JSONStep: Sendable, Hashable {
  /// To the value of a member.
  case member(String)
  /// To an item of an array.
  case item(Int)
}

extension Sequence<JSONStep> {
  /// The path in words: `model.entities[2].name`. Empty for the whole text.
  package var text: String {
    var text = ""
    for step in self {
      switch step {
      case .item(let index): text += "[\(index)]"
      case .member(let name):
        let isPlain =
          name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
          && name.utf8.allSatisfy { byte in
            byte == 0x5F || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
          }
        let shown = name.count > 60 ? name.prefix(60) + "…" : name[...]
        text +=
          isPlain ? (text.isEmpty ? "" : ".") + shown : "[\(JSON.string(String(shown)).line)]"
      }
    }
    return text
  }
}

/// The places of a value and of its name in a text.
package struct JSONPlaces: Sendable, Hashable {
  /// The index of the first byte of the value.
  package let value: Int
  /// The index of the first byte of the member's name; the index of the value if the value is not a member's.
  package let name: Int
}

extension JSON {
  /// Returns the places of values in a text, in the order of their paths. The place is `nil` if the text contains no
  /// value at the path.
  ///
  /// The time is proportional to the size of the text and of the paths.
  package static func places(of paths: [[JSONStep]], in bytes: [UInt8]) -> [JSONPlaces?] {
    var found = [JSONPlaces?](repeating: nil, count: paths.count)
    var place = 0
    // The text was read before, so the search meets no error. A place after an error is not found.
    try? find(
      paths.indices.map { ($0, paths[$0][...]) }, bytes, &place, name: nil, &found, depth: 0)
    return found
  }

  /// Finds the places of the wanted values in the value that begins at `place`, and moves `place` to its end.
  private static func find(
    _ wanted: [(index: Int, path: ArraySlice<JSONStep>)], _ bytes: [UInt8], _ place: inout Int,
    name: Int?, _ found: inout [JSONPlaces?], depth: Int
  ) throws(JSONBytes.Fault) {
    JSONBytes.skipSpace(bytes, &place)
    var below: [JSONStep: [(index: Int, path: ArraySlice<JSONStep>)]] = [:]
    for (index, path) in wanted {
      if let step = path.first {
        below[step, default: []].append((index, path.dropFirst()))
      } else {
        found[index] = JSONPlaces(value: place, name: name ?? place)
      }
    }
    guard !below.isEmpty, place < bytes.count, depth < JSONBytes.mostDepth,
      bytes[place] == 0x7B || bytes[place] == 0x5B
    else { return try JSONBytes.skip(bytes, &place, depth: depth) }
    let isObject = bytes[place] == 0x7B
    place += 1
    if JSONBytes.take(isObject ? "}" : "]", bytes, &place) { return }
    var index = 0
    repeat {
      JSONBytes.skipSpace(bytes, &place)
      let start = place
      let step: JSONStep
      if isObject {
        step = .member(try JSONBytes.string(bytes, &place))
        try JSONBytes.expect(":", bytes, &place)
      } else {
        step = .item(index)
      }
      try find(
        below[step] ?? [], bytes, &place, name: isObject ? start : nil, &found, depth: depth + 1)
      index += 1
    } while JSONBytes.take(",", bytes, &place)
    try JSONBytes.expect(isObject ? "}" : "]", bytes, &place)
  }
}

extension JSON {
  /// The kind of the value, in words.
  package var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .string: "text"
    case .array: "an array"
    case .members: "an object"
    }
  }
}
