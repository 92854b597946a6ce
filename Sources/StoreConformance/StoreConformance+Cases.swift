extension StoreConformance {
  /// All cases, in the order in which they are tried. Later cases rely on the behaviour that earlier ones test.
  public static let cases: [Case] = [
    Case(
      "new-store-is-empty",
      "A new store holds no objects and its model, also once it is opened again."
    ) {
      try $0.empty()
    },
    Case("every-value-stays", "Values of every type are read as they were saved, to the last bit.")
    {
      try $0.everyKind()
    },
    Case(
      "snapshots-stay",
      "A snapshot shows what the store held when it was taken, whatever is saved later."
    ) {
      try $0.snapshotsStay()
    },
    Case(
      "conflicts-are-refused",
      "Changes of objects that another save has changed since are refused, and other changes are made."
    ) { try $0.conflicts() },
    Case(
      "overtaken-commits-are-refused",
      "Changes that must follow a certain commit are refused after any other, whatever that was about."
    ) { try $0.overtaken() },
    Case("metadata-stay", "Metadata name the store and its model, and stay as they were saved.") {
      try $0.metadata()
    },
    Case("keys-are-given-once", "Keys that are set aside are never given to anybody else.") {
      try $0.leases()
    },
    Case("emptied-and-filled", "Objects that were taken out may be put in again, over and over.") {
      try $0.emptied()
    },
    Case(
      "history-can-be-opened",
      "Each commit that the store lists can be opened, and shows what it held."
    ) {
      try $0.history()
    },
    Case(
      "forgetting-keeps-the-newest",
      "Forgetting commits leaves the newest, and others than are kept are refused."
    ) {
      try $0.forgetting()
    },
    Case(
      "subentities-stay-apart",
      "Objects of an entity and of one that inherits from it stay what they are."
    ) {
      try $0.inheritance()
    },
    Case("large-values-stay", "Values of up to megabytes are read as they were saved.") {
      try $0.largeValues()
    },
    Case(
      "large-values-outlive-changes",
      "Large values stay while what is around them changes, and in snapshots that were taken before."
    ) { try $0.largeValuesStay() },
    Case(
      "indexes-find-everything",
      "What is looked up by an index is what a walk over all objects finds."
    ) {
      try $0.indexes()
    },
    Case(
      "changes-between-snapshots",
      "The changes between two snapshots lead from the one to the other."
    ) {
      try $0.changesBetween()
    },
    Case(
      "relationships-stay", "Relationships of every kind lead to the same objects, in their order."
    ) {
      try $0.relationships()
    },
    Case(
      "model-changes",
      "The store goes on with another model: rows are read through it, and old changes refused."
    ) {
      try $0.modelChanges()
    },
    Case(
      "models-between",
      "A store may go through several models at once: what is renamed twice keeps its values."
    ) {
      try $0.modelChains()
    },
    Case(
      "holding-a-commit",
      "Only the newest commit can be held, and it is given back whatever happens meanwhile."
    ) {
      try $0.holding()
    },
    Case(
      "random-changes",
      "After random changes the store holds what a dictionary would, also once it is opened again."
    ) {
      for seed in 1...4 as ClosedRange<UInt64> { try $0.randomChanges(seed: seed) }
    },
    Case(
      "closing",
      "A closed store refuses everything, its snapshots stay readable, and closing again does nothing."
    ) {
      try $0.closing()
    },
  ]
}
