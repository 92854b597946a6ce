extension StoreConformance {
  /// All cases, in the order in which they are tried. Later cases rely on the behaviour that earlier ones test.
  public static let cases: [Case] = [
    Case(
      "new-store-is-empty",
      "A new store contains its model and no objects, also after it is reopened."
    ) {
      try $0.empty()
    },
    Case("every-value-stays", "Values of every type are read as they were saved, to the last bit.")
    {
      try $0.everyKind()
    },
    Case(
      "snapshots-stay",
      "A snapshot does not change when later saves change the store."
    ) {
      try $0.snapshotsStay()
    },
    Case(
      "conflicts-are-refused",
      "Changes of objects that another save has changed since are refused; other changes are saved."
    ) { try $0.conflicts() },
    Case(
      "overtaken-commits-are-refused",
      "Changes that must follow a certain commit are refused after any other commit."
    ) { try $0.overtaken() },
    Case(
      "metadata-stay", "Metadata identify the store and its model, and are read as they were saved."
    ) {
      try $0.metadata()
    },
    Case("keys-are-given-once", "The store never leases the same key twice.") {
      try $0.leases()
    },
    Case("emptied-and-filled", "Removed objects can be inserted again, any number of times.") {
      try $0.emptied()
    },
    Case(
      "history-can-be-opened",
      "Each listed commit can be opened, and shows the objects at that commit."
    ) {
      try $0.history()
    },
    Case(
      "forgetting-keeps-the-newest",
      "Forgetting commits keeps the newest commit; a commit that is not kept can't be opened."
    ) {
      try $0.forgetting()
    },
    Case(
      "subentities-stay-apart",
      "Objects of an entity and of its subentity keep their entities."
    ) {
      try $0.inheritance()
    },
    Case("large-values-stay", "Values of up to megabytes are read as they were saved.") {
      try $0.largeValues()
    },
    Case(
      "large-values-outlive-changes",
      "Large values stay the same while other values change, and in earlier snapshots."
    ) { try $0.largeValuesStay() },
    Case(
      "indexes-find-everything",
      "A search in an index finds the same objects as a scan of all objects."
    ) {
      try $0.indexes()
    },
    Case(
      "changes-between-snapshots",
      "The changes between two snapshots turn the first into the second."
    ) {
      try $0.changesBetween()
    },
    Case(
      "relationships-stay", "Relationships of every kind keep their objects and their order."
    ) {
      try $0.relationships()
    },
    Case(
      "model-changes",
      "After a change of the model, rows are read with the new model, and changes for the old model are refused."
    ) {
      try $0.modelChanges()
    },
    Case(
      "models-between",
      "One commit can go through several models: a property that is renamed twice keeps its values."
    ) {
      try $0.modelChains()
    },
    Case(
      "holding-a-commit",
      "Only the newest commit can be held, and the hold ends even after an error."
    ) {
      try $0.holding()
    },
    Case(
      "random-changes",
      "After random changes the store contains the same objects as a dictionary, also after it is reopened."
    ) {
      for seed in 1...4 as ClosedRange<UInt64> { try $0.randomChanges(seed: seed) }
    },
    Case(
      "closing",
      "A closed store refuses all operations, its snapshots stay readable, and closing again does nothing."
    ) {
      try $0.closing()
    },
  ]
}
