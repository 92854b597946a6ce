import DiskSimulation
import DurableFiles
import ObjectModel
import Rows
import SQLiteStore
import StoreInterface
import Validation

extension HostileInputs {
  /// The model of the seeds: that of `spec/vectors/sqlite-store.sql` without the relationship between tags.
  private static let shelfModel: Model = {
    var cover = Attribute("cover", .binary)
    cover.options.insert(.allowsExternalStorage)
    var author = Entity("Author")
    author.declaredProperties = [
      .attribute(Attribute("name", .string)), .attribute(Attribute("born", .date)),
      .relationship(
        Relationship("books", to: "Book", inverse: "author", count: .toMany, isOrdered: true)),
      .relationship(Relationship("favourite", to: "Book")),
    ]
    var book = Entity("Book")
    book.declaredProperties = [
      .attribute(Attribute("title", .string)), .attribute(Attribute("pages", .int16)),
      .attribute(Attribute("price", .decimal)), .attribute(Attribute("weight", .double)),
      .attribute(Attribute("token", .uuid)), .attribute(cover),
      .relationship(Relationship("author", to: "Author", inverse: "books")),
      .relationship(Relationship("tags", to: "Tag", inverse: "books", count: .toMany)),
    ]
    var tag = Entity("Tag")
    tag.declaredProperties = [
      .relationship(Relationship("books", to: "Book", inverse: "tags", count: .toMany))
    ]
    return try! Model(entities: [author, book, Entity("Comic", superentity: "Book"), tag])
  }()

  /// Opens any bytes as a database with a store: an error of a store is allowed. If the store opens, each row must be
  /// read or refused. The validator must end, and a database in which it finds no error must be readable to its end.
  ///
  /// The first byte says whether a model is given.
  public static func sqliteSchema(_ input: [UInt8]) {
    let disk = SimulatedDisk()
    guard let form = input.first, let file = try? disk.open("/s.sqlite", for: .create),
      (try? file.append(Array(input.dropFirst()))) != nil
    else { return }
    let model = form & 1 == 0 ? nil : shelfModel
    let backend = SQLiteStoreBackend()
    attempt { _ = try backend.metadata(at: "/s.sqlite", on: disk) }
    attempt {
      let store = try backend.open(
        "/s.sqlite", on: disk, StoreOpening(readOnly: true, model: model))
      attempt { _ = try store.describe() }
      let snapshot = try store.snapshot()
      for layout in snapshot.schema.layouts + snapshot.schema.linkTables.map(\.layout) {
        attempt {
          for number in try snapshot.view.keys(ofEntity: layout.entityNumber) {
            let key = ObjectKey(entity: layout.entityNumber, number: number)
            guard let row = try snapshot.view.row(of: key) else { continue }
            for column in layout.columns { _ = try row.value(column) }
          }
        }
        // Single rows are read by another function of the store.
        attempt {
          _ = try snapshot.view.row(of: ObjectKey(entity: layout.entityNumber, number: 1))
        }
      }
      // The data that reverts commits is part of the hostile file too.
      for commit in try store.commits().prefix(4) {
        attempt {
          let before = try store.snapshot(ofCommit: commit.number)
          for layout in before.schema.layouts {
            for number in try before.view.keys(ofEntity: layout.entityNumber) {
              let key = ObjectKey(entity: layout.entityNumber, number: number)
              guard let row = try before.view.row(of: key) else { continue }
              for column in layout.columns { _ = try row.value(column) }
            }
          }
        }
      }
      try store.close()
    }
    let report = try! Validator(model: model, backends: StoreBackends([SQLiteStoreBackend()]))
      .validate("/s.sqlite", on: disk)
    guard report.verdict == .valid, report.format == .sqlite else {
      return
    }
    do {
      let store = try backend.open(
        "/s.sqlite", on: disk, StoreOpening(readOnly: true, model: model))
      _ = try SnapshotContents(store.snapshot())
    } catch {
      fatalError("No error was found, and the library refuses it: \(error)\n\(report.text)")
    }
  }

  /// Runs a body that may throw the errors of a store.
  private static func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      precondition(error is StoreError, "It is not an error of a store's: \(error)")
    }
  }
}
