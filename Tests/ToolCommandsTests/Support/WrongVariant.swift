/// A variant of a store in C that is wrong in one way.
struct WrongVariant: Sendable, CustomStringConvertible {
  /// The name of the file to change.
  let file: String
  /// The text that occurs once in the file.
  let text: String
  /// The text in its place.
  let replacement: String
  /// The case of `quire plugin test` that is about the error.
  let failedCase: String
  /// The behaviour of the wrong store, as the end of a sentence.
  let description: String

  init(
    _ description: String, _ file: String, _ text: String, to replacement: String,
    fails failedCase: String
  ) {
    self.description = description
    self.file = file
    self.text = text
    self.replacement = replacement
    self.failedCase = failedCase
  }

  /// Variants of the incremental template of `quire plugin new`.
  static let ofTemplate: [WrongVariant] = [
    WrongVariant(
      "refuses to replace a file, also with permission", "Ledger.c",
      "&& !creation->overwriting",
      to: "&& 1",
      fails: "occupied-places-are-kept"),
    WrongVariant(
      "replaces a file unasked", "Ledger.c",
      "&& !creation->overwriting",
      to: "&& 0",
      fails: "occupied-places-are-kept"),
    WrongVariant(
      "writes after it was opened for reading", "Ledger.c",
      "if (opening->read_only) close_file(host, file);",
      to: "if (0) close_file(host, file);",
      fails: "read-only-stores-stay"),
    WrongVariant(
      "does not lock its file", "disk.c",
      "if (!read_only) DISK(",
      to: "if (0) DISK(",
      fails: "one-writer-at-a-time"),
    WrongVariant(
      "makes a missing file", "disk.c",
      "QUIRE_OPEN_UPDATE)",
      to: "QUIRE_OPEN_UPDATE_OR_CREATE)",
      fails: "missing-stores-are-refused"),
    WrongVariant(
      "leases a key twice", "Ledger.c",
      "store->next_key = start + count;",
      to: "store->next_key = start + count / 2;",
      fails: "keys-are-given-once"),
    WrongVariant(
      "does not keep the leased keys", "Ledger.c",
      "  code = save(store, error);\n",
      to: "",
      fails: "keys-are-given-once"),
    WrongVariant(
      "forgets removals", "rows.c",
      "batch->kind != kind) continue;",
      to: "batch->kind != kind || kind == QUIRE_REMOVED) continue;",
      fails: "emptied-and-filled"),
    WrongVariant(
      "shows later commits in a snapshot", "rows.c",
      "i <= snapshot->index;",
      to: "i < store->commit_count;",
      fails: "history-can-be-opened"),
    WrongVariant(
      "numbers a snapshot too high", "Ledger.c",
      "return commit_at(snapshot)->number;",
      to: "return commit_at(snapshot)->number + 1;",
      fails: "commit-numbers-rise"),
    WrongVariant(
      "drops the bits of missing values", "arrays.c",
      "array->buffers[i] = run.start;",
      to: "array->buffers[i] = i == 0 ? NULL : run.start;",
      fails: "every-value-stays"),
    WrongVariant(
      "reads the metadata of the first commit", "Ledger.c",
      "store->commits[store->commit_count - 1]->described[QUIRE_METADATA]",
      to: "store->commits[0]->described[QUIRE_METADATA]",
      fails: "metadata-without-opening"),
    WrongVariant(
      "describes the newest commit in each snapshot", "Ledger.c",
      "struct Run run = commit_at(snapshot)->described[what];",
      to:
        "struct Run run = snapshot->store->commits[snapshot->store->commit_count - 1]->described[what];",
      fails: "model-changes"),
    WrongVariant(
      "keeps the number of a table when the model changes", "rows.c",
      "uint64_t id = store->commits[snapshot->index]->model_commit << 32 | i;",
      to: "uint64_t id = i;",
      fails: "model-changes"),
    WrongVariant(
      "returns rows in the columns of an earlier model", "rows.c",
      "sizeof wanted, compare_words) != NULL;",
      to: "sizeof wanted, compare_words) != NULL || 1;",
      fails: "model-changes"),
    WrongVariant(
      "keeps its model when it gets a new one", "commits.c",
      "if (commit->described[i].count == 0 && before != NULL)",
      to: "if ((commit->described[i].count == 0 || i == QUIRE_MODEL) && before != NULL)",
      fails: "model-changes"),
    WrongVariant(
      "lists the oldest commit first", "history.c",
      "store->commits[i - 1];",
      to: "store->commits[store->commit_count - i];",
      fails: "history-can-be-opened"),
    WrongVariant(
      "loses the author of a commit", "history.c",
      "text_of(commit->author)",
      to: "NULL",
      fails: "history-can-be-opened"),
    WrongVariant(
      "opens the commit after the wanted one", "history.c",
      "return snapshot_at(store, i, snapshot, error);",
      to: "return snapshot_at(store, i + 1 < store->commit_count ? i + 1 : i, snapshot, error);",
      fails: "history-can-be-opened"),
    WrongVariant(
      "lists forgotten commits", "history.c",
      "if (commit->is_forgotten) continue;",
      to: "",
      fails: "history-can-be-opened"),
    WrongVariant(
      "opens the newest commit in place of an unknown one", "history.c",
      #"return fail(error, QUIRE_NOT_FOUND, "'%s' has no commit %lld.", store->path, (long long)number);"#,
      to: "return snapshot_at(store, store->commit_count - 1, snapshot, error);",
      fails: "forgetting-keeps-the-newest"),
    WrongVariant(
      "tells too small a size", "Ledger.c",
      "description->byte_count = store->byte_count;",
      to: "description->byte_count = 4096;",
      fails: "descriptions-are-true"),
    WrongVariant(
      "counts its log as remains", "Ledger.c",
      "description->live_byte_count = store->end;",
      to: "description->live_byte_count = 0;",
      fails: "descriptions-are-true"),
    WrongVariant(
      "tells a wrong number of the newest commit", "Ledger.c",
      "highest_commit = store->commits[store->commit_count - 1]->number;",
      to: "highest_commit = store->commits[store->commit_count - 1]->number + 1;",
      fails: "descriptions-are-true"),
    WrongVariant(
      "tells a wrong time of the last save", "commits.c",
      "  memcpy(&commit->time, &time_bits, sizeof commit->time);",
      to: "  commit->time = 1;",
      fails: "descriptions-are-true"),
    WrongVariant(
      "writes a commit with the next one", "log.c",
      "return make_log(store, error);\n",
      to:
        "return make_log(store, error);\n  if (store->commit_count % 2 == 0 && store->commit_count > store->saved_count) return QUIRE_OK;\n",
      fails: "confirmed-commits-survive-kills"),
    WrongVariant(
      "writes the end of the log without the last commit", "log.c",
      "store->end + log.count);",
      to: "store->end);",
      fails: "confirmed-commits-survive-kills"),
    WrongVariant(
      "loses the second half of a commit's batches", "commits.c",
      "batch->node = take_run(&reader);",
      to:
        "batch->node = take_run(&reader);\n    if (commit->batch_count > 1) commit->batch_count--;",
      fails: "relationships-stay"),
    WrongVariant(
      "drops a large value", "arrays.c",
      "array->buffers[i] == NULL ? 0 : (uint64_t)size",
      to: "array->buffers[i] == NULL || size > 100000 ? 0 : (uint64_t)size",
      fails: "large-values-stay"),
    WrongVariant(
      "returns rows of a subentity with its entity", "rows.c",
      "if (batch->entity != entity ||",
      to: "if ((batch->entity != entity && batch->entity != entity + 1) ||",
      fails: "subentities-stay-apart"),
    WrongVariant(
      "loses the context", "history.c",
      "text_of(commit->context_name)",
      to: "NULL",
      fails: "history-can-be-opened"),
    WrongVariant(
      "reads only a part of the file", "disk.c",
      "while (count > 0);",
      to: "while (0);",
      fails: "large-values-stay"),
    WrongVariant(
      "tells more keys than reserved", "Ledger.c",
      "*leased = count;",
      to: "*leased = count * 2;",
      fails: "keys-are-given-once"),
    WrongVariant(
      "returns the model as the schema", "Ledger.c",
      "struct Run run = commit_at(snapshot)->described[what];",
      to:
        "struct Run run = commit_at(snapshot)->described[what == QUIRE_SCHEMA ? QUIRE_MODEL : what];",
      fails: "new-store-is-empty"),
  ]
}
