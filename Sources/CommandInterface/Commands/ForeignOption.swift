/// An option of another program, which people type by habit, and the option that has its meaning here.
struct ForeignOption {
  /// The spellings in other programs.
  let spellings: [String]
  /// The name of the option here.
  let option: String
  /// The form to write here; `nil` for the option's own form.
  let form: String?

  private init(_ spellings: String, _ option: String, _ form: String? = nil) {
    self.spellings = spellings.split(separator: " ").map(String.init)
    self.option = option
    self.form = form
  }

  /// Returns the hint for an option that a command does not have; `nil` if the command has no option with the meaning.
  static func hint(for spelling: String, among options: [Option]) -> String? {
    switch spelling {
    // Every command has these two options, which the tool reads before the command does.
    case "-q", "--silent": return "Did you mean '--quiet'?"
    case "-v": return "Did you mean '--verbose'?"
    // In several commands --version is the version of a document.
    case "-V": return "'quire --version' prints the version of Quire."
    default: break
    }
    if ["-o", "--out", "--output"].contains(spelling),
      !options.contains(where: { $0.name == "output" })
    {
      return "Write '> FILE' at the end: the shell puts the output into the file."
    }
    for foreign in all where foreign.spellings.contains(spelling) {
      guard let option = options.first(where: { $0.name == foreign.option }) else { continue }
      if let form = foreign.form, let value = form.split(separator: " ").last,
        !option.choices.isEmpty, !option.choices.contains(String(value))
      {
        continue
      }
      return "Did you mean '\(foreign.form ?? option.usage)'?"
    }
    return nil
  }

  private static let all = [
    ForeignOption("--order-by --orderby --order --sort-by --sorted", "sort"),
    ForeignOption("-n --top --first --max --head --count --max-count", "limit"),
    ForeignOption("--skip --from", "offset"),
    ForeignOption("--json -j", "format", "--format json"),
    ForeignOption("--jsonl --ndjson --lines", "format", "--format jsonl"),
    ForeignOption("--csv", "format", "--format csv"),
    ForeignOption("--markdown --md", "format", "--format markdown"),
    ForeignOption("--table", "format", "--format table"),
    ForeignOption("--line", "format", "--format line"),
    ForeignOption("--filter --condition --if -w --predicate --query", "where"),
    ForeignOption("--select --fields --properties --attributes --cols -c", "columns"),
    ForeignOption("--group --groupby --by", "group-by"),
    ForeignOption("--tz --timezone --time-zone", "zone"),
    ForeignOption("-o --out --file --to", "output"),
    ForeignOption("-m --comment --note", "message"),
    ForeignOption("-f --yes -y --overwrite", "force"),
    ForeignOption("--simulate --no-act --trial --what-if", "dry-run"),
    ForeignOption("--upsert --merge", "update"),
    ForeignOption("--rev --revision --at --commit", "version"),
    ForeignOption("--user", "author"),
  ]
}
