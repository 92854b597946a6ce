import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface
import XMLEvents
import XMLStore

extension HostileInputs {
  static let xmlModel: Model = {
    var thing = Entity("Thing")
    for (name, type) in [
      ("flag", AttributeType.boolean), ("small", .int16), ("large", .int64), ("ratio", .float),
      ("real", .double), ("when", .date), ("money", .decimal), ("name", .string), ("link", .uri),
      ("bytes", .binary), ("token", .uuid),
    ] { thing.declaredProperties.append(.attribute(Attribute(name, type))) }
    thing.declaredProperties += [
      .relationship(Relationship("owner", to: "Owner", inverse: "things")),
      .relationship(
        Relationship("tags", to: "Owner", inverse: "tagged", count: .toMany, isOrdered: true)),
      .relationship(Relationship("twins", to: "Thing", inverse: "twins", count: .toMany)),
    ]
    var special = Entity("Special", superentity: "Thing")
    special.declaredProperties = [
      .attribute(Attribute("grade", .string, defaultValue: .string("none")))
    ]
    var owner = Entity("Owner")
    owner.declaredProperties = [
      .relationship(
        Relationship("things", to: "Thing", inverse: "owner", count: .toMany, isOrdered: true)),
      .relationship(Relationship("tagged", to: "Thing", inverse: "tags", count: .toMany)),
    ]
    return try! Model(entities: [thing, special, owner])
  }()

  /// Returns all values of each object and link as text that distinguishes every bit pattern. The number of a link can
  /// change, so the text contains only the values of the link.
  private static func texts(_ snapshot: any StoreSnapshot) throws -> Set<String> {
    let links = Set(snapshot.schema.linkTables.map(\.layout.entityNumber))
    var texts: Set<String> = []
    for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
      for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        let row = try snapshot.view.row(of: key)!
        var words = [links.contains(key.entity) ? "\(key.entity)" : "\(key)"]
        for column in layout.columns {
          switch try row.value(column) {
          case .double(let value): words.append("\(value.bitPattern)")
          case .float(let value): words.append("\(value.bitPattern)")
          case .date(let value): words.append("\(value.timeIntervalSinceReferenceDate.bitPattern)")
          case .string(let value), .uri(let value): words.append("\(Array(value.utf8))")
          case .binary(let value): words.append("\(Array(value))")
          // A position in an order may be renumbered.
          case .integer where column.name.contains("#"): words.append("#")
          case let value: words.append("\(value)")
          }
        }
        texts.insert(words.joined(separator: " "))
      }
    }
    return texts
  }

  /// Opens any bytes as an XML store: an error is allowed. A document that was read must be writable, and must read
  /// back equal.
  ///
  /// The first byte chooses the form of the document and the arguments of the reader.
  public static func xmlStore(_ input: [UInt8]) {
    let disk = SimulatedDisk()
    guard let form = input.first, let file = try? disk.open("/s", for: .create),
      (try? file.append(Array(input.dropFirst()))) != nil
    else { return }
    var options = XMLStoreOptions()
    options.form = form & 1 == 0 ? .readable : .coreData
    options.checksVersionHashes = form & 2 == 0
    let backend = XMLStoreBackend(options: options)
    _ = try? backend.metadata(at: "/s", on: disk)
    guard
      let store = try? backend.open(
        "/s", on: disk, StoreOpening(model: form & 4 == 0 ? xmlModel : nil)),
      let snapshot = try? store.snapshot()
    else { return }
    let before = try! texts(snapshot)
    do {
      try store.commit(
        CommitRequest(Layer(), basedOn: snapshot, metadata: try! snapshot.metadata))
    } catch { preconditionFailure("What was read can't be written: \(error)") }
    let again = try! backend.open("/s", on: disk, StoreOpening(model: try! snapshot.model))
      .snapshot()
    precondition(try! texts(again) == before, "What is written is read.")
    precondition(try! again.metadata == snapshot.metadata, "Metadata are kept.")
  }

  /// Reads the given bytes as a binary and as an XML property list. Each reading must give a list or an error. A list
  /// that was read must be writable, and must be equal when it is read again.
  public static func propertyList(_ bytes: [UInt8]) {
    if let list = try? BinaryPropertyList.read(bytes) {
      let again = try? BinaryPropertyList.read(BinaryPropertyList.write(list))
      precondition(again != nil, "What is written is read.")
      if XMLPropertyList.canHold(list) { checkText(list) }
    }
    if let list = try? XMLPropertyList.read(bytes) {
      precondition(XMLPropertyList.canHold(list), "What XML holds it can hold.")
      checkText(list)
    }
  }

  private static func checkText(_ list: PropertyList) {
    var writer = XMLWriter()
    try! XMLPropertyList.write(list, into: &writer)
    let again = try! XMLPropertyList.read(writer.finish())
    // The bytes are compared, because a real number that is "not a number" does not equal itself.
    precondition(
      BinaryPropertyList.write(again) == BinaryPropertyList.write(list), "It is read back equal.")
  }
}
