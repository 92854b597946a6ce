import ModelNotations
import ObjectModel
import Testing
import Validation

@Suite("Decimals in an XML document")
struct XMLDecimalTests {
  @Test(
    "The validator reads a decimal to its last character, as the reader does",
    arguments: [
      ("-12.500", true), (" 3E8 ", true), ("5.", true), (".5", true), ("NaN", true), ("1-2", false),
      ("1.2.3", false), ("1e5-2", false), ("--1", false), (".", false),
      (String(repeating: "1", count: 60), false), ("1e165", true), ("1e166", false),
      ("1e-128", true), ("1e-129", false), ("10e-129", true), ("0e9999", true), ("1e00001", false),
      (String(repeating: "0", count: 4095) + "7", true),
      (String(repeating: "0", count: 4096) + "7", false),
    ])
  func spelling(_ text: String, _ isRight: Bool) throws {
    let model = try Model(entities: [
      Entity("Thing", properties: [.attribute(Attribute("money", .decimal))])
    ])
    let source = String(decoding: try ModelSource.write(model), as: UTF8.self)
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let document = """
      <?xml version="1.0"?>
      <database>
      <databaseInfo><version>134481920</version>
      <UUID>6FB9DF54-A60E-4A15-8C3B-1D2E3F405162</UUID>
      <nextObjectID>102</nextObjectID>
      <metadata><plist version="1.0"><dict><key>QuireModel</key><string>\(source)</string>
      </dict></plist></metadata></databaseInfo>
      <object type="THING" id="z101"><attribute name="money" type="decimal">\(text)</attribute></object>
      </database>

      """

    let report = try BrokenFile.report(Array(document.utf8))

    #expect(report.counts.keys.map(\.id) == (isRight ? [] : ["XMLS-016"]), "\(report.text)")
  }
}
