import CommandInterface
import ObjectGraph

/// The command `quire insert`.
enum InsertCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "insert", "inserts an object and prints its identifier",
      arguments: [.store, .entity, .assignments],
      options: [
        .dryRun, .message, .author, .storeName, .storeModel, .writesForeign, .format,
      ],
      changing: [.store],
      examples: [
        Example(
          "quire insert Trips.store Trip name=Lisbon start=today \"travellers={fullName == 'Ada'}\"",
          "Inserts a trip with a traveller: the only person with the name Ada."),
        Example(
          "quire insert Trips.store Person fullName=Olga portrait=@olga.jpg",
          "Inserts a person with the bytes of a file as the portrait."),
      ]
    ) { invocation in
      let edit = try StoreEdit(reader, invocation, models)
      try edit.rehearse { _ = try insert($0, invocation) }
      let object = try insert(edit, invocation)
      try edit.finish(StoreEdit.Outcome(objects: [object]), did: "inserted")
      return .done
    }
  }

  /// Inserts an object with the values of the command line.
  static func insert(_ edit: StoreEdit, _ invocation: Invocation) throws -> ManagedObject {
    // Errors in the command line are found before the object is inserted.
    let changes = try edit.changes(to: invocation[.entity])
    let object = try edit.context.insert(invocation[.entity])
    for change in changes { _ = try change(object) }
    return object
  }
}
