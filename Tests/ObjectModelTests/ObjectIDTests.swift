import ObjectModel
import Testing

@Suite("Identifiers of objects as text")
struct ObjectIDTests {
  @Test("Identifiers are written and read as the specification says (§3.2.3)")
  func roundTrip() throws {
    let id = ObjectID(
      store: StoreTag(rawValue: 0x00C0_FFEE_0123_4567), key: ObjectKey(entity: 12, number: 340))
    #expect(id.uri == "x-quire://00c0ffee01234567/12/p340")
    #expect(ObjectID(uri: id.uri) == id)
    #expect(ObjectID(uri: "x-quire://00C0FFEE01234567/12/p340") == id)

    let highest = ObjectID(
      store: StoreTag(rawValue: .max),
      key: ObjectKey(entity: .max, number: ObjectKey.highestNumber))
    #expect(highest.uri == "x-quire://ffffffffffffffff/65535/p281474976710655")
    #expect(ObjectID(uri: highest.uri) == highest)
  }

  @Test(
    "Text that is not an identifier is refused",
    arguments: [
      "", "x-quire:", "x-quire://", "x-quire:///1/p1", "X-quire://00c0ffee01234567/1/p1",
      "x-coredata://00c0ffee01234567/1/p1", " x-quire://00c0ffee01234567/1/p1",
      "x-quire://00c0ffee01234567/1/p1?a", "x-quire://00c0ffee01234567/1/p1#a",
      "x-quire://00c0ffee01234567:1/1/p1", "x-quire://a@00c0ffee01234567/1/p1",
      "x-quire://00c0ffee01234567/1/p1 ", "x-quire://00c0ffee01234567/1/p1/",
      "x-quire://00c0ffee0123456/1/p1", "x-quire://00c0ffee012345678/1/p1",
      "x-quire://+0c0ffee01234567/1/p1", "x-quire://-0c0ffee01234567/1/p1",
      "x-quire://00c0ffee0123456g/1/p1", "x-quire://00c0ffee01234567/0/p1",
      "x-quire://00c0ffee01234567/01/p1", "x-quire://00c0ffee01234567/65536/p1",
      "x-quire://00c0ffee01234567/+1/p1", "x-quire://00c0ffee01234567/1/p0",
      "x-quire://00c0ffee01234567/1/p01", "x-quire://00c0ffee01234567/1/1",
      "x-quire://00c0ffee01234567/1/p281474976710656", "x-quire://00c0ffee01234567/1/p",
      "x-quire://00c0ffee01234567/1/p\u{661}", "x-quire://00c0ffee01234567/1",
      "x-quire://\u{301}00c0ffee01234567/1/p1",
    ])
  func refusing(_ text: String) {
    #expect(ObjectID(uri: text) == nil)
  }
}
