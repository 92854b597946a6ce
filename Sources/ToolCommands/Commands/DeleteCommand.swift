import ObjectGraph

/// The command `quire delete`.
enum DeleteCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "delete", "deletes the objects that are named or meet a predicate",
      discussion: "What the relationships' delete rules say happens to other objects happens too.",
      arguments: [.store, .entity],
      options: [
        FetchCommand.condition, .identifiers, .dryRun, .storeName, .storeModel, .writesForeign,
        .format,
      ],
      examples: [
        Example(
          "quire delete Trips.store Trip --where 'start < CAST(0, \"NSDate\")' --dry-run",
          "Says how many trips would be deleted.")
      ]
    ) { invocation in
      let edit = try StoreEdit(reader, invocation, models)
      let objects = try edit.objects()
      for object in objects { edit.context.delete(object) }
      try edit.finish(objects, did: "deleted")
      return objects.isEmpty ? .no : .done
    }
  }
}
