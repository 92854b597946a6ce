import Foundation
import ObjectModel
import Testing

@Suite("UUIDs as text")
struct UUIDTextTests {
  @Test(
    "A text of 36 hexadecimal digits and hyphens is a UUID",
    arguments: ["6FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "6fb9df54-a60e-4a15-8C3B-1d2e3f405162"])
  func spelled(_ text: String) {
    #expect(UUID(spelled: text)?.uuidString == text.uppercased())
  }

  @Test(
    "Any other text is not a UUID",
    arguments: [
      "", "6FB9DF54", " FB9DF54-A60E-4A15-8C3B-1D2E3F405162",
      "6FB9DF54-A60E-4A15-8C3B-1D2E3F40516 ",
      "6FB9DF54 A60E-4A15-8C3B-1D2E3F405162", "6FB9DF54-A60E-4A15-8C3B-1D2E3F40516G",
      "+FB9DF54-A60E-4A15-8C3B-1D2E3F405162", "6FB9DF54-A60E-4A15-8C3B-1D2E3F4051621",
      "{6FB9DF54-A60E-4A15-8C3B-1D2E3F405162}", "6FB9DF54A60E4A158C3B1D2E3F405162",
      "6FB9DF54-A60E-4A15-8C3B-1D2E3F40516é",
    ])
  func other(_ text: String) {
    #expect(UUID(spelled: text) == nil)
  }
}
