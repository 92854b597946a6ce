import CommandInterface
import Deflate
import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ModelNotations
import ObjectModel
import Quire
import Testing

@testable import ToolCommands

@Suite("Commands on documents")
struct DocumentCommandTests {
  private let disk = SimulatedDisk()
  private let models: ModelReader

  init() throws {
    func model(_ more: Property...) throws -> Model {
      try Model(
        Model.Description(
          entities: [
            Entity(
              "Trip",
              properties: [
                .attribute(Attribute("name", .string, isOptional: false)),
                .attribute(Attribute("cost", .double)),
              ] + more), Entity("Person", properties: [.attribute(Attribute("name", .string))]),
          ],
          configurations: [
            Configuration("Trips", entities: ["Trip"]),
            Configuration("People", entities: ["Person"]),
          ]))
    }
    let versions = ModelVersions(
      [
        .init("Trips", model: try model()),
        .init("Trips 2", model: try model(.attribute(Attribute("note", .string)))),
      ], currentName: "Trips")
    models = ModelReader { path in
      switch path {
      case "Trips.xcdatamodeld": return versions
      case "Next.xcdatamodeld":
        return ModelVersions(versions.versions, currentName: "Trips 2")
      default: throw CommandError(.inputOutput, "There is no '\(path)'.")
      }
    }
  }

  private func done(
    _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let run = self.run(words)
    #expect(run.exitCode == .done, "\(run.messages)", sourceLocation: sourceLocation)
    return run.output
  }

  private func run(_ words: [String]) -> RecordedRun {
    let reader = StoreReader.files(on: disk)
    return RecordedRun(
      words,
      tool: Tool(commands: [
        NewCommand.command(reader, models), InfoCommand.command(reader, models),
        FetchCommand.command(reader, models), CountCommand.command(reader, models),
        InsertCommand.command(reader, models), SetCommand.command(reader, models),
        DeleteCommand.command(reader, models), ConvertCommand.command(reader, models),
        SaveAsCommand.command(reader), MigrateCommand.command(reader, models),
        HistoryCommand.command(reader), RevertCommand.command(reader),
        VacuumCommand.command(reader, models), PackCommand.command(on: disk),
        UnpackCommand.command(on: disk), ExportCommand.command(reader, models),
        ImportCommand.command(reader, models), RecoverCommand.command(reader, models),
      ]))
  }

  private static let one = ["new", "/Trip.quire", "--model", "Trips.xcdatamodeld"]
  private static let two = one + ["--store", "trips=xml:Trips,people=compressed:People"]

