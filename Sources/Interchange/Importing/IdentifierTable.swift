import ObjectModel

/// The identifiers of objects in the files. Each has a number, and takes about thirty bytes of memory for its text,
/// its entry and its hash slot.
struct IdentifierTable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// The key of each identifier's object, from entity and number; 0 while no file has defined the object.
  private var keys: [UInt64] = []
  private var flags: [UInt8] = []
  /// The numbers of identifiers plus one, by hash; 0 for an empty slot.
  private var slots: [UInt32] = Array(repeating: 0, count: 1024)
  private var namedCount = 0

  /// The maximum number of objects and identifiers in one import.
  static let mostCount = Int(UInt32.max) - 2

  var count: Int { keys.count }

  /// Returns the number of an identifier. A new identifier gets the next number.
  mutating func number(of identifier: String) -> Int {
    var identifier = identifier
    return identifier.withUTF8Bytes { text in
      var slot = self.slot(of: text)
      if slots[slot] != 0 { return Int(slots[slot]) - 1 }
      if (namedCount + 1) * 3 > slots.count * 2 {
        grow()
        slot = self.slot(of: text)
      }
      bytes.append(contentsOf: text)
      slots[slot] = UInt32(add() + 1)
      namedCount += 1
      return count - 1
    }
  }

  /// Returns the number of a known identifier; `nil` if the identifier is unknown.
  func known(_ identifier: String) -> Int? {
    var identifier = identifier
    return identifier.withUTF8Bytes { text in
      let found = slots[slot(of: text)]
      return found == 0 ? nil : Int(found) - 1
    }
  }

  /// Returns a new number for an object without an identifier.
  mutating func add() -> Int {
    ends.append(bytes.count)
    keys.append(0)
    flags.append(0)
    return count - 1
  }

  /// Returns the identifier of a number; empty for an object without an identifier.
  func text(_ number: Int) -> String {
    String(decoding: bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]], as: UTF8.self)
  }

  mutating func setKey(_ key: ObjectKey, of number: Int, isThere: Bool = false) {
    keys[number] = key.rawValue
    if isThere { flags[number] |= 1 }
  }

  /// Whether the object was in the store before the import.
  func isThere(_ number: Int) -> Bool { flags[number] & 1 != 0 }

  /// Whether a stored object of this number must be changed by the import, or checked for the number of its
  /// references.
  func isConcerned(_ number: Int) -> Bool { flags[number] & 2 != 0 }

  mutating func concern(_ number: Int) { flags[number] |= 2 }

  /// Whether a file defines the object with an unknown entity. The first pass reports this problem.
  func isFaulty(_ number: Int) -> Bool { flags[number] & 4 != 0 }

  mutating func setFaulty(_ number: Int) { flags[number] |= 4 }

  /// Whether the identifier comes from an export, perhaps of another store, and names a stored object that no file
  /// defines.
  func isForeign(_ number: Int) -> Bool { flags[number] & 8 != 0 }

  mutating func setForeign(_ number: Int) { flags[number] |= 8 }

  func key(_ number: Int) -> ObjectKey? {
    keys[number] == 0 ? nil : ObjectKey(rawValue: keys[number])
  }

  private func slot(of text: [UInt8]) -> Int {
    var hasher = Hasher()
    // Hash eight bytes at a time. The initial length distinguishes texts that would give the same words.
    var word: UInt64 = UInt64(text.count)
    for index in text.indices {
      word = word << 8 | UInt64(text[index])
      if index & 7 == 7 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    let mask = slots.count - 1
    var slot = hasher.finalize() & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      let start = number == 0 ? 0 : ends[number - 1]
      if ends[number] - start == text.count,
        bytes[start..<ends[number]].elementsEqual(text)
      {
        return slot
      }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private mutating func grow() {
    let all = slots.filter { $0 != 0 }
    slots = Array(repeating: 0, count: slots.count * 2)
    for one in all {
      let number = Int(one) - 1
      let start = number == 0 ? 0 : ends[number - 1]
      slots[slot(of: Array(bytes[start..<ends[number]]))] = one
    }
  }
}

extension String {
  fileprivate mutating func withUTF8Bytes<R>(_ body: ([UInt8]) -> R) -> R { body(Array(utf8)) }
}
