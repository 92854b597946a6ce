extension WrongVariant {
  /// Variants of the example in C, which has the capabilities that the template does not have.
  static let ofFolderStore: [WrongVariant] = [
    WrongVariant(
      "counts a commit without its confirmation", "commit.c",
      "if (code == QUIRE_OK) code = ask(writing, error);",
      to: "",
      fails: "confirmed-commits-count"),
    WrongVariant(
      "counts a commit that was not confirmed", "commit.c",
      "  if (code == QUIRE_OK) return QUIRE_OK;\n  // The host may",
      to: "  code = QUIRE_OK;\n  if (code == QUIRE_OK) return QUIRE_OK;\n  // The host may",
      fails: "unconfirmed-commits-do-not-count"),
    WrongVariant(
      "chooses the number of each commit itself", "commit.c",
      "commit->number != 0 ? commit->number : (int64_t)",
      to: "(int64_t)",
      fails: "confirmed-commits-count"),
    WrongVariant(
      "shows the former commit in the confirmation", "commit.c",
      "snapshot_retain(writing->next));",
      to: "snapshot_retain(writing->store->newest));",
      fails: "confirmed-commits-count"),
    WrongVariant(
      "opens the newest commit in place of the wanted one", "folder_store.c",
      "go_to(opened, opening->commit, error);",
      to: "go_to(opened, -1, error);",
      fails: "lost-commits-are-refused"),
    WrongVariant(
      "follows other stores unasked in a document", "folder_store.c",
      "opened->is_led = opening->commit >= 0;",
      to: "opened->is_led = 0;",
      fails: "stores-advance"),
    WrongVariant(
      "does not see the commits of other stores", "chain.c",
      "return store->is_led ? QUIRE_OK : go_to(store, -1, error);",
      to: "return QUIRE_OK;",
      fails: "two-open-stores-agree"),
    WrongVariant(
      "does not see the commits of other processes", "chain.c",
      "return store->is_led ? QUIRE_OK : go_to(store, -1, error);",
      to: "return QUIRE_OK;",
      fails: "two-processes-agree"),
    WrongVariant(
      "leases the same keys as another store", "keys.c",
      "place->commit += (int64_t)count;",
      to: "",
      fails: "two-open-stores-agree"),
    WrongVariant(
      "forgets the commits to keep", "forget.c",
      "number < staying->store->newest->commit && !is_kept(context, number)",
      to: "number < staying->store->newest->commit && is_kept(context, number)",
      fails: "history-can-be-opened"),
    WrongVariant(
      "does not keep the list of forgotten commits", "kept.c",
      #"int32_t code = replace_file(folder->host, &folder->content, "kept", &text, moved, error);"#,
      to: "int32_t code = QUIRE_OK;",
      fails: "history-can-be-opened"),
    WrongVariant(
      "keeps removed objects among the living ones", "rows.c",
      "if (is_put || !rows_have(removed, row.key))",
      to: "if (1)",
      fails: "emptied-and-filled"),
    WrongVariant(
      "continues its tables after a new schema", "snapshot.c",
      "int has_schema = record->described[QUIRE_SCHEMA].commit == record->number;",
      to: "int has_schema = 0;",
      fails: "model-changes"),
    WrongVariant(
      "replaces a store unasked", "create.c",
      "has_others = !overwriting;",
      to: "has_others = 0;",
      fails: "occupied-places-are-kept"),
    WrongVariant(
      "writes to a store that was opened for reading", "chain.c",
      "if (is_writing && store->is_read_only) {",
      to: "if (0) {",
      fails: "read-only-stores-stay"),
    WrongVariant(
      "tells a wrong time of the last save", "folder_store.c",
      "description->saved_at = saved_at;",
      to: "description->saved_at = 5;",
      fails: "descriptions-are-true"),
    WrongVariant(
      "holds a commit that is not the newest", "folder_store.c",
      "  if (newest != commit) {",
      to: "  if (0) {",
      fails: "holding-a-commit"),
    WrongVariant(
      "does not advance", "folder_store.c",
      "  code = go_to(store, commit, error);\n",
      to: "",
      fails: "stores-advance"),
    WrongVariant(
      "advances to the newest commit", "folder_store.c",
      "  code = go_to(store, commit, error);\n",
      to: "  code = go_to(store, -1, error);\n",
      fails: "stores-advance"),
  ]
}
