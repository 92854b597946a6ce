import Foundation
import InstalledPlugins
import ProgramRuns
import Testing

@testable import ToolCommands

/// The examples in the help of each command, run by a shell in a folder with the files that they name.
@Suite("The examples of the help")
struct HelpExamplesTests {
  /// The beginnings of examples that no test runs, with the reason.
  private static let omitted = [
    "quire git install --global": "changes the settings of the user",
    "quire completion fish": "writes to the folders of the user",
    "quire completion zsh": "writes to the folders of the user",
    "quire man": "writes to a folder of the system, or shows a page on the terminal",
    "quire model edit": "opens an editor",
    "quire open Trips.store": "waits for the user; the script below it is run",
    "quire watch Trips.quire": "waits for the changes of others",
    "quire plugin": "needs an installed plug-in, or compiles one",
    "quire convert Things.xml": "needs a model that Xcode has compiled",
    "quire hash Trips.momd": "needs a model that Xcode has compiled",
    "quire model Trips.momd": "needs a model that Xcode has compiled",
    "quire recover Trips.store --output Trips.xml": "needs a model that Xcode has compiled",
    "quire diff Trips.store App.sqlite": "needs the plug-in for SQLite",
    "quire history App.sqlite": "needs the plug-in for SQLite",
  ]

  /// The exit codes of examples that succeed with another code than 0: differences that were asked for.
  private static func codes(of line: String) -> ClosedRange<Int32> {
    line.hasPrefix("quire diff") || line.contains(" --diff ") ? 0...1 : 0...0
  }

  /// The commands that make the files.
  private static func preparation(_ examples: String) -> String {
    """
    set -e
    cp -R '\(examples)/Trips.store' '\(examples)/Trips.xcdatamodeld' .
    quire() { '\(BuiltTool.url.path)' --quiet "$@" > /dev/null; }
    quire convert Trips.store Trips.xml
    quire model Trips.xcdatamodeld --output Trips.model
    quire model Trips.xcdatamodeld --format json --output Trips.json
    quire export Trips.store --output Trips.jsonl
    quire export Trips.store --format csv --output tables
    cp tables/Person.csv tables/Trip.csv . && rm -r tables
    printf 'name,budget\\nPorto,12.5\\nBraga,7\\n' > trips.csv
    printf '[{"name": "Porto", "guide": {"name": "Ana"}}]' > trips.json
    printf '[{"called": "Bo", "email": "bo@example.org", "rating": 5}]' > guides.json
    cp Trips.store shop.db
    printf 'email,full name\\nada@example.org,Ada\\n' > people.csv
    printf 'place,nights\\nRibeira,2\\n' > stops.csv
    for name in lisbon.jpg porto.jpg olga.jpg map.png notes.txt; do printf 'a file' > $name; done
    printf 'insert Trip name=Faro\\nsave\\n' > changes.txt
    quire new Trips.quire --model Trips.model
    quire import Trips.quire Trips.jsonl
    quire attach add Trips.quire lisbon.jpg porto.jpg
    cp -R Trips.quire Copy.quire
    quire insert Copy.quire Trip name=Faro
    '\(BuiltTool.url.path)' diff Trips.quire Copy.quire --format patch > changes.jsonl || true
    cp -R Trips.quire Base.quire && cp -R Trips.quire Ours.quire && cp -R Copy.quire Theirs.quire
    cp -R Trips.quire Old.quire && cp -R Copy.quire New.quire
    cp Trips.store Base.store && cp Trips.store A.store && cp Trips.store B.store && cp Trips.store Old.store
    quire insert B.store Trip name=Faro
    quire convert Trips.store New.store && quire delete New.store Person --where TRUEPREDICATE
    cp -R Trips.quire Trip.quire
    for number in 4 5 6 7 8 9 10 11 12 13; do quire set Trip.quire Trip --where 'name == "Someday"' budget=$number; done
    quire branch Trip.quire draft
    quire insert Trip.quire@draft Trip name=Beja
    quire pack Trip.quire
    mkdir Share && quire remote add Trip.quire origin Share && quire push Trip.quire
    git init -q . && git config user.name Quire && git config user.email quire@example.org
    quire git install
    quire pack Trips.quire Trips.quire.zip
    git add Trips.quire.zip .gitattributes && git commit -qm A && git checkout -qb other
    quire set Trips.quire.zip Trip budget=1 --where 'name == "Someday"' && git commit -qam B
    git checkout -q -
    quire set Trips.quire.zip Trip budget=2 --where 'name == "Someday"' && git commit -qam C
    git merge -q other > /dev/null 2>&1 || true
    """
  }

  @Test("Each example runs", .enabled(if: BuiltTool.exists))
  func examples() throws {
    let folder = try ScaffoldFolder()
    let base = folder.path + "/base"
    let examples = InstalledPlugins.root.appending(path: "Examples").path
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
    let made = try ProgramRun(
      "sh", ["-c", "cd '\(base)' && " + Self.preparation(examples)])
    try #require(made.status == 0, "\(made.text)")

    var count = 0
    for command in Tool.quire.commands {
      for example in command.examples
      where Self.omitted.keys.allSatisfy({ !example.line.hasPrefix($0) }) {
        let copy = folder.path + "/copy"
        let run = try ProgramRun(
          "bash",
          [
            "-c",
            "rm -rf '\(copy)' && cp -R '\(base)' '\(copy)' && cd '\(copy)' && "
              + Self.removal(before: example.line)
              + "quire() { '\(BuiltTool.url.path)' \"$@\"; } && \(example.line)",
          ])
        #expect(
          Self.codes(of: example.line).contains(run.status), "\(example.line)\n\(run.text)")
        count += 1
      }
    }
    #expect(count > 60)
    for beginning in Self.omitted.keys {
      #expect(
        Tool.quire.commands.contains { $0.examples.contains { $0.line.hasPrefix(beginning) } },
        "No example begins with '\(beginning)'.")
    }
  }

  /// Returns a command that removes the files that an example makes.
  private static func removal(before line: String) -> String {
    let words = line.split(separator: " ").map(String.init)
    var made: [String] = []
    if let index = words.firstIndex(of: "--output"), !words.contains("--in-place") {
      made.append(words[index + 1])
    }
    switch words[1] {
    case "new": made.append(words[2])
    case "pack": made.append(words.count > 3 ? "Trip.zip" : "Trip.quire.zip")
    case "unpack": made += ["Trip.quire", "Copy.quire"]
    case "convert", "save-as", "clone": made.append(words[3])
    default: break
    }
    if words.contains("--backup") { made.append("Trips.old") }
    return made.isEmpty ? "" : "rm -rf \(made.joined(separator: " ")) && "
  }
}
