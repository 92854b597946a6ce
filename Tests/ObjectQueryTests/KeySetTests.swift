import ObjectModel
import Testing

@testable import ObjectQuery

@Suite("Sets of keys")
struct KeySetTests {
  @Test("A set contains its keys, near and far, and no others")
  func members() {
    let near = stride(from: 1, to: 5000, by: 3).map { ObjectKey(entity: 1, number: $0) }
    let far = [1 << 47 + 1, ObjectKey.highestNumber].map { ObjectKey(entity: 1, number: $0) }
    let other = [ObjectKey(entity: 2, number: 1 << 47 + 2)]

    for keys in [[], near, far, other, near + far + other] {
      let set = KeySet(keys)
      #expect(keys.allSatisfy(set.contains))
      for key in near + far + other {
        #expect(set.contains(key) == keys.contains(key))
        #expect(!set.contains(ObjectKey(entity: 3, number: key.number)))
      }
      #expect(!set.contains(ObjectKey(entity: 1, number: 2)))
      #expect(!set.contains(ObjectKey(entity: 1, number: 1 << 40)))
    }
  }
}
