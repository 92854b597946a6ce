import DurableFiles
import Foundation
import PostgreSQLStore
import Quire
import StoreInterface

/// A program that saves until its input ends, while the trials in `Tests/cluster` kill servers.
///
///     cluster-writer create ADDRESS              makes the store
///     cluster-writer write ADDRESS NUMBER FILE   saves, and writes the number of each confirmed save into the file
///     cluster-writer read ADDRESS                prints the numbers of all saves
@main
struct ClusterWriter {
  static func main() {
    do { try run(CommandLine.arguments) } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws {
    switch (words.count, words.dropFirst().first) {
    case (3, "create"): _ = try container(at: words[2])
    case (5, "write"):
      let writer = Int64(words[3]) ?? 0
      var options = PostgreSQLStoreOptions()
      // Every second program waits for less time than another server needs to take over. So it meets errors.
      if writer.isMultiple(of: 2) { options.patience = .seconds(2) }
      var work = try SavingWork(
        container(at: words[2], options), writer, confirmingIn: words[4])
      try work.run()
    case (3, "read"): try read(words[2])
    default: exit(64)
    }
  }

  private static func container(
    at address: String, _ options: PostgreSQLStoreOptions = PostgreSQLStoreOptions(),
    readOnly: Bool = false
  ) throws -> PersistentContainer {
    let classes = [Writer.self, Save.self]
    return try PersistentContainer(
      Model(classes: classes),
      stores: [.init(address, type: .postgreSQL, isReadOnly: readOnly)],
      places: StorePlaces(
        .builtIn.adding(PostgreSQLStoreBackend(options: options)), on: RealDisk()),
      classes: classes)
  }

  private static func read(_ address: String) throws {
    let container = try container(at: address, readOnly: true)
    let context = ManagedObjectContext(container.coordinator, concurrency: .confined)
    for save in try context.fetch(Save.self) { print("save", save.number) }
    for writer in try context.fetch(Writer.self) {
      print("writer", writer.number, writer.count, writer.saves.count)
    }
  }
}

/// A process that saves.
@Entity
final class Writer: ManagedObject {
  var number: Int64 = 0
  /// The number of saves, as the process counts them.
  var count: Int64 = 0
  @Relationship(inverse: \Save.writer) var saves: RelatedObjects<Save>
}

/// A save of a process.
@Entity
final class Save: ManagedObject {
  var number: Int64 = 0
  var writer: Writer?
}
