import Foundation
import ObjectModel
import Testing

private enum Kind: String, AttributeValue {
  case leisure
  case work
}

@Suite("Attribute values")
struct AttributeValueTests {
  @Test("Values of every type are converted for rows and back, and other values are refused")
  func values() throws {
    func check<T: AttributeValue & Equatable>(_ value: T, _ stored: Value) {
      #expect(value.storedValue == stored)
      #expect(T(storedValue: stored) == value)
      #expect(T.attributeType.accepts(stored))
      #expect(T(storedValue: .object(ObjectKey(rawValue: 1))) == nil)
    }
    let uuid = UUID()
    check(true, .boolean(true))
    check(Int16.min, .integer(-32_768))
    check(Int32.max, .integer(2_147_483_647))
    check(Int64.min, .integer(.min))
    check(7, .integer(7))
    check(Decimal(string: "1.1")!, .decimal(Decimal(string: "1.1")!))
    check(1.5, .double(1.5))
    check(Float(1.5), .float(1.5))
    check("x", .string("x"))
    check(Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1)))
    check(Data([1]), .binary(Data([1])))
    check(uuid, .uuid(uuid))
    check(try #require(URL(string: "https://example.com/a?b")), .uri("https://example.com/a?b"))
    check(Kind.work, .string("work"))
    check(Int?.some(7), .integer(7))
    check(Int?.none, .null)
    #expect(Int16(storedValue: .integer(40_000)) == nil)
    #expect(Kind(storedValue: .string("sleep")) == nil)
    #expect(Int(storedValue: .null) == nil)
  }
}
