import CommandInterface
import ObjectGraph

/// The command `quire set`.
enum SetCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(_ reader: StoreReader, _ models: ModelReader = .files) -> Command {
    Command(
      "set", "sets properties of objects, found by identifier or predicate",
      discussion: """
        The command checks every value of every object before it saves, and reports all errors. It saves all \
        changes or none. An object that has the values already is unchanged, and if all are, nothing is saved.

        An expression may use the properties of the object and functions, as predicates do: price=price*1.1, \
        name=TRIM(name), total=SUM(lines.amount), due=start+30d. All expressions are evaluated on the objects as they \
        were. A text is an expression if it computes a text from a property; other texts are stored as they are, and \
        := makes any value an expression: name:='UPPER(name) + "!"'.

        For each million changed objects it takes about 200 MB of memory.
        """,
      arguments: [.store, .entity, .assignments],
      options: [
        FetchCommand.condition, .identifiers, .everyObject, .zone, .showsIdentifiers, .dryRun,
        .explain, .message,
        .author, .storeName, .storeModel, .writesForeign, .format,
      ],
      changing: [.store],
      examples: [
        Example(
          "quire set Trips.store Trip --where \"name == 'Someday'\" budget=120.5 start=null",
          "Sets two attributes of the trips with the name Someday."),
        Example(
          "quire set Trips.store Trip --all 'budget=ROUND(budget * 1.1, 2)' --dry-run",
          "Shows how many budgets would rise by a tenth."),
        Example(
          "quire set Trips.quire Trip --id 4/p1 name=Porto -m 'Corrects the name'",
          "Sets an attribute and keeps a message about the change."),
        Example(
          "quire set Trips.store Trip --id 4/p5 'stops+=2/p6,2/p7'", "Adds two stops to a trip."),
      ]
    ) { invocation in
      let edit = try StoreEdit(reader, invocation, models)
      if try edit.explains() { return .done }
      // New links need keys from the store, as new objects do.
      if edit.assignsRelationships {
        try edit.rehearse { _ = try $0.assign(to: $0.objects()) }
      }
      let objects = try edit.objects()
      try edit.finish(edit.assign(to: objects), did: "changed")
      return objects.isEmpty ? .no : .done
    }
  }
}
