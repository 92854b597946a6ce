import DiskSimulation
import Documents
import DurableFiles
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Documents")
struct ContainerTests {
  @Test("A document keeps its saves, and opens by its path alone", arguments: Mix.allCases)
  func roundTrip(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    try world.add("Porto", to: document)
    try document.close()

    let opened = try world.open()
    #expect(try world.names(in: opened) == .each("Lisbon", "Porto"))
    #expect(opened.manifest.title == "A trip")
    #expect(opened.manifest.uuid == document.manifest.uuid)
    #expect(opened.versions.map(\.number) == [1, 2, 3])
    #expect(try opened.model.versionHashes == DocumentWorld.model.versionHashes)
    // The next save goes on from the opened state.
    try world.add("Faro", to: opened)
    #expect(try world.names(in: opened) == .each("Faro", "Lisbon", "Porto"))
    try opened.close()
    #expect(try world.names() == .each("Faro", "Lisbon", "Porto"))
  }

  @Test("An existing document is replaced only on request", arguments: [Mix.binary, .xml])
  func overwriting(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    try world.add("Lisbon", to: try world.create())
    let error = #expect(throws: DocumentError.self) { try world.create() }
    #expect(error?.code == .exists)
    #expect(try world.names() == .each("Lisbon"))

    let other = try Document.create(
      DocumentWorld.path, model: DocumentWorld.model, stores: mix.stores, in: world.places,
      overwriting: true)
    try other.close()
    #expect(try world.names() == [[], [], []])
  }

