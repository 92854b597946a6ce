import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing
import XMLStore

@Suite("Invalid documents")
struct BadDocumentTests {
  private static let author = "<object type=\"AUTHOR\" id=\"z1\">"

  @Test(
    "The error names the fault and its line",
    arguments: [
      ("\(author)<attribute name=\"nam\">x</attribute></object>", "Did you mean \"name\"?"),
      ("<object type=\"AUTOR\" id=\"z1\"></object>", "Did you mean \"Author\"?"),
      ("\(author)</object>\(author)</object>", "z1 occurs twice"),
      ("<object type=\"AUTHOR\" id=\"1\"></object>", "not the identifier"),
      ("<object type=\"AUTHOR\" id=\"z0\"></object>", "not the identifier"),
      ("<object type=\"AUTHOR\" id=\"z999999999999999\"></object>", "not the identifier"),
      ("<object id=\"z1\"></object>", "no 'id' or no 'type'"),
      (
        "<object type=\"AUTHOR\" id=\"z1\" x=\"\"></object>",
        "'object' can't have the attribute 'x'"
      ),
      ("\(author)<book/></object>", "'book' is not allowed here in 'object'"),
      ("\(author)text</object>", "Text is where"),
      ("\(author)<attribute name=\"name\"><b/></attribute></object>", "where text is expected"),
      (
        "\(author)<attribute name=\"name\">a</attribute><attribute name=\"NAME\">b</attribute></object>",
        "gives 'name' twice"
      ),
      ("\(author)<attribute>a</attribute></object>", "has no 'name'"),
      ("\(author)<attribute name=\"books\">a</attribute></object>", "is a relationship"),
      ("\(author)<relationship name=\"name\"></relationship></object>", "is an attribute"),
      ("\(author)<attribute name=\"born\">soon</attribute></object>", "'born' is 'soon'"),
      ("\(author)<attribute name=\"born\">1e</attribute></object>", "'born' is '1e'"),
      ("\(author)<attribute name=\"born\"></attribute></object>", "'born' is ''"),
      ("\(author)<attribute name=\"born\">0x1p3</attribute></object>", "'born' is '0x1p3'"),
      (
        "\(author)<attribute name=\"name\">\\u3dd8x</attribute></object>", "half of a character"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><attribute name=\"pages\">2147483648</attribute></object>",
        "of that size"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><relationship name=\"author\" idrefs=\"z7\"/></object>",
        "object z2 (Book): 'author' refers to z7, which does not exist"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><relationship name=\"author\" idrefs=\"z2\"/></object>",
        "whose entity is 'Book' instead of 'Author'"
      ),
      (
        "<object type=\"BOOK\" id=\"z2\"><relationship name=\"author\" idrefs=\"z2 z3\"/></object>",
        "refers to at most one object, but lists 2"
      ),
      (
        "\(author)<relationship name=\"books\" idrefs=\"z2 z2\"/></object>"
          + "<object type=\"BOOK\" id=\"z2\"></object>", "lists z2 twice"
      ),
      (
        "\(author)<relationship name=\"books\" idrefs=\"z2\"/></object>"
          + "<object type=\"AUTHOR\" id=\"z3\"><relationship name=\"books\" idrefs=\"z2\"/></object>"
          + "<object type=\"BOOK\" id=\"z2\"></object>", "but another object lists it too"
      ),
      (
        "\(author)<relationship name=\"books\" idrefs=\"z9\"/></object>", "z9, which does not exist"
      ),
      ("\(author)<relationship name=\"books\" idrefs=\"2\"/></object>", "'2' in 'books'"),
      ("<databaseInfo></databaseInfo>", "is not allowed here in 'database'"),
    ])
  func wrong(_ objects: String, _ words: String) {
    let error = #expect(throws: StoreError.self) { try Library.read(objects: "\n" + objects) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(words) ?? false, "\(error.map { "\($0)" } ?? "no error")")
    #expect(error?.message.contains("line 2") ?? false, "\(error.map { "\($0)" } ?? "no error")")
  }

  @Test(
    "Documents that are no XML stores are refused",
    arguments: [
      ("", StoreError.Code.notAStore), ("<database/>", .damaged),
      ("<database></database>", .damaged),
      ("<base/>", .notAStore), ("hello", .notAStore), ("name,age\nAda,36\n", .notAStore),
      ("{\"database\": 1}", .notAStore), ("<?xml version=\"1.0\"?>\n<plist", .notAStore),
      ("<?xml version=\"1.0\"?>\n<database><broken", .damaged),
      ("<database><databaseInfo></databaseInfo></database>", .damaged),
      ("<database><object type=\"AUTHOR\" id=\"z1\"></object></database>", .damaged),
      ("<database>\(Library.head)", .damaged),
      (
        "<database>\(Library.head.replacing("134481920", with: "151000000"))</database>",
        .newerFormat
      ),
      ("<database>\(Library.head.replacing("134481920", with: "-1"))</database>", .damaged),
      ("<database>\(Library.head.replacing(">9<", with: ">nine<"))</database>", .damaged),
      ("<database>\(Library.head.replacing("6FB9", with: "6FB"))</database>", .damaged),
      ("<database>\(Library.head)\(Library.head)</database>", .damaged),
      (
        "<!DOCTYPE database [<!ENTITY e \"x\">]><database>\(Library.head)<object type=\"AUTHOR\" "
          + "id=\"z1\"><attribute name=\"name\">&e;</attribute></object></database>", .damaged
      ),
      (
        "<!DOCTYPE database [<!ENTITY e SYSTEM \"file:///etc/hostname\">]><database>\(Library.head)"
          + "<object type=\"AUTHOR\" id=\"z1\"><attribute name=\"name\">&e;</attribute></object>"
          + "</database>", .damaged
      ),
      ("<database xmlns:x=\"y\"><x:databaseInfo/></database>", .damaged),
    ])
  func refused(_ text: String, _ code: StoreError.Code) {
    let error = #expect(throws: StoreError.self) { try Library.read(Array(text.utf8)) }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "no error")")
  }

