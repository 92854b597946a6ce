import CXMLPeer
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreInterface
import XMLStore

/// Compares the XML store with the lower limits of its library. Loading is compared with a parse that only counts elements, and
/// saving with a handwritten writer for these people.
func runXMLBenchmarks(_ count: Int) throws {
  let bench = try XMLBench(count)
  defer { bench.clean() }
  try bench.measure()
}

private final class XMLBench {
  let count: Int
  let companies: Int
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "quire-bench-\(UUID().uuidString)")
  let layer: Layer
  let backend: XMLStoreBackend
  var path: String { folder.appending(path: "people.xml").path }

  init(_ count: Int) throws {
    self.count = count
    companies = max(1, count / 100)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = XMLStoreOptions()
    options.form = .coreData
    backend = XMLStoreBackend(options: options)
    layer = XMLBench.layer(count, companies)
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try save(path)
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  /// Returns a layer with the people and their companies. The numbers of the companies follow those of the people.
  private static func layer(_ count: Int, _ companies: Int) -> Layer {
    let company = People.schema["Company"]!
    var writer = BlockWriter()
    var people: [Block] = []
    let reference = People.layout.index(of: "company")!
    for draft in People.drafts(count, companies: companies) {
      for row in 0..<draft.rowCount {
        guard let key = draft.integer(column: reference, row: row) else { continue }
        let number = ObjectKey(rawValue: UInt64(key)).number + UInt64(count)
        draft.setReference(
          ObjectKey(entity: company.entityNumber, number: number), column: reference, row: row)
      }
      people += Draft.freeze([draft], &writer)
    }
    var drafts: [Draft] = []
    for number in 1...companies {
      if drafts.last?.isFull ?? true { drafts.append(Draft(company, role: .insertions)) }
      let draft = drafts[drafts.count - 1]
      let row = draft.append(key: UInt64(count + number))
      draft.setString("Company \(number) Ltd", column: company.index(of: "name")!, row: row)
    }
    return Layer([
      .init(entityNumber: People.layout.entityNumber, put: BlockRun(people)),
      .init(
        entityNumber: company.entityNumber,
        put: BlockRun(drafts.flatMap { Draft.freeze([$0], &writer) })),
    ])
  }

  private func save(_ path: String) throws {
    let store = try backend.create(
      at: path, model: People.model, on: RealDisk(), StoreCreation(overwriting: true))
    try store.commit(CommitRequest(layer, basedOn: store.snapshot()))
    try store.close()
  }

  func measure() throws {
    let byteCount = try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
    print("\(count) people in \(byteCount) bytes of XML, \(byteCount / count) an object")
    var measurement = Measurement(rounds: 5)
    let (count, companies, path, backend) = (count, companies, path, backend)
    measurement.add("libxml2 counting elements and bytes", byteCount, "byte") {
      xml_peer_count(path)
    }
    measurement.add("load", byteCount, "byte") {
      let store = try! backend.open(path, on: RealDisk(), StoreOpening(readOnly: true))
      return Int(try! store.snapshot().commit)
    }
    let peerPath = folder.appending(path: "peer.xml").path
    let people = (0..<count).map { Person($0, companies: companies) }
    measurement.add("a writer for these people alone, and sync", byteCount, "byte") {
      XMLPeerWriter.write(people, companies, peerPath)
    }
    let savePath = folder.appending(path: "save.xml").path
    var store: (any Store)?
    measurement.add("save, and sync", byteCount, "byte") { [layer] in
      Int(try! store!.commit(CommitRequest(layer, basedOn: store!.snapshot())).commit)
    }
    measurement.prepare {
      store = try! backend.create(
        at: savePath, model: People.model, on: RealDisk(), StoreCreation(overwriting: true))
    }
    let times = measurement.report("XML")
    target(
      "load / libxml2 counting",
      Measurement.ratio(times, "load", to: "libxml2 counting elements and bytes"), atMost: 1.6)
    target(
      "save / hand-written writer",
      Measurement.ratio(
        times, "save, and sync", to: "a writer for these people alone, and sync"), atMost: 2)
    let peerBytes = try FileManager.default.attributesOfItem(atPath: peerPath)[.size] as! Int
    print("  the peer wrote \(peerBytes) bytes")
  }
}

