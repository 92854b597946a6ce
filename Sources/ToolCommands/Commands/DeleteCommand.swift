import CommandInterface
import ObjectGraph

/// The command `quire delete`.
enum DeleteCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "delete", "deletes objects, found by identifier or predicate",
      discussion: """
        The delete rules of the relationships apply to the related objects. For each million deleted objects \
        the command takes about 150 MB of memory.
        """,
      arguments: [.store, .entity],
      options: [
        FetchCommand.condition, .identifiers, .everyObject, .showsIdentifiers, .dryRun, .explain,
        .message,
        .author, .storeName, .storeModel, .writesForeign, .format,
      ],
      changing: [.store],
      examples: [
        Example(
          "quire delete Trips.store Trip --where 'start < \"2026-06-01\"' --dry-run",
          "Prints the number of trips that the command would delete.")
      ]
    ) { invocation in
      let edit = try StoreEdit(reader, invocation, models)
      if try edit.explains() { return .done }
      let objects = try edit.objects()
      for object in objects { edit.context.delete(object) }
      try edit.finish(StoreEdit.Outcome(objects: objects), did: "deleted")
      return objects.isEmpty ? .no : .done
    }
  }
}
