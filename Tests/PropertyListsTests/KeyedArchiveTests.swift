import Foundation
import PropertyLists
import Testing

@Suite("Keyed archives")
struct KeyedArchiveTests {
  @Test("Objects that refer to one another are read back as they were written")
  func circle() throws {
    let person = ArchivedClass("Person", "Being")
    var writer = KeyedArchiveWriter()
    let (ada, grace) = (writer.reserve(), writer.reserve())
    writer.fill(ada, person, ["name": writer.text("Ada"), "friend": grace, "age": .integer(36)])
    writer.fill(grace, person, ["name": writer.text("Grace"), "friend": ada])

    let root = try KeyedArchive(writer.bytes(root: ada)).root

    #expect(root.classNames == ["Person", "Being", "NSObject"])
    #expect(root.fieldNames == ["age", "friend", "name"])
    #expect(root["age"]?.integer == 36 && root["name"]?.string == "Ada")
    #expect(root["friend"]?["name"]?.string == "Grace")
    #expect(root["friend"]?["friend"]?.index == root.index)
  }

  @Test("Values of common classes come back equal")
  func values() throws {
    let date = Date(timeIntervalSinceReferenceDate: -12.5)
    let uuid = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
    var writer = KeyedArchiveWriter()
    let members: [(String, PropertyList)] = [
      ("z", writer.text("text")), ("date", writer.date(date)), ("uuid", writer.uuid(uuid)),
      ("url", writer.url("https://example.org/a?b")), ("no", KeyedArchiveWriter.nothing),
      ("data", writer.add(.data(Data([1, 2])))), ("yes", writer.add(.boolean(true))),
      ("real", writer.add(.real(1.5))), ("notes", writer.dictionary(["b": "2", "a": "1"])),
      ("set", writer.array([writer.text("b"), writer.text("a")], as: .set)),
    ]
    let bytes = writer.bytes(root: writer.dictionary(members, as: .mutableDictionary))

    let root = try KeyedArchive(bytes).root

    #expect(root.className == "NSMutableDictionary")
    let order = ["z", "date", "uuid", "url", "data", "yes", "real", "notes", "set"]
    #expect(root.members?.map(\.0) == order)
    let read = try #require(root.dictionary)
    #expect(read["z"]?.string == "text" && read["date"]?.date == date && read["uuid"]?.uuid == uuid)
    #expect(read["url"]?.url == "https://example.org/a?b" && read["data"]?.data == Data([1, 2]))
    #expect(read["yes"]?.value == .boolean(true) && read["real"]?.real == 1.5)
    #expect(read["notes"]?.members?.map(\.0) == ["a", "b"])
    #expect(read["set"]?.array?.map(\.string) == ["b", "a"])
  }

  @Test(
    "Decimal numbers come back equal",
    arguments: [
      "0", "-0.0", "1", "-1.5", "100", "0.001", "12345678901234567890123456789012345678",
      "-99999999999999999999999999999999999999", "1e127", "-7e-100", "123e120", "65536", "655.36",
    ])
  func decimals(_ text: String) throws {
    let decimal = try #require(Decimal(string: text))
    var writer = KeyedArchiveWriter()
    let bytes = writer.bytes(root: writer.decimal(decimal))
    #expect(try KeyedArchive(bytes).root.decimal == decimal)
  }

  @Test("Foundation's own reader reads a written archive")
  func foundation() throws {
    let uuid = UUID()
    var writer = KeyedArchiveWriter()
    let list = writer.array([writer.add(.integer(-3)), writer.add(.real(0.5))], as: .mutableArray)
    let members: [(String, PropertyList)] = [
      ("text", writer.text("ü")), ("uuid", writer.uuid(uuid)), ("list", list),
      ("date", writer.date(Date(timeIntervalSinceReferenceDate: 7))),
      ("url", writer.url("https://example.org/")), ("data", writer.add(.data(Data([9])))),
      ("set", writer.array([writer.text("ü")], as: .set)),
    ]
    let bytes = writer.bytes(root: writer.dictionary(members))

    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(bytes))
    unarchiver.requiresSecureCoding = false
    let root = try #require(
      unarchiver.decodeObject(forKey: "root") as? NSDictionary)

    #expect(root["text"] as? String == "ü" && root["data"] as? Data == Data([9]))
    #expect((root["uuid"] as? NSUUID)?.uuidString == uuid.uuidString)
    #expect(root["list"] as? [Double] == [-3, 0.5])
    #expect((root["date"] as? NSDate)?.timeIntervalSinceReferenceDate == 7)
    #expect((root["url"] as? NSURL)?.absoluteString == "https://example.org/")
    #expect((root["set"] as? NSSet)?.allObjects as? [String] == ["ü"])
  }

  @Test("Texts and classes are written once, in the layout of Foundation's archiver")
  func layout() throws {
    var writer = KeyedArchiveWriter()
    let lists = (0..<3).map { _ in writer.array([writer.text("same"), writer.text("same")]) }
    let list = try BinaryPropertyList.read(writer.bytes(root: writer.array(lists)))

    #expect(list["$archiver"]?.string == "NSKeyedArchiver" && list["$version"]?.integer == 100_000)
    #expect(list["$top"]?.dictionary == ["root": .uid(6)])
    let objects = try #require(list["$objects"]?.array)
    // The objects are `$null`, the text, four lists and the lists' class.
    #expect(objects.count == 7)
    #expect(objects[0] == .string("$null"))
    let classes = objects.filter { $0["$classname"] != nil }
    let expected: [String: PropertyList] = [
      "$classname": .string("NSArray"),
      "$classes": .array([.string("NSArray"), .string("NSObject")]),
    ]
    #expect(classes == [.dictionary(expected)])
  }
}