/// Writes people in the format of the XML store, with full knowledge of their structure in advance.
enum XMLPeerWriter {
  static func write(_ people: [Person], _ companies: Int, _ path: String) -> Int {
    var output = PeerOutput(path)
    return output.write(people, companies)
  }
}

/// A buffer for the bytes of a file, written one mebibyte at a time.
private struct PeerOutput {
  private let file: Int32
  private let capacity = 1 << 20
  private let buffer: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var total = 0

  init(_ path: String) {
    file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o644)
    buffer = .allocate(capacity: capacity)
  }

  private mutating func flush() {
    var written = 0
    while written < count { written += Foundation.write(file, buffer + written, count - written) }
    total += count
    count = 0
  }

  private mutating func put(_ text: StaticString) {
    memcpy(buffer + count, text.utf8Start, text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  private mutating func put(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      if let start = utf8.baseAddress { memcpy(buffer + count, start, utf8.count) }
      count += utf8.count
    }
  }

  private mutating func put(_ number: Int) {
    var rest = number
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    rest = number
    var place = count + digits
    count = place
    repeat {
      place -= 1
      buffer[place] = UInt8(48 + rest % 10)
      rest /= 10
    } while rest > 0
  }

  mutating func write(_ people: [Person], _ companies: Int) -> Int {
    defer {
      close(file)
      buffer.deallocate()
    }
    var members = [[Int]](repeating: [], count: companies + 1)
    put("<?xml version=\"1.0\" standalone=\"yes\"?>\n<database>\n")
    for (index, person) in people.enumerated() {
      members[Int(person.company)].append(index + 1)
      put("    <object type=\"PERSON\" id=\"z")
      put(index + 1)
      put("\">\n        <attribute name=\"active\" type=\"bool\">")
      put(person.active ? 1 : 0)
      put("</attribute>\n        <attribute name=\"age\" type=\"int32\">")
      put(Int(person.age))
      put("</attribute>\n        <attribute name=\"balance\" type=\"double\">")
      let cents = Int((person.balance * 100).rounded())
      put(cents / 100)
      if cents % 100 > 0 {
        put(".")
        buffer[count] = UInt8(48 + cents % 100 / 10)
        count += 1
        if cents % 10 > 0 {
          buffer[count] = UInt8(48 + cents % 10)
          count += 1
        }
      }
      put("</attribute>\n        <attribute name=\"created\" type=\"date\">")
      put(Int(person.created))
      put(
        ".00000000000000000000</attribute>\n        <attribute name=\"firstname\" type=\"string\">")
      put(person.firstName)
      put("</attribute>\n        <attribute name=\"id\" type=\"int64\">")
      put(index + 1)
      put("</attribute>\n        <attribute name=\"lastname\" type=\"string\">")
      put(person.lastName)
      put("</attribute>\n        <attribute name=\"note\" type=\"string\">")
      put(person.note)
      put(
        "</attribute>\n        <relationship name=\"company\" type=\"0/1\" destination=\"COMPANY\" idrefs=\"z"
      )
      put(people.count + Int(person.company))
      put("\"></relationship>\n    </object>\n")
      if count > capacity - 4096 { flush() }
    }
    for company in 1...companies {
      put("    <object type=\"COMPANY\" id=\"z")
      put(people.count + company)
      put("\">\n        <attribute name=\"name\" type=\"string\">Company ")
      put(company)
      put(
        " Ltd</attribute>\n        <relationship name=\"people\" type=\"0/0\" destination=\"PERSON\""
      )
      for (place, member) in members[company].enumerated() {
        if place == 0 { put(" idrefs=\"z") } else { put(" z") }
        put(member)
        if count > capacity - 4096 { flush() }
      }
      if !members[company].isEmpty { put("\"") }
      put("></relationship>\n    </object>\n")
      if count > capacity - 4096 { flush() }
    }
    put("</database>")
    flush()
    fsync(file)
    return total
  }
}