  @Test("Invalid metadata are refused, and the error names the line")
  func badMetadata() {
    for list in [
      "<plist><dict><key>a</key></dict></plist>", "<plist><string>x</string></plist>",
      "<plist><dict><integer>1</integer></dict></plist>", "<plist></plist>", "<dict></dict>",
      "<plist><dict><key>a</key><data>%%%</data></dict></plist>",
      "<plist><dict><key>a</key><date>soon</date></dict></plist>",
      "<plist><dict><key>a</key><real>0x1</real></dict></plist>",
      "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
      "<plist><dict><key>QuireModel</key><true/></dict></plist>",
      "<plist><dict><key>QuireValues</key><data>AAAA</data></dict></plist>",
      "<plist><dict>x</dict></plist>", "<plist><array><key>x</key></array></plist>",
      "<plist>" + String(repeating: "<array>", count: 400)
        + String(repeating: "</array>", count: 400) + "</plist>",
    ] {
      let head = Library.head.replacing(
        "<metadata></metadata>", with: "<metadata>\(list)</metadata>")
      let error = #expect(throws: StoreError.self) { try Library.read(objects: "", head: head) }
      #expect(error?.code == .damaged, "\(list)")
    }
  }

  @Test("Spellings that Core Data or a template may use are read alike")
  func lenient() throws {
    let objects = try Library.read(
      objects: """
        <!-- a remark --><?what ever?>
        <object id="z1" type="Author"><attribute type="odd" name="Name">A &lt; \\u26004</attribute>
        <attribute name="born"> 12.50 </attribute>
        <relationship destination="X" name="books" type="9/9" idrefs=" z3  z2 "/></object>
        <object type="book" id="z2"><relationship name="AUTHOR"/></object>
        <object type="COMIC" id="z3"><relationship name="author" idrefs="z1"/></object>
        """)
    let schema = try Schema(Library.model)
    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: schema[entity]!.entityNumber, number: number)
    }
    let author = Value.object(key("Author", 1))
    #expect(
      objects == [
        key("Author", 1): [
          "name": .string("A < &4"), "born": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
        ],
        key("Book", 2): ["author": author, "author#order": .integer(2)],
        key("Comic", 3): ["author": author, "author#order": .integer(1)],
      ])
  }

  @Test("The to-one side of a relationship decides")
  func asymmetric() throws {
    let objects = try Library.read(
      objects: """
        <object type="AUTHOR" id="z1"><relationship name="books" idrefs="z3"/></object>
        <object type="AUTHOR" id="z2"></object>
        <object type="BOOK" id="z3"><relationship name="author" idrefs="z2"/></object>
        """)
    let book = objects.first { $0.key.number == 3 }
    let author = objects.first { $0.key.number == 2 }!.key
    #expect(book?.value == ["author": .object(author)])
  }

  @Test("A document cut at any place, or with any byte changed, is an error or a usable store")
  func damage() throws {
    let disk = SimulatedDisk()
    let store = try Library.store(on: disk)
    let bytes = Array(try Library.text(store, on: disk).utf8)
    var errors = 0
    func check(_ bytes: [UInt8], _ place: String) throws {
      let disk = SimulatedDisk()
      try disk.open("/d", for: .create).append(bytes)
      do {
        let store = try XMLStoreBackend().open("/d", on: disk, StoreOpening())
        let snapshot = try store.snapshot()
        let objects = try StoreConformance.objects(snapshot)
        // A commit with the same metadata makes the store write the whole file.
        try store.commit(
          CommitRequest(Layer(), basedOn: snapshot, metadata: snapshot.metadata))
        let again = try XMLStoreBackend().open("/d", on: disk, StoreOpening()).snapshot()
        #expect(try StoreConformance.objects(again) == objects, "\(place)")
      } catch is StoreError {
        errors += 1
      }
    }
    for count in stride(from: 0, to: bytes.count, by: 1)
    where count % 3 == 0 || count > bytes.count - 900 {
      try check(Array(bytes[..<count]), "cut to \(count)")
    }
    let cuts = errors
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= [1, 2, 8, 0x40, 0x80][place % 5]
      try check(changed, "byte \(place)")
    }
    #expect(cuts > 500 && errors - cuts > bytes.count / 2)
  }

  @Test("A document without its model asks for a model, and accepts only its own")
  func models() throws {
    let disk = SimulatedDisk()
    var options = XMLStoreOptions()
    options.embedsModel = false
    let backend = XMLStoreBackend(options: options)
    try Library.store(backend, on: disk)
    func code(_ model: Model?) -> StoreError.Code? {
      do {
        _ = try backend.open("/library", on: disk, StoreOpening(readOnly: true, model: model))
        return nil
      } catch { return (error as? StoreError)?.code }
    }
    #expect(code(Library.model) == nil)
    #expect(code(nil) == .incompatibleModel)
    #expect(try backend.metadata(at: "/library", on: disk).uuid == Library.uuid)
    #expect(code(StoreConformance.model) == .incompatibleModel)
  }
}
