import Foundation
import InstalledPlugins
import Testing

@testable import ToolCommands

/// `quire tree` and `quire watch` as processes of their own, on a terminal.
@Suite("Trees and watching on a terminal")
struct WatchProcessTests {
  private let folder: ScaffoldFolder
  private let store: String

  init() throws {
    folder = try ScaffoldFolder()
    store = folder.path + "/Trips.store"
    let example = InstalledPlugins.root.appending(path: "Examples/Trips.store").path
    #expect(quire(["convert", example, store]).exitCode == .done)
  }

  @Test(
    "A terminal with UTF-8 shows boxes, and another one ASCII", .enabled(if: BuiltTool.exists),
    arguments: ["en_US.UTF-8", "C"])
  func tree(_ locale: String) throws {
    for number in 0..<9 {
      #expect(
        quire([
          "insert", store, "Stop", "name=Stop \(number)", "trip={name == 'Lisbon and around'}",
        ]).exitCode
          == .done)
    }
    let pair = try TerminalPair()
    let process = try pair.start(
      ["tree", store, "Trip", "--along", "stops"],
      ["LANG": locale, "LINES": "12", "COLUMNS": "40"])
    let text = try pair.read(until: "'--all' shows all")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.contains("├── Stop") == (locale != "C"), "\(text)")
    #expect(text.contains("|-- Stop") == (locale == "C"), "\(text)")
    let lines = text.split(separator: "\r\n").prefix { !$0.hasPrefix("There are") }
    #expect(lines.count == 8 && lines.allSatisfy { String($0).displayWidth <= 40 }, "\(text)")
  }

  @Test(
    "Ctrl-C ends the watch with exit code 130, after whole lines", .enabled(if: BuiltTool.exists))
  func interrupt() throws {
    let pair = try TerminalPair()
    let process = try pair.start(["watch", store], ["NO_COLOR": "1"])
    _ = try pair.read(until: "from version ")
    #expect(
      quire(["insert", store, "Person", "fullName=Ada", "--author", "Bob", "-m", "Hello"]).exitCode
        == .done)
    let text = try pair.read(until: "fullName \"Ada\"")
    #expect(text.contains("by Bob  message \"Hello\"\r\n    + Person "), "\(text)")
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
  }
}
