import StoreInterface

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
      "Each listed commit can be opened, and shows the objects at that commit.", of: .history
    ) {
      try HistoryCases(run: $0).history()
    },
    Case(
      "forgetting-keeps-the-newest",
      "Forgetting commits keeps the newest commit; a commit that is not kept can't be opened.",
      of: .history
    ) {
      try HistoryCases(run: $0).forgetting()
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
      "The changes between two snapshots turn the first into the second.", of: .incremental
    ) {
      try $0.changesBetween()
    },
    Case(
      "relationships-stay", "Relationships of every kind keep their objects and their order."
    ) {
      try RelationshipCases(run: $0).relationships()
    },
    Case(
      "model-changes",
      "After a change of the model, rows are read with the new model, and changes for the old model are refused."
    ) {
      try ModelCases(run: $0).modelChanges()
    },
    Case(
      "models-between",
      "One commit can go through several models: a property that is renamed twice keeps its values."
    ) {
      try ModelCases(run: $0).modelChains()
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
      for offset in 0..<4 as Range<UInt64> {
        try $0.randomChanges(seed: $0.suite.seed &+ offset)
      }
    },
    Case(
      "commit-numbers-rise",
      "The number of each commit is higher than all numbers before it, and an object has the number of its last commit."
    ) {
      try NumberCases(run: $0).commitNumbers()
    },
    Case("many-objects-stay", "A commit can insert, change and remove thousands of objects.") {
      try NumberCases(run: $0).manyObjects()
    },
    Case(
      "readers-see-whole-commits",
      "Threads that read while another thread saves see all of a commit or nothing of it."
    ) {
      try SharingCases(run: $0).concurrentReaders()
    },
    Case(
      "writers-lose-nothing",
      "Threads that change one object at the same time lose none of their changes."
    ) {
      try SharingCases(run: $0).concurrentWriters()
    },
    Case(
      "descriptions-are-true",
      "The description of a store tells its size, the time of its last save, and that it is whole."
    ) {
      try PlaceCases(run: $0).descriptions()
    },
    Case(
      "rows-are-found-by-key",
      "A row that is looked up by its key is the row that a scan finds, and a missing row is not found."
    ) {
      try FindingCases(run: $0).byKey()
    },
    Case(
      "freeing-space-loses-nothing",
      "Freeing unused space keeps all objects, the newest commit and open snapshots.", of: .vacuum
    ) {
      try SpaceCases(run: $0).freeing()
    },
    Case(
      "requests-are-answered-as-by-a-scan",
      "A store that answers requests itself finds the same objects in the same order as a scan of its rows.",
      of: .querying
    ) {
      try RequestCases(run: $0).answers()
    },
    Case(
      "stores-are-recognized",
      "A program that does not know the type of a store recognises it by its first bytes, its marker or its address.",
      of: .recognition
    ) {
      try PlaceCases(run: $0).recognizedStores()
    },
    Case(
      "occupied-places-are-kept",
      "A store is created over another one only with permission, and then nothing of the old one stays."
    ) {
      try PlaceCases(run: $0).occupiedPlaces()
    },
    Case(
      "missing-stores-are-refused",
      "Opening a store that does not exist is refused and makes nothing."
    ) {
      try PlaceCases(run: $0).missingStores()
    },
    Case(
      "foreign-files-are-refused", "A file that is not a store is refused and stays as it is."
    ) {
      try PlaceCases(run: $0).foreignFiles()
    },
    Case(
      "cut-files-are-refused",
      "A store whose file is cut off is refused, unless all objects of its last commit are there."
    ) {
      try PlaceCases(run: $0).cutFiles()
    },
    Case(
      "read-only-stores-stay",
      "A store that is opened for reading shows its objects, and refuses changes."
    ) {
      try PlaceCases(run: $0).readOnlyStores()
    },
    Case(
      "metadata-without-opening", "The metadata of a closed store are those of its last commit."
    ) {
      try PlaceCases(run: $0).metadataOfClosedStore()
    },
    Case(
      "confirmed-commits-count",
      "A commit with a number and a confirmation counts from the confirmation on, under its number.",
      of: .confirmation
    ) {
      try ConfirmationCases(run: $0).confirmed()
    },
    Case(
      "unconfirmed-commits-do-not-count",
      "A commit that is not confirmed leaves the store as it was, and the next commit can follow.",
      of: .confirmation
    ) {
      try ConfirmationCases(run: $0).unconfirmed()
    },
    Case(
      "lost-commits-are-refused", "A store is not opened at a commit that it does not have.",
      of: .confirmation
    ) {
      try ConfirmationCases(run: $0).lostCommits()
    },
    Case(
      "stores-advance",
      "A store that was opened at a commit shows this commit until it is told to advance to a newer one.",
      of: .confirmation
    ) {
      try ConfirmationCases(run: $0).advancing()
    },
    Case(
      "two-open-stores-agree",
      "Two open stores at one place see each other's commits, refuse conflicts, and never lease the same key.",
      of: .shared
    ) {
      try SharingCases(run: $0).twoOpenStores()
    },
    Case(
      "one-writer-at-a-time",
      "A store that is not shared refuses to be opened while another open store may write to it."
    ) {
      try SharingCases(run: $0).oneWriter()
    },
    Case(
      "two-processes-agree",
      "Two processes with one store see each other's commits, refuse conflicts, and never lease the same key.",
      of: .shared
    ) {
      try ProcessCases(run: $0).twoProcesses()
    },
    Case(
      "commits-survive-power-cuts",
      "After a power cut at any moment the store has all confirmed commits, and no part of another one.",
      of: .durable
    ) {
      try PowerCutCases(run: $0).cuts()
    },
    Case(
      "failing-disks-lose-nothing",
      "If an operation of the disk fails, the commit succeeds or changes nothing, and the store can be opened again.",
      of: .durable
    ) {
      try PowerCutCases(run: $0).failures()
    },
    Case(
      "confirmed-commits-survive-kills",
      "After a process is killed while it commits, the store has all confirmed commits and no half of one.",
      of: .durable
    ) {
      try ProcessCases(run: $0).kills()
    },
    Case(
      "closing",
      "A closed store refuses all operations, its snapshots stay readable, and closing again does nothing."
    ) {
      try $0.closing()
    },
  ]
}
