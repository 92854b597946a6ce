import Foundation
import ModelNotations
import ObjectModel

extension SmallFile {
  /// Returns the model of authors, ordered books, comics as a subentity of books, and tags of books.
  static func library() throws -> Model {
    let author = entity(
      "Author", [Attribute("name", .string), Attribute("born", .date)],
      relationships: [
        Relationship("books", to: "Book", inverse: "author", count: .toMany, isOrdered: true)
      ])
    let book = entity(
      "Book", [Attribute("title", .string), Attribute("pages", .int16)],
      relationships: [
        Relationship("author", to: "Author", inverse: "books"),
        Relationship("tags", to: "Tag", inverse: "books", count: .toMany),
      ])
    let tag = entity(
      "Tag", relationships: [Relationship("books", to: "Book", inverse: "tags", count: .toMany)])
    return try Model(entities: [author, book, entity("Comic", inherits: "Book"), tag])
  }

  /// Returns an XML store of that model.
  static func document() throws -> [UInt8] {
    let source = String(decoding: try ModelSource.write(library()), as: UTF8.self)
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    return Array(
      """
      <?xml version="1.0"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database>
      <databaseInfo><version>134481920</version>
      <UUID>6FB9DF54-A60E-4A15-8C3B-1D2E3F405162</UUID>
      <nextObjectID>104</nextObjectID>
      <metadata><plist version="1.0"><dict><key>QuireModel</key><string>\(source)</string>
      </dict></plist></metadata></databaseInfo>
      <object type="AUTHOR" id="z101">
      <attribute name="name" type="string">Ursula \\u3c00K.\\u3e00</attribute>
      <attribute name="born" type="date">-1000000000.50000000000000000000</attribute>
      <relationship name="books" type="0/0" destination="BOOK" idrefs="z103 z102"></relationship>
      </object>
      <object type="BOOK" id="z102">
      <attribute name="pages" type="int16">341</attribute>
      <relationship name="author" type="0/1" destination="AUTHOR" idrefs="z101"></relationship>
      <relationship name="tags" type="0/0" destination="TAG" idrefs="z104"></relationship>
      </object>
      <object type="COMIC" id="z103">
      <relationship name="author" type="0/1" destination="AUTHOR" idrefs="z101"></relationship>
      <relationship name="tags" type="0/0" destination="TAG"></relationship>
      </object>
      <object type="TAG" id="z104">
      <relationship name="books" type="0/0" destination="BOOK" idrefs="z102"></relationship>
      </object>
      </database>

      """.utf8)
  }
}

extension BrokenFile {
  /// A document in which the first occurrence of a text is replaced.
  private init(_ rule: String, _ text: String, _ other: String) {
    self.init(rule) {
      let document = String(decoding: try SmallFile.document(), as: UTF8.self)
      precondition(document.contains(text), "'\(text)' is in the document.")
      return Array(document.replacing(text, with: other, maxReplacements: 1).utf8)
    }
  }

  static let documents = [
    BrokenFile("XMLS-001", "</database>", ""),
    BrokenFile("XMLS-002", "<attribute name=\"pages\"", "<attribute unit=\"1\" name=\"pages\""),
    BrokenFile(
      "XMLS-003", "<object type=\"BOOK\" id=\"z102\">", "<object type=\"BOOK\" id=\"z102\">!"),
    BrokenFile("XMLS-004", "<UUID>", "<nextObjectID>104</nextObjectID><UUID>"),
    BrokenFile("XMLS-005", "134481920", "one"),
    BrokenFile("XMLS-006", "<UUID>6FB9DF54", "<UUID>6FB9DF5"),
    BrokenFile("XMLS-007", ">104<", ">103<"),
    BrokenFile("XMLS-008", "<plist version=\"1.0\"><dict>", "<plist version=\"1.0\"><data/><dict>"),
    BrokenFile(
      "XMLS-009", "<key>QuireModel", "<key>QuireValues</key><string>none</string><key>QuireModel"),
    BrokenFile(
      "XMLS-010", "<object type=\"BOOK\" id=\"z102\">",
      "<object type=\"TAG\" id=\"x9\"></object><object type=\"BOOK\" id=\"z102\">"),
    BrokenFile(
      "XMLS-011", "<object type=\"TAG\" id=\"z104\">",
      "<object type=\"BOOK\" id=\"z102\"></object><object type=\"TAG\" id=\"z104\">"),
    BrokenFile("XMLS-012", "</database>", "<object type=\"PAGE\" id=\"z77\"></object></database>"),
    BrokenFile("XMLS-013", "name=\"pages\"", "name=\"sides\""),
    BrokenFile(
      "XMLS-014", "<attribute name=\"pages\" type=\"int16\">341</attribute>",
      "<attribute name=\"pages\">341</attribute><attribute name=\"PAGES\">341</attribute>"),
    BrokenFile(
      "XMLS-015", "<attribute name=\"pages\" type=\"int16\">341</attribute>",
      "<relationship name=\"pages\"/>"),
    BrokenFile("XMLS-016", ">341<", ">34100<"),
    BrokenFile("XMLS-017", "\\u3e00", "\\u3dd8"),
    BrokenFile("XMLS-018", "idrefs=\"z104\"", "idrefs=\"z104 z0\""),
    BrokenFile("XMLS-019", "idrefs=\"z103 z102\"", "idrefs=\"z103 z102 z103\""),
    BrokenFile("XMLS-020", "idrefs=\"z103 z102\"", "idrefs=\"z103 z102 z99\""),
    BrokenFile("XMLS-021", "idrefs=\"z103 z102\"", "idrefs=\"z103 z102 z104\""),
    BrokenFile(
      "XMLS-022", "</database>",
      "<object type=\"BOOK\" id=\"z9\"><relationship name=\"author\" idrefs=\"z101 z55\"/></object><object type=\"AUTHOR\" id=\"z55\"></object></database>"
    ),
    BrokenFile("XMLS-023", "idrefs=\"z103 z102\"", "idrefs=\"z102\""),
    BrokenFile(
      "XMLS-024", "</database>",
      "<object type=\"BOOK\" id=\"z9\"></object><object type=\"AUTHOR\" id=\"z10\"><relationship name=\"books\" idrefs=\"z9\"/></object><object type=\"AUTHOR\" id=\"z11\"><relationship name=\"books\" idrefs=\"z9\"/></object></database>"
    ),
    BrokenFile(
      "XMLS-025", "<relationship name=\"books\" type=\"0/0\" destination=\"BOOK\" idrefs=\"z102\">",
      "<relationship name=\"books\" type=\"0/0\" destination=\"BOOK\">"),
  ]
}