  private func names(_ entity: String = "Trip", _ more: String...) -> String {
    run(
      [
        "fetch", "/Trip.quire", entity, "--columns", "name", "--sort", "name", "--ids", "--format",
        "csv",
      ]
        + more
    ).output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",").last.map(String.init) ?? ""
    }.joined(separator: " ")
  }

  @Test(
    "A document is created, edited, shown and reverted to an earlier version",
    arguments: [one, two])
  func editing(_ make: [String]) throws {
    #expect(run(make).exitCode == .done)
    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon", "cost=12.5")
    _ = done("insert", "/Trip.quire", "Trip", "name=Rome")
    _ = done("insert", "/Trip.quire", "Person", "name=Ada")
    #expect(names() == "Lisbon Rome")
    #expect(names("Person") == "Ada")
    // Without an entity, the entities of all stores are listed.
    let entities = run(["fetch", "/Trip.quire"]).output.split(separator: "\n")
    #expect(entities.filter { !$0.hasSuffix(" 0 objects") }.count == 2)
    _ = done("set", "/Trip.quire", "Trip", "name=Porto", "--where", "name == 'Lisbon'")
    _ = done("delete", "/Trip.quire", "Trip", "--where", "name == 'Rome'")
    #expect(names() == "Porto")
    #expect(done("count", "/Trip.quire", "Trip") == "1\n")
    #expect(names("Trip", "--version", "3") == "Lisbon Rome")

    let info = done("info", "/Trip.quire")
    for part in ["versions", "6, the newest is 6", "Trip", "1 object", "model"] {
      #expect(info.contains(part), "\(part) in \(info)")
    }
    let history = done("history", "/Trip.quire", "--changes", "--name", "3=Before the end")
    #expect(history.contains("+0 ~0 -1"))
    #expect(history.contains("+1 ~0 -0"))
    #expect(history.contains("\"Before the end\""))
    _ = done("revert", "/Trip.quire", "--to", "3")
    #expect(names() == "Lisbon Rome")
    #expect(names("Person") == "")
    #expect(run(["revert", "/Trip.quire", "--to", "99"]).exitCode == .inputOutput)
    let thinned = run(["history", "/Trip.quire", "--thin", "newest"])
    #expect(thinned.messages == "5 versions were removed.\n")
    #expect(names("Trip", "--version", "3") == "Lisbon Rome")
    _ = done("vacuum", "/Trip.quire")
    #expect(names() == "Lisbon Rome")
  }

  @Test(
    "Insertions by separate commands leave few keys unused",
    arguments: ["/Trip.quire", "/Trip.store"])
  func keys(_ path: String) {
    _ =
      path.hasSuffix("quire")
      ? done("new", path, "--model", "Trips.xcdatamodeld")
      : done("new", "/Other.quire", "--model", "Trips.xcdatamodeld")
    if path.hasSuffix("store") { _ = done("convert", "/Other.quire", path) }
    let numbers = (0..<4).compactMap { _ in
      Int(
        done("insert", path, "Trip", "name=Rome").trimmingCharacters(in: .newlines).split(
          separator: "p")[1])
    }
    #expect(numbers.count == 4 && Set(numbers).count == 4 && numbers.max()! <= 64, "\(numbers)")
  }

  @Test(
    "A document is copied, converted, packed, unpacked and migrated",
    arguments: [one, two])
  func elsewhere(_ make: [String]) throws {
    #expect(run(make).exitCode == .done)
    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon")
    _ = done("save-as", "/Trip.quire", "/Copy.quire")
    _ = done("save-as", "/Trip.quire", "/XML.quire", "--store", "xml")
    _ = done("insert", "/Trip.quire", "Trip", "name=Rome")
    #expect(done("count", "/Copy.quire", "Trip") == "1\n")
    #expect(done("count", "/XML.quire", "Trip") == "1\n")
    #expect(run(["save-as", "/Trip.quire", "/XML.quire"]).exitCode == .inputOutput)
    _ = done("convert", "/Trip.quire", "/Trips.store", "--in", make.count > 4 ? "trips" : "main")
    #expect(done("count", "/Trips.store", "Trip") == "2\n")

    _ = done("pack", "/Trip.quire")
    #expect(done("count", "/Trip.quire.zip", "Trip") == "2\n")
    #expect(done("info", "/Trip.quire.zip").contains("the newest is 3"))
    let refused = run(["insert", "/Trip.quire.zip", "Trip", "name=Faro"])
    #expect(refused.exitCode == .inputOutput)
    // Only the disk of the tool's own process unpacks and packs.
    #expect(refused.messages.contains("A packed document is changed by"))
    _ = done("unpack", "/Trip.quire.zip", "/Again.quire")
    _ = done("insert", "/Again.quire", "Trip", "name=Faro")
    #expect(done("count", "/Again.quire", "Trip") == "3\n")

    let plan = done("migrate", "/Trip.quire", "--model", "Next.xcdatamodeld", "--dry-run")
    let json = done(
      "migrate", "/Trip.quire", "--model", "Next.xcdatamodeld", "--dry-run", "--format", "json")
    #expect(json.contains("\"done\": false"))
    #expect(plan.contains("Nothing is lost."))
    let migrated = done(
      "migrate", "/Trip.quire", "--model", "Next.xcdatamodeld", "--format", "json")
    #expect(migrated.contains("\"done\": true"))
    _ = done("set", "/Trip.quire", "Trip", "note=new", "--where", "name == 'Rome'")
    #expect(names() == "Lisbon Rome")
    #expect(names("Trip", "--version", "2") == "Lisbon")
    let text = done("export", "/Trip.quire", "--entity", "Trip")
    #expect(text.contains("\"note\":\"new\""))
  }

  @Test("A command asks the store that contains the objects, and never one of several")
  func severalStores() throws {
    #expect(run(Self.one + ["--store", "a=binary,b=binary"]).exitCode == .done)
    #expect(done("count", "/Trip.quire", "Trip") == "0\n")
    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon", "--in", "b")

    #expect(done("count", "/Trip.quire", "Trip") == "1\n")
    #expect(names() == "Lisbon")
    #expect(done("export", "/Trip.quire", "--entity", "Trip").contains("Lisbon"))
    #expect(done("export", "/Trip.quire", "--entity", "Person,Trip").contains("Lisbon"))
    _ = done("set", "/Trip.quire", "Trip", "name=Porto", "--where", "TRUEPREDICATE")
    _ = done("insert", "/Trip.quire", "Person", "name=Ada", "--in", "a")
    let both = run(["export", "/Trip.quire", "--entity", "Person,Trip"])
    #expect(both.exitCode == .wrongUsage && both.messages.contains("contain objects of"))

    _ = done("insert", "/Trip.quire", "Trip", "name=Rome", "--in", "a")
    for words in [
      ["count", "/Trip.quire", "Trip"], ["fetch", "/Trip.quire", "Trip"],
      ["export", "/Trip.quire", "--entity", "Trip"],
      ["set", "/Trip.quire", "Trip", "name=X", "--where", "TRUEPREDICATE"],
      ["delete", "/Trip.quire", "Trip", "--where", "TRUEPREDICATE"],
      ["insert", "/Trip.quire", "Trip", "name=X"],
    ] {
      let refused = run(words)
      #expect(refused.exitCode == .wrongUsage, "\(words): \(refused.output)")
      #expect(
        refused.messages.contains("contain objects of 'Trip': a, b")
          && refused.messages.contains("--in: a, b"), "\(refused.messages)")
    }
    #expect(names("Trip", "--in", "a") == "Rome")
    #expect(names("Trip", "--in", "b") == "Porto")
    #expect(done("count", "/Trip.quire", "Trip", "--version", "3", "--in", "b") == "1\n")
    #expect(run(["fetch", "/Trip.quire"]).output.contains("Trip    2 objects"))
  }

  @Test("A command joins programs that share the document")
  func sharing() throws {
    #expect(run(Self.one).exitCode == .done)
    let places = StorePlaces(.builtIn, on: disk)
    let document = try Document.open("/Trip.quire", in: places, access: .shared)
    try document.addAttachment(named: "photo.jpg") { try $0([1, 2]) }

    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon")
    _ = done("vacuum", "/Trip.quire")
    _ = done("history", "/Trip.quire", "--thin", "newest")
    try document.save()

    #expect(names() == "Lisbon")
    #expect(document.attachments.map(\.name) == ["photo.jpg"])
    #expect(try document.openAttachment(named: "photo.jpg").read(byteCount: 9, at: 0) == [1, 2])
    try document.close()
  }

  @Test("A type of store may be written as 'info' prints it")
  func typeNames() {
    for type in ["Binary", "XML", "CompressedBinary"] {
      #expect(run(Self.one + ["--force", "--store", type]).exitCode == .done, "\(type)")
      #expect(done("info", "/Trip.quire").contains("main  \(type), "))
    }
  }

  @Test("A changed bit of a packed document is damage, and not a failed disk")
  func damagedEntries() throws {
    #expect(run(Self.two).exitCode == .done)
    for number in 0..<40 { _ = done("insert", "/Trip.quire", "Trip", "name=Trip \(number)") }
    _ = done("pack", "/Trip.quire", "/Trip.zip")
    let bytes = try disk.read("/Trip.zip", byteLimit: 1 << 24)
    var count = 0
    for place in stride(from: 60, to: bytes.count, by: 97) {
      var changed = bytes
      changed[place] ^= 4
      try disk.replace("/Trip.zip") { try $0.write(changed) }
      for words in [
        ["info", "/Trip.zip"], ["export", "/Trip.zip", "--entity", "Trip"],
        ["history", "/Trip.zip"],
      ] {
        let run = run(words)
        #expect(
          ![.inputOutput, .internalFault].contains(run.exitCode),
          "\(place) \(words): \(run.messages)")
        if run.exitCode == .unreadable, run.messages.contains("EBADMSG") { count += 1 }
      }
    }
    #expect(count > 0)
  }

  @Test(
    "A failed thinning tells whether the versions are gone",
    arguments: [DiskOperation.rename, .sync])
  func failedThinning(_ operation: DiskOperation) throws {
    var outcomes: Set<Bool> = []
    for number in 0..<12 {
      #expect(run(Self.one + ["--force"]).exitCode == .done)
      for name in ["Lisbon", "Rome"] { _ = done("insert", "/Trip.quire", "Trip", "name=\(name)") }
      disk.plan(.failing(.noSpace, on: operation, after: number))
      let failed = run(["history", "/Trip.quire", "--thin", "newest"])
      disk.planNoFailures()
      guard failed.exitCode != .done else { break }
      let document = try Document.open(
        "/Trip.quire", in: StorePlaces(.builtIn, on: disk), access: .readOnly)
      let isGone = document.versions.count == 1
      try document.close()
      outcomes.insert(isGone)
      #expect(failed.exitCode == .inputOutput)
      #expect(
        failed.messages.contains(
          isGone ? "2 versions are removed. Run 'quire vacuum" : "No version was removed."),
        "\(number): \(failed.messages)")
      #expect(!failed.messages.contains("manifest.json' was replaced"), "\(failed.messages)")
      #expect(done("count", "/Trip.quire", "Trip") == "2\n")
      _ = done("vacuum", "/Trip.quire")
    }
    #expect(outcomes.contains(true), "\(outcomes)")
  }

  @Test("Each error has its exit code")
  func wrong() throws {
    #expect(run(["new", "/Trip.quire"]).exitCode == .wrongUsage)
    #expect(run(Self.one + ["--store", "papyrus"]).exitCode == .wrongUsage)
    #expect(run(Self.one).exitCode == .done)
    #expect(run(Self.one).exitCode == .inputOutput)
    #expect(run(Self.one + ["--force"]).exitCode == .done)
    #expect(run(["info", "/None.quire"]).exitCode == .inputOutput)
    try disk.makeDirectory("/Folder")
    #expect(run(["info", "/Folder"]).exitCode == .unreadable)
    #expect(run(["fetch", "/Trip.quire", "Tripp"]).exitCode != .done)
    let newer = try String(
      decoding: disk.read("/Trip.quire/manifest.json", byteLimit: 1 << 20), as: UTF8.self
    ).replacingOccurrences(of: "\"formatVersion\": 1", with: "\"formatVersion\": 7")
    try disk.replace("/Trip.quire/manifest.json") { try $0.write(newer) }
    let refused = run(["info", "/Trip.quire"])
    #expect(refused.exitCode == .newerFormat)
    #expect(refused.messages.contains("7"))

    #expect(run(Array(Self.two) + ["--force"]).exitCode == .newerFormat)
  }

  @Test("The error for a locked document names the lock holder")
  func held() throws {
    #expect(run(Self.one).exitCode == .done)
    let document = try Document.open("/Trip.quire", in: StorePlaces(.builtIn, on: disk))
    let refused = run(["insert", "/Trip.quire", "Trip", "name=Lisbon"])
    #expect(refused.exitCode == .inputOutput)
    #expect(refused.messages.contains("open for writing"))
    #expect(done("count", "/Trip.quire", "Trip") == "0\n")
    try document.close()
    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon")
    #expect(done("count", "/Trip.quire", "Trip") == "1\n")
  }

  @Test(
    "The readable contents of a damaged document become a new document", arguments: [one, two],
    [true, false])
  func recovery(_ make: [String], _ losesManifest: Bool) throws {
    #expect(run(make).exitCode == .done)
    for number in 0..<40 { _ = done("insert", "/Trip.quire", "Trip", "name=Trip \(number)") }
    _ = done("insert", "/Trip.quire", "Person", "name=Ada")
    let document = try Document.open("/Trip.quire", in: StorePlaces(.builtIn, on: disk))
    for name in ["a", "b"] { try document.addAttachment(named: name) { try $0(Array(name.utf8)) } }
    try document.save()
    let digest = document.attachments[1].digest
    try document.close()
    try disk.replace("/Trip.quire/attachments/\(digest)") { try $0.write("x") }
    if losesManifest {
      try disk.replace("/Trip.quire/manifest.json") { try $0.write("{") }
      #expect(run(["info", "/Trip.quire"]).exitCode == .unreadable)
    }
    let recovered = run(["recover", "/Trip.quire", "--output", "/New.quire"])
    #expect(recovered.exitCode == .no, "\(recovered.messages)")
    #expect(recovered.output.contains("Trip: 40"))
    #expect(recovered.messages.contains(losesManifest ? "manifest" : "\"b\" is lost"))
    let counted = run(
      ["count", "/New.quire", "Trip"] + (losesManifest && make.count > 4 ? ["--in", "trips"] : []))
    #expect(counted.output == "40\n" || losesManifest, "\(counted.messages)")
    let info = done("info", "/New.quire")
    #expect(info.contains("40 objects") && info.contains("1 object"))
    #expect(losesManifest || info.contains("attachments"))
  }

  @Test("A changed digit of the manifest is an error, and recovery keeps the names")
  func changedDigit() throws {
    _ = done("new", "/Trip.quire", "--model", "Trips.xcdatamodeld", "--title", "A trip")
    for name in ["Lisbon", "Rome", "Faro"] {
      _ = done("insert", "/Trip.quire", "Trip", "name=\(name)")
    }
    let text = String(
      decoding: try disk.read("/Trip.quire/manifest.json", byteLimit: 1 << 20), as: UTF8.self)
    let changed = text.replacing("\"commit\": 2", with: "\"commit\": 1")
    #expect(changed != text)
    try disk.replace("/Trip.quire/manifest.json") { try $0.write(changed) }

    for words in [
      ["count", "/Trip.quire", "Trip"], ["export", "/Trip.quire"], ["info", "/Trip.quire"],
    ] {
      let run = run(words)
      #expect(run.exitCode == .unreadable, "\(words)")
      #expect(run.messages.contains("'quire recover /Trip.quire --output"), "\(run.messages)")
    }
    let recovered = run(["recover", "/Trip.quire", "--output", "/New.quire"])
    #expect(recovered.exitCode == .no)
    #expect(recovered.messages.contains("The manifest is damaged"), "\(recovered.messages)")
    #expect(done("count", "/New.quire", "Trip") == "3\n")
    #expect(done("info", "/New.quire").contains("A trip"))
  }

  // MARK: - Archives of other programs

  /// Packs the files of a folder like a program that does not know documents.
  private func zip(_ folder: String, _ names: [String]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    for name in names {
      let data = try disk.read("\(folder)/\(name)", byteLimit: 1 << 24)
      var checksum = CRC32()
      checksum.update(data.rawSpan)
      let fields =
        number(20, 2) + number(0, 8) + number(Int(checksum.value), 4) + number(data.count, 4)
        + number(data.count, 4) + number(name.utf8.count, 2) + number(0, 2)
      directory +=
        number(0x0201_4B50, 4) + number(20, 2) + fields + number(0, 10) + number(bytes.count, 4)
        + name.utf8
      bytes += number(0x0403_4B50, 4) + fields + name.utf8 + data
    }
    let start = bytes.count
    return bytes + directory + number(0x0605_4B50, 4) + number(0, 4) + number(names.count, 2)
      + number(names.count, 2) + number(directory.count, 4) + number(start, 4) + number(0, 2)
  }

  @Test("All commands accept another program's archive as a document, or all refuse it")
  func foreignArchives() throws {
    _ = done("new", "/Trip.quire", "--model", "Trips.xcdatamodeld")
    _ = done("insert", "/Trip.quire", "Trip", "name=Lisbon")
    let names = ["models/Trips.xml", "stores/main.store", "manifest.json"]
    try disk.replace("/whole.zip") { try $0.write(zip("/Trip.quire", names)) }
    try disk.replace("/other.zip") { try $0.write(zip("/Trip.quire", Array(names.dropLast()))) }
    let commands = [
      ["info"], ["count", "Trip"], ["fetch", "Trip"], ["export"], ["unpack", "/unpacked"],
      ["recover", "--output", "/recovered.quire"], ["convert", "/converted.store"],
    ]

    for words in commands {
      let whole = run([words[0], "/whole.zip"] + words.dropFirst())
      #expect(whole.exitCode == .done, "\(words): \(whole.messages)")
    }
    for path in ["/unpacked", "/recovered.quire", "/converted.store"] {
      #expect(done("count", path, "Trip") == "1\n", "\(path)")
      try disk.removeTree(path)
    }
    for words in commands {
      let other = run([words[0], "/other.zip"] + words.dropFirst())
      #expect(other.exitCode != .done, "\(words)")
      #expect(!other.messages.isEmpty)
    }
    #expect(try !disk.exists("/unpacked"))
    #expect(run(["unpack", "/other.zip", "/unpacked"]).messages.contains("not a packed document"))
  }
}
