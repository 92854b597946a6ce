import CommandInterface
import Foundation
import InstalledPlugins
import ObjectModel
import StoreInterface
import Testing

@testable import ToolCommands

/// The candidates of `quire complete`, on which the scripts of all shells depend.
@Suite("Completion")
struct CompletionTests {
  private static let store = packageRoot.appending(path: "Examples/Trips.store").path
  private static let model = packageRoot.appending(path: "Examples/Trips.xcdatamodeld").path

  /// Returns the output of the hidden command: candidates, each with its meaning after a tab.
  private func lines(_ words: [String], shell: Shell? = nil) -> [String] {
    let run = quire(["complete"] + (shell.map { [$0.rawValue] } ?? []) + ["--"] + words)
    #expect(run.exitCode == .done && run.messages == "", "\(words): \(run.messages)")
    return run.output.split(separator: "\n").map(String.init)
  }

  /// Returns the candidates without their meanings.
  private func candidates(_ words: String..., shell: Shell? = nil) -> [String] {
    lines(words, shell: shell).map { line in
      line.hasPrefix("\t") ? line : String(line.prefix { $0 != "\t" })
    }
  }

  // MARK: - Names of the tool

  @Test("The first word is a command or an option of the tool")
  func commands() {
    #expect(candidates("") == Tool.quire.commands.map(\.name).sorted())
    #expect(lines(["fe"]) == ["fetch\tshows the objects of an entity that match a predicate"])
    #expect(candidates("--") == ["--help", "--no-plugins", "--quiet", "--verbose", "--version"])
    #expect(candidates("zzz") == [])
    #expect(candidates("zzz", "") == [])
    #expect(candidates("help", "ver") == ["version"])
    #expect(candidates("--help", "ver") == ["version"])
    #expect(candidates("man", "ver") == ["version"])
    #expect(candidates("--no-plugins", "fe") == ["fetch"])
    #expect(candidates("--verbose", "fe") == ["fetch"])
    #expect(!candidates("").contains("complete"))
  }

  @Test(
    "The words of an action are those that the command accepts",
    arguments: [
      ("attach", ["add", "get", "list", "remove"]),
      ("plugin", ["bench", "info", "install", "list", "new", "pack", "test"]),
      ("completion", ["bash", "fish", "zsh"]),
    ])
  func actions(_ command: String, _ words: [String]) {
    #expect(candidates(command, "") == words)
    for word in words {
      let run = quire([command, word + "x"])
      #expect(run.messages.contains("Did you mean '\(word)'?"), "\(run.messages)")
    }
  }

