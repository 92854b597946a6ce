import Foundation
import PropertyLists
import Testing

@Suite("Bytes in base 64")
struct Base64Tests {
  @Test("The text that Foundation writes reads back", arguments: 0...70)
  func roundTrip(count: Int) throws {
    let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 13) })
    #expect(Base64.data(bytes.base64EncodedString()) == bytes)
    let lines = bytes.base64EncodedString(options: [.lineLength64Characters])
    #expect(Base64.bytes(" \(lines)\r\n\t".utf8.span) == Array(bytes))
  }

  @Test(
    "A text that no bytes have is refused",
    arguments: [
      "Y", "Yw", "Yw=", "Ywx", "Y===", "=", "==", "====", "Yx==", "Ywx==", "Yw==Yw==", "YwxY=",
      "YwxY==", "Yw=x", "Y-xY", "Y_xY", "Yw\u{A0}==",
    ])
  func refused(text: String) {
    #expect(Base64.data(text) == nil)
    #expect(Base64.bytes(text.utf8.span) == nil)
    let list = "<plist version=\"1.0\"><data>\(text)</data></plist>"
    #expect(throws: PropertyListError.self) { try XMLPropertyList.read(Array(list.utf8)) }
  }

  @Test("Blanks are refused where no text has them")
  func blanks() {
    #expect(Base64.data("Yw= =") == nil)
    #expect(Base64.data("Yw==\n") == nil)
    #expect(Base64.data("Y w\n") == nil)
    #expect(Base64.data("") == Data())
  }
}
