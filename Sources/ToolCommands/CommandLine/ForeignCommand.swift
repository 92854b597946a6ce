/// A command of another program, which people type by habit, and the command that does its work here.
struct ForeignCommand {
  /// The names that other programs have for the command.
  let names: [String]
  let line: String
  /// The purpose of the command line, as the end of a sentence.
  let purpose: String

  private init(_ names: String, _ line: String, _ purpose: String) {
    self.names = names.split(separator: " ").map(String.init)
    self.line = line
    self.purpose = purpose
  }

  /// Returns the hint for a command that does not exist here; `nil` for a word that no program is known for.
  static func hint(for name: String) -> String? {
    let word = name.lowercased()
    guard let command = all.first(where: { $0.names.contains(word) }) else { return nil }
    return "'quire \(command.line)' \(command.purpose)."
  }

  private static let all = [
    ForeignCommand(
      "ls list tables dir", "fetch STORE",
      "lists the entities, and a second word shows the objects of one"),
    ForeignCommand(
      "show cat query select find get search print view grep head where filter",
      "fetch STORE ENTITY --where PREDICATE", "shows objects"),
    ForeignCommand("log reflog blame versions", "history STORE", "lists the versions and changes"),
    ForeignCommand(
      "rm remove del drop erase destroy", "delete STORE ENTITY --where PREDICATE", "deletes objects"
    ),
    ForeignCommand(
      "update modify change edit put patch assign", "set STORE ENTITY KEY=VALUE --where PREDICATE",
      "changes objects"),
    ForeignCommand("add append", "insert STORE ENTITY KEY=VALUE", "inserts an object"),
    ForeignCommand(
      "create init make", "new PATH --from FILE.csv",
      "creates a document, and 'quire insert' creates an object"),
    ForeignCommand(
      "schema describe desc models entities .schema", "model STORE", "shows entities and properties"
    ),
    ForeignCommand("rollback reset", "undo STORE", "restores the version before the last save"),
    ForeignCommand(
      "restore", "revert STORE --to NUMBER", "restores a version, and 'quire recover' reads damage"),
    ForeignCommand("checkout", "switch STORE BRANCH", "makes another branch current"),
    ForeignCommand("tag", "history STORE --name NUMBER=NAME", "names a version"),
    ForeignCommand(
      "commit", "set STORE ENTITY KEY=VALUE -m MESSAGE",
      "saves at once, like every command that changes a store"),
    ForeignCommand("dump", "export STORE", "writes all objects"),
    ForeignCommand("load upsert", "import STORE FILE --update", "inserts and updates objects"),
    ForeignCommand("copy cp duplicate", "save-as STORE PATH", "copies a store or document"),
    ForeignCommand(
      "check verify lint fsck doctor test", "validate STORE", "checks a store or document"),
    ForeignCommand("compact gc optimize shrink", "vacuum STORE", "frees space"),
    ForeignCommand("shell repl sql console session", "open STORE", "opens a session of commands"),
    ForeignCommand("stat stats about file", "info STORE", "describes a file"),
    ForeignCommand(
      "repair fix rescue salvage", "recover STORE --output PATH", "saves what can be read"),
    ForeignCommand("zip archive", "pack DOCUMENT", "makes one file of a document"),
    ForeignCommand("unzip extract", "unpack FILE", "makes a folder of a packed document"),
    ForeignCommand("graph", "tree STORE", "draws the objects and their relationships"),
  ]

  /// All names, for a test that none of them is a command.
  static var names: [String] { all.flatMap(\.names) }

  /// The command lines, for a test that their commands exist.
  static var lines: [String] { all.map(\.line) }
}