  @Test("Each option is a candidate, once, and only where it is accepted")
  func options() {
    #expect(
      candidates("fetch", Self.store, "--d") == ["--damaged", "--distinct"])
    #expect(candidates("fetch", "--distinct", "--d") == ["--damaged"])
    #expect(candidates("fetch", "--so") == ["--sort="])
    #expect(candidates("fetch", "--", "--so") == ["\tfiles\t\t--so"])
    #expect(
      candidates("attach", "list", "a.quire", "--")
        == ["--format=", "--help", "--no-plugins", "--quiet", "--verbose", "--version="])
    #expect(candidates("attach", "add", "a.quire", "--").contains("--name="))
    #expect(candidates("plugin", "new", "--l") == ["--language="])
    #expect(candidates("plugin", "list", "--l") == [])
    #expect(
      lines(["count", "--w"])
        == ["--where=\tThe condition for the objects, in the syntax of NSPredicate"])
    for command in Tool.quire.commands
    where !command.arguments.contains(where: { !$0.choices.isEmpty }) {
      let expected = command.options.map { "--\($0.name)" + ($0.valueName == nil ? "" : "=") }
      #expect(
        candidates(command.name, "--")
          == Set(expected + ["--help", "--no-plugins", "--quiet", "--verbose"]).sorted())
    }
  }

  @Test("The value of an option with choices is one of them, behind a space or an equals sign")
  func choices() {
    #expect(candidates("fetch", "--format", "j") == ["json", "jsonl"])
    #expect(candidates("fetch", "--format=j") == ["--format=json", "--format=jsonl"])
    #expect(candidates("history", "a.quire", "--thin=") == ["--thin=newest", "--thin=usual"])
    #expect(candidates("fetch", "--format", "--") == [])
    #expect(candidates("convert", "a", "b", "--store", "") == ["binary", "compressed", "xml"])
  }

  @Test("A path is completed by the shell")
  func paths() {
    #expect(candidates("fetch", "Tr") == ["\tfiles\t\tTr"])
    #expect(candidates("export", "a.store", "--output=b/c") == ["\tfiles\t--output=\tb/c"])
    #expect(candidates("migrate", "a", "--mapping", "b,c") == ["\tfiles\tb,\tc"])
    #expect(candidates("model", "a", "--output", "") == ["\tfolders\t\t"])
    #expect(candidates("import", "a.store", "b.csv", "") == ["\tfiles\t\t"])
    #expect(candidates("attach", "add", "a.quire", "b") == ["\tfiles\t\tb"])
    #expect(candidates("plugin", "test", "./") == ["\tfolders\t\t./"])
    #expect(candidates("attach", "list", "a.quire", "") == [])
    #expect(candidates("count", "a.store", "Trip", "") == [])
  }

  // MARK: - Names of a model

  @Test("Entities and properties are those of the file on the line")
  func entities() {
    #expect(candidates("fetch", Self.store, "") == ["Museum", "Person", "Stop", "Trip"])
    #expect(candidates("predicate", "--model", Self.model, "--entity=S") == ["--entity=Stop"])
    #expect(candidates("export", Self.store, "--entity", "Trip,P") == ["Trip,Person"])
    let names = candidates("fetch", Self.store, "Trip", "--sort", "")
    #expect(names == candidates("fetch", Self.store, "Trip", "--columns", "").sorted())
    #expect(names.contains("name") && names.contains("stops"))
    #expect(lines(["fetch", Self.store, "Trip", "--sort", "nam"]) == ["name\tString"])
    #expect(candidates("fetch", Self.store, "Trip", "--sort=-nam") == ["--sort=-name"])
    #expect(candidates("fetch", Self.store, "Trip", "--sort", "-nam") == ["-name"])
    #expect(
      candidates("fetch", Self.store, "Trip", "--columns", "name, st").contains("name, stops"))
    #expect(candidates("fetch", Self.store, "Nix", "--sort", "") == [])
    #expect(candidates("fetch", "--sort=na", Self.store) == ["\tfiles\t\t\(Self.store)"])
  }

  @Test("A key path goes on behind each relationship")
  func keyPaths() throws {
    let stops = candidates("fetch", Self.store, "Trip", "--columns", "stops.")
    let model = try #require(try ModelReader.files.read(Self.model).versions.last?.model)
    let expected = model.properties(of: "Stop").filter { !$0.isTransient }.map {
      "stops.\($0.name)"
    }
    #expect(stops == (expected + ["stops.@count"]).sorted())
    #expect(
      candidates("fetch", Self.store, "Trip", "--columns", "stops.trip.na") == ["stops.trip.name"])
    #expect(candidates("fetch", Self.store, "Trip", "--columns", "name.") == [])
    #expect(candidates("fetch", Self.store, "Trip", "--aggregate", "count, su") == ["count, sum("])
    #expect(
      candidates("fetch", Self.store, "Trip", "--aggregate", "count, sum(stops.@c")
        == ["count, sum(stops.@count"])
  }

  @Test("A predicate ends with a key path, unless it ends within quotes")
  func predicates() {
    let words = ["fetch", Self.store, "Trip", "--where"]
    func last(_ text: String) -> [String] {
      lines(words + [text]).map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(last("nam") == ["name"])
    #expect(last("name == 'x' AND nam") == ["name == 'x' AND name"])
    #expect(last("name == 'nam") == [])
    #expect(last("name == \"a\\\"' AND nam") == [])
    #expect(last("ANY stops.trip.nam") == ["ANY stops.trip.name"])
    #expect(last("(!nam") == ["(!name"])
  }

  @Test("An assignment begins with a property that has no value yet")
  func assignments() {
    let names = candidates("insert", Self.store, "Trip", "")
    #expect(names.contains("name=") && names.contains("stops=") && !names.contains("@count"))
    #expect(!candidates("set", Self.store, "Trip", "name=Lisbon", "").contains("name="))
    #expect(candidates("insert", Self.store, "Trip", "name=L") == [])
    #expect(candidates("insert", Self.store, "Trip", "stops.") == [])
    #expect(
      candidates("set", Self.store, "Trip", "start=to") == ["start=today", "start=tomorrow"])
  }

  @Test(
    "Parts of composites, booleans, templates, variables and files have candidates of their own")
  func sample() throws {
    let model = try Sample.model
    let commands = Tool.quire.commands
    let completion = Completion(of: commands, SessionNames(model: model))
    func texts(_ words: String...) -> [String] {
      let found = completion.suggestions(for: words.last!, behind: words.dropLast())
      return found.candidates.map { found.stem + $0.text }
    }
    #expect(texts("insert", "s", "Stop", "pl") == ["place."])
    #expect(texts("insert", "s", "Stop", "place.") == ["place.latitude=", "place.longitude="])
    #expect(texts("fetch", "s", "Stop", "--sort", "place.la") == ["place.latitude"])
    #expect(!texts("fetch", "s", "Stop", "--sort", "").contains("seen"))
    #expect(!texts("insert", "s", "Trip", "").contains("count="))
    #expect(texts("fetch", "s", "--template", "") == ["late"])
    #expect(texts("fetch", "s", "--template", "late", "D") == ["DATE="])
    #expect(texts("fetch", "s", "--template", "late", "DATE=1", "D") == [])
    #expect(texts("fetch", "s", "Stop", "--where", "name == $X", "") == ["X="])
    #expect(texts("fetch", "s", "--template", "late", "--sort", "sta") == ["start"])
    let bytes = completion.suggestions(for: "picture=@a", behind: ["set", "s", "Stop"])
    #expect(bytes.paths == .files && bytes.stem == "picture=@" && bytes.part == "a")
  }

  @Test("A name that would control the terminal or the script is not a candidate")
  func controls() {
    struct Names: CompletionNames {
      func model(of line: PartialLine) -> Model? { nil }
      func candidates(of kind: ValueKind, for line: PartialLine) -> [Candidate] {
        ["good name", "a\u{1B}[2J", "a\tb", "a\nb", ""].map { Candidate($0, "\u{1B}[2J\n\t") }
      }
    }
    let completion = Completion(of: Tool.quire.commands, Names())

    let request = CompleteCommand(["--", "attach", "get", "a.quire", ""])
    #expect(request.answer(completion) == "good name\t\\u{1B}[2J\\n\\u{9}\n")
    #expect(CompleteCommand(["--", "info", "a\tb"]).answer(completion) == "")
  }

  // MARK: - Words as the user typed them

  @Test("The words of bash have quotes, and so do its candidates")
  func quotes() {
    #expect(candidates("fetch", "'\(Self.store)'", "Tr", shell: .bash) == ["Trip"])
    #expect(
      candidates("fetch", Self.store, "Trip", "--where=\"name == 'x' AND nam", shell: .bash)
        == ["--where=name == 'x' AND name"])
    #expect(
      candidates("fetch", Self.store, "Trip", "--where", "'name == \"x\" AND nam", shell: .bash)
        == ["name == \"x\" AND name"])
    #expect(
      candidates("fetch", Self.store, "Trip", "--aggregate", "count,\\ su", shell: .bash)
        == ["count,\\ sum\\("])
    #expect(candidates("fetch", "My\\ Tri", shell: .bash) == ["\tfiles\t\tMy Tri"])
    #expect(
      candidates("fetch", Self.store, "Trip", "--where", "\"nam", shell: .fish) == ["name"])
    #expect(ShellWords.escaped("it's $5", within: nil) == "it\\'s\\ \\$5")
    #expect(ShellWords.escaped("it's $5", within: "\"") == "it's \\$5")
    #expect(ShellWords.escaped("it's $5", within: "'") == "it'\\''s $5")
  }

  @Test("A path may begin with ~ or a variable")
  func expansion() {
    let names = FileNames(
      .files, .files, .none, environment: ["HOME": "/h/a", "STORES": "/stores"])

    #expect(names.expanded("~/b.store") == "/h/a/b.store")
    #expect(names.expanded("$STORES/b.store") == "/stores/b.store")
    #expect(names.expanded("${STORES}x") == "/storesx")
    #expect(names.expanded("$OTHER/b") == "$OTHER/b")
    #expect(names.expanded("$(touch x)/b") == "$(touch x)/b")
    #expect(names.expanded("a~/b") == "a~/b")
  }

  // MARK: - The session

  @Test("A session completes the same names, and only the last part of a word")
  func session() throws {
    let reader = StoreReader.files
    let session = try Session(
      reader.backends.open(Self.store, on: reader.disk, .init(readOnly: true)), on: reader.disk)
    defer { try? session.close() }
    let completion = SessionCompletion(session)
    func found(_ line: String) -> [String] {
      let candidates = completion.candidates(for: line)
      #expect(line.hasSuffix(candidates.word))
      return candidates.all.map { line.dropLast(candidates.word.count) + $0 }
    }

    #expect(found("fe") == ["fetch "])
    #expect(found("help un") == ["help undo "])
    #expect(found("fetch T") == ["fetch Trip "])
    #expect(found("fetch Trip --so") == ["fetch Trip --sort="])
    #expect(found("fetch Trip --columns name,stops.na") == ["fetch Trip --columns name,stops.name"])
    #expect(
      found("fetch Trip --where \"name == 'a b' AND nam") == [
        "fetch Trip --where \"name == 'a b' AND name"
      ])
    #expect(found("set Trip nam") == ["set Trip name="])
    #expect(found("fetch Trip --format=jsonl").count == 1)
    #expect(found("open ") == [])
  }

  @Test("Predicates complete operators, connections and the values that a rule lists")
  func keywords() throws {
    let status = Attribute(
      "status", .string,
      validation: .init(predicates: [.init("SELF IN {'open', 'on hold', 'done'}")]))
    let rank = Attribute(
      "rank", .int16,
      validation: .init(predicates: [.init("SELF IN {1, 2, 3}"), .init("SELF IN {2, 3, 4}")]))
    let model = try Model(entities: [
      Entity(
        "Task",
        properties: [
          .attribute(status), .attribute(rank), .attribute(Attribute("isLate", .boolean)),
          .attribute(Attribute("old", .string)),
        ])
    ])
    let store = try MemoryStore(model)
    let session = try Session(store, on: StoreReader.files.disk)
    defer { try? session.close() }
    let completion = SessionCompletion(session)
    func found(_ line: String) -> [String] {
      let candidates = completion.candidates(for: line)
      #expect(line.hasSuffix(candidates.word))
      return candidates.all.map { String(line.dropLast(candidates.word.count) + $0) }
    }
    func ends(_ text: String) -> [String] {
      let line = "fetch Task --where \"" + text
      return found(line).map { String($0.dropFirst(line.count - text.count)) }
    }

    #expect(ends("status beg") == ["status beginswith"])
    #expect(ends("status C") == ["status CONTAINS"])
    #expect(ends("status ").count == PredicateWords.comparisons.count)
    #expect(ends("status == 'o") == ["status == 'on hold'", "status == 'open'"])
    #expect(ends("status=='d") == ["status=='done'"])
    #expect(ends("status IN {'open', 'd") == ["status IN {'open', 'done'"])
    #expect(ends("status IN {'open'} ") == ["status IN {'open'} AND", "status IN {'open'} OR"])
    #expect(ends("status == 'open' ") == ["status == 'open' AND", "status == 'open' OR"])
    #expect(ends("status == 'open' AND o") == ["status == 'open' AND old"])
    #expect(ends("rank > ").prefix(2) == ["rank > 2", "rank > 3"])
    #expect(ends("isLate == t") == ["isLate == true"])
    #expect(ends("(NOT isLate == true) O") == ["(NOT isLate == true) OR"])
    #expect(ends("old == '") == [])
    #expect(ends("TRUE") == ["TRUEPREDICATE"])
    #expect(
      found("fetch Task --where 'status == ").contains("fetch Task --where 'status == \"done\""))
    #expect(found("set Task status=o") == ["set Task status=on\\ hold ", "set Task status=open "])
    #expect(found("set Task 'status=on") == ["set Task 'status=on hold' "])
    #expect(found("insert Task rank=") == ["insert Task rank=2 ", "insert Task rank=3 "])
  }
}