  @Test("A file that is not a document is neither overwritten nor opened")
  func noDocument() throws {
    let world = DocumentWorld(.binary)
    try world.disk.makeDirectory(DocumentWorld.path)
    try world.write("mine", to: "file.txt")
    #expect(throws: DocumentError.self) {
      try Document.create(
        DocumentWorld.path, model: DocumentWorld.model, in: world.places, overwriting: true)
    }
    #expect(try world.text(of: "file.txt") == "mine")
    #expect(#expect(throws: DocumentError.self) { try world.open() }?.code == .notADocument)
    let missing = #expect(throws: DocumentError.self) {
      try Document.open("/None.quire", in: world.places)
    }
    #expect(missing?.code == .notFound)
    #expect(try world.files() == ["file.txt"], "Nothing is left where there is no document.")
  }

  @Test(
    "A second process gets the lock holder's name, waits for the lock, or opens for reading",
    arguments: Mix.allCases)
  func held(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    let other = DocumentWorld(mix, on: disk.seen(by: DocumentWorld.otherProcess))

    let error = #expect(throws: DocumentError.self) { try other.open() }
    #expect(error?.code == .locked)
    #expect(error?.message.contains("process 100") == true, "\(String(describing: error))")

    let reader = try other.open(whenHeld: .readOnly)
    #expect(reader.isReadOnly)
    #expect(try other.names(in: reader) == .each("Lisbon"))
    let refused = #expect(throws: (any Error).self) { try other.add("Porto", to: reader) }
    #expect(refused.map { "\($0)" }?.isEmpty == false)

    // The reader sees a later save after a refresh, and not before.
    try world.add("Porto", to: document)
    #expect(try other.names(in: reader) == .each("Lisbon"))
    #expect(try reader.refresh())
    #expect(try !reader.refresh())
    #expect(try other.names(in: reader) == .each("Lisbon", "Porto"))

    // The holder saves once more after the waiting process has read the manifest.
    disk.whilePausing {
      try? world.add("Sintra", to: document)
      try? document.close()
    }
    let waiting = try other.open(whenHeld: .wait(.seconds(5)))
    disk.whilePausing(nil)
    #expect(try other.names(in: waiting) == .each("Lisbon", "Porto", "Sintra"))
    try other.add("Faro", to: waiting)
    #expect(try world.names() == .each("Faro", "Lisbon", "Porto", "Sintra"))
  }

  @Test("A store in memory can't be part of a document, whether new or named by a manifest")
  func storeInMemory() throws {
    let world = DocumentWorld(.binary)
    let made = #expect(throws: DocumentError.self) {
      try Document.create(
        DocumentWorld.path, model: DocumentWorld.model, stores: [.init(type: .memory)],
        in: world.places)
    }
    #expect(made?.code == .notSupported && made?.message.contains("InMemory") == true)
    #expect(try !world.disk.exists(DocumentWorld.path))

    let document = try world.create()
    try document.close()
    var manifest = document.manifest
    manifest.stores[0].type = .memory
    try world.write(manifest.text, to: "manifest.json")
    for access in [Document.Access.exclusive, .readOnly] {
      let opened = #expect(throws: DocumentError.self) { try world.open(access) }
      #expect(opened?.code == .notSupported && opened?.message.contains("InMemory") == true)
    }
  }

  @Test("The lock of an ended process is free")
  func stale() throws {
    let disk = SimulatedDisk()
    let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    let document = try other.create()
    try other.add("Lisbon", to: document)
    disk.endProcess(DocumentWorld.otherProcess)
    let world = DocumentWorld(.binary, on: disk)
    try world.add("Porto", to: try world.open())
    #expect(try world.names() == .each("Lisbon", "Porto"))
  }

  @Test(
    "Several processes save in turns, and each sees the saves of the others",
    arguments: Mix.allCases)
  func shared(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    try world.create().close()
    let other = DocumentWorld(mix, on: disk.seen(by: DocumentWorld.otherProcess))
    let (ours, theirs) = (try world.open(.shared), try other.open(.shared))
    for number in 1...4 {
      try world.add("Ours \(number)", to: ours)
      try other.add("Theirs \(number)", to: theirs)
    }
    let all = (1...4).flatMap { ["Ours \($0)", "Theirs \($0)"] }.sorted()
    #expect(try world.names() == [all, all, all])

    // If two processes change the same object, they are in conflict, and no change is lost.
    let (here, there) = (try world.context(ours), try other.context(theirs))
    let mine = try #require(try here.fetch(FetchRequest("Trip")).first)
    let same = try there.existingObject(with: mine.objectID)
    same["name"] = .string("There")
    try there.save()
    mine["name"] = .string("Here")
    let error = #expect(throws: ContextError.self) { try here.save() }
    #expect(error?.code == .conflict)
    here.mergePolicy = .objectWins
    try here.save()
    #expect(try world.names()[0].contains("Here"))
  }

  @Test(
    "Attachments that a shared document has staged stay until it is closed",
    arguments: [true, false])
  func stagedAttachments(_ isOneProcess: Bool) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.binary, on: disk)
    try world.create().close()
    let other =
      isOneProcess ? world : DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    let bytes = Array("a photograph".utf8)
    let theirs = try other.open(.shared)
    try theirs.addAttachment(named: "old.jpg") { try $0(bytes) }
    try theirs.save()
    try theirs.removeAttachment(named: "old.jpg")
    try theirs.save()
    let ours = try world.open(.shared)
    try ours.addAttachment(named: "photo.jpg") { try $0(bytes) }
    try ours.addAttachment(named: "new.jpg") { try $0([1]) }

    // Neither an exclusive opening nor a program that forgets versions removes the bytes.
    let error = #expect(throws: DocumentError.self) { try other.open() }
    #expect(error?.code == .locked && error?.message.contains("shares it") == true)
    #expect(try other.open(whenHeld: .readOnly).isReadOnly)
    #expect(try theirs.thin(.newestOnly) == 2)
    try theirs.vacuum()
    try other.open(.shared).close()
    try ours.save()

    #expect(ours.attachments.map(\.name) == ["new.jpg", "photo.jpg"])
    #expect(try ours.openAttachment(named: "photo.jpg").read(byteCount: 99, at: 0) == bytes)
    try theirs.close()
    #expect(throws: DocumentError.self) { try other.open() }

    // A waiting process gets the document when the last program closes it, which can save meanwhile.
    try ours.addAttachment(named: "late.jpg") { try $0([2]) }
    disk.whilePausing {
      try? ours.save()
      try? ours.close()
    }
    let waiting = try other.open(whenHeld: .wait(.seconds(5)))
    disk.whilePausing(nil)
    #expect(waiting.attachments.map(\.name) == ["late.jpg", "new.jpg", "photo.jpg"])
    #expect(#expect(throws: DocumentError.self) { try world.open(.shared) }?.code == .locked)
    try waiting.close()
  }

  @Test("The bytes of forgotten attachments go when no other program shares the document")
  func forgottenAttachments() throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.binary, on: disk)
    try world.create().close()
    let other = DocumentWorld(.binary, on: disk.seen(by: DocumentWorld.otherProcess))
    let (ours, theirs) = (try world.open(.shared), try other.open(.shared))
    func forget(_ name: String) throws {
      try ours.addAttachment(named: name) { try $0(Array(name.utf8)) }
      try ours.save()
      try ours.removeAttachment(named: name)
      try ours.save()
      _ = try ours.thin(.newestOnly)
    }
    func count() throws -> Int { try world.files().count { $0.hasPrefix("attachments/") } }

    try forget("kept beside another program")
    #expect(try count() == 1)
    try theirs.close()
    try forget("removed alone")
    #expect(try count() == 1)
    // Added again and not saved, the bytes are needed.
    try ours.addAttachment(named: "again") { try $0([3]) }
    try ours.save()
    try ours.removeAttachment(named: "again")
    try ours.save()
    try ours.addAttachment(named: "again") { try $0([3]) }
    _ = try ours.thin(.newestOnly)
    try ours.save()
    #expect(ours.attachments.map(\.name) == ["again"])
    try ours.close()

    // The first program that shares the document removes what no version names.
    let next = try world.open(.shared)
    #expect(try count() == 1)
    try next.close()
  }

  @Test(
    "A folder of a document that is a link is refused before anything is written or removed",
    arguments: ["models", "stores", "attachments"])
  func linkedFolders(_ folder: String) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(.binary, on: disk)
    let document = try world.create()
    try document.addAttachment(named: "a.txt") { try $0([1]) }
    try document.save()
    // A folder of the user, with files that look like leftovers of a save.
    try disk.makeDirectory("/home")
    let digest = String(repeating: "ab", count: 32)
    for name in [digest, "main-1.store", "1-2.xml"] {
      try disk.replace("/home/\(name)") { try $0.write("mine") }
    }
    let before = try world.files(in: "/home")
    let path = DocumentWorld.path + "/" + folder
    func link() throws {
      try disk.rename(path, to: "/moved")
      try disk.calls.makeSymbolicLink(path, to: "/home")
    }

    // A link may appear while the document is open, or be there before.
    try link()
    for change: (Document) throws -> Void in [
      { try $0.addAttachment(named: "b.txt") { try $0([2]) } }, { try $0.save { $0.title = "B" } },
      { _ = try $0.thin(.newestOnly) }, { try $0.vacuum() },
    ] {
      #expect(#expect(throws: DocumentError.self) { try change(document) }?.code == .damaged)
    }
    try document.close()
    for access in [Document.Access.exclusive, .shared] {
      let error = #expect(throws: DocumentError.self) { try world.open(access) }
      #expect(error?.code == .damaged && error?.path == path)
    }
    #expect(try world.files(in: "/home") == before)
    if folder == "attachments" { #expect(try world.names() == [[], [], []]) }
  }

  @Test("A document whose lock file was removed does not save over the save of another program")
  func removedLock() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    try world.add("one", to: document)
    try world.disk.remove(DocumentWorld.path + "/.lock")
    let other = try world.open()
    try world.add("two", to: other)
    let error = #expect(throws: DocumentError.self) { try world.add("three", to: document) }
    #expect(error?.code == .gone, "\(String(describing: error))")
    try other.close()
    try document.close()
    #expect(try world.names() == .each("one", "two"))
    // The next program locks the file that is there now.
    let third = try world.open()
    try world.add("four", to: third)
    try third.close()
    #expect(try world.names() == .each("one", "two", "four"))
  }

  @Test(
    "A document that was moved or removed while open throws an error", arguments: [true, false])
  func gone(_ isMoved: Bool) throws {
    let world = DocumentWorld(.binaryAndXML)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    if isMoved {
      try world.disk.rename(DocumentWorld.path, to: "/Elsewhere.quire")
    } else {
      try world.disk.removeTree(DocumentWorld.path)
    }
    let error = #expect(throws: DocumentError.self) { try document.save { $0.title = "Mine" } }
    #expect(error?.code == .gone)
    #expect(#expect(throws: DocumentError.self) { try document.refresh() }?.code == .gone)
    #expect(try world.disk.exists(DocumentWorld.path) == false)
  }

  @Test("Earlier versions are listed, opened, compared and restored", arguments: Mix.allCases)
  func versions(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    for name in ["Lisbon", "Porto", "Faro"] { try world.add(name, to: document) }
    try document.addAttachment(named: "a.txt") { try $0(Array("one".utf8)) }
    try document.save()
    try document.removeAttachment(named: "a.txt")
    let context = try world.context(document)
    for trip in try context.fetch(FetchRequest("Trip")) { context.delete(trip) }
    try context.save()

    let numbers = document.versions.map(\.number)
    #expect(numbers.count == 6)
    #expect(try world.names(version: numbers[2]) == .each("Lisbon", "Porto"))
    #expect(try world.names(version: numbers[0]) == [[], [], []])
    let then = try document.open(version: numbers[4])
    #expect(then.attachments.map(\.name) == ["a.txt"])
    #expect(
      try then.openAttachment(named: "a.txt").read(byteCount: 10, at: 0) == Array("one".utf8))
    #expect(document.attachments == [])

    let changes = try document.changes(from: numbers[1], to: numbers[2])
    #expect(changes.reduce(0) { $0 + $1.layer.count } == 3)

    try document.nameVersion(numbers[2], "Before Faro")
    try document.revert(to: numbers[4])
    #expect(try world.names(in: document) == .each("Faro", "Lisbon", "Porto"))
    #expect(document.attachments.map(\.name) == ["a.txt"])
    #expect(document.versions.count == 7, "Going back is one more version.")

    #expect(try document.thin(.newestOnly) == 5)
    #expect(document.versions.map(\.name) == ["Before Faro", nil])
    #expect(try world.names(version: numbers[2]) == .each("Lisbon", "Porto"))
    #expect(throws: DocumentError.self) { try document.open(version: numbers[1]) }
    try world.add("Sintra", to: document)
    try document.close()
    #expect(try world.names() == .each("Faro", "Lisbon", "Porto", "Sintra"))
    let left = try world.files().filter { $0.hasPrefix("attachments/") }
    #expect(left.count == 1)
  }

  @Test("Equal attachments are stored once, and removed with the last version that has them")
  func attachments() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    let bytes = [UInt8](repeating: 7, count: 700_000)
    for name in ["a", "b"] {
      try document.addAttachment(named: name) { write in
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
          try write(Array(bytes[start..<start + 100_000]))
        }
      }
    }
    #expect(document.attachments == [], "They are part of the document once it is saved.")
    #expect(try document.openAttachment(named: "a").byteCount == bytes.count)
    try document.save()
    #expect(document.attachments.map(\.name) == ["a", "b"])
    #expect(Set(document.attachments.map(\.digest)).count == 1)
    var read: [UInt8] = []
    try document.openAttachment(named: "b").forEachPiece { read += $0 }
    #expect(read == bytes)

    try document.removeAttachment(named: "a")
    try document.save()
    #expect(throws: DocumentError.self) { try document.openAttachment(named: "a") }
    try document.removeAttachment(named: "b")
    try document.save()
    #expect(try world.files().count { $0.hasPrefix("attachments/") } == 1)
    try document.thin(.newestOnly)
    #expect(try world.files().count { $0.hasPrefix("attachments/") } == 0)

    struct Stopped: Error {}
    #expect(throws: Stopped.self) {
      try document.addAttachment(named: "c") { _ in throw Stopped() }
    }
    try document.save()
    #expect(document.attachments == [])
    #expect(try world.files().count { $0.hasPrefix("attachments/") } == 0)
  }

  @Test("Forgetting versions removes no attachment that is not saved yet")
  func stagedAndThinned() throws {
    let world = DocumentWorld(.binary)
    let document = try world.create()
    try document.addAttachment(named: "old") { try $0([1]) }
    try document.save()
    try document.removeAttachment(named: "old")
    try document.save()
    try document.addAttachment(named: "new") { try $0([2]) }
    #expect(try document.thin(.newestOnly) == 2)
    try document.vacuum()
    try document.save()
    #expect(document.attachments.map(\.name) == ["new"])
    #expect(try document.openAttachment(named: "new").read(byteCount: 9, at: 0) == [2])
    #expect(try world.files().count { $0.hasPrefix("attachments/") } == 1)
  }

  @Test("Stores with similar names have different files")
  func twins() throws {
    let world = DocumentWorld(.xml)
    let document = try Document.create(
      DocumentWorld.path, model: DocumentWorld.model,
      stores: [
        .init("a b", type: .xml, configuration: "Trips"),
        .init("A-b", type: .xml, configuration: "People"),
        .init("旅行", type: .xml, configuration: "Notes"),
      ], in: world.places)
    for name in ["Lisbon", "Porto"] { try world.add(name, to: document) }
    try document.close()
    #expect(try world.names() == .each("Lisbon", "Porto"))
  }
}
