import CommandInterface
import DurableFiles
import Foundation
import ObjectModel
import Synchronization
import Testing

@testable import ToolCommands

@Suite("quire watch", .serialized)
struct WatchCommandTests {
  private let trips: ComparedTrips

  init() throws {
    trips = try ComparedTrips()
    trips.makeDocument()
  }

  /// A run of `quire watch` in a thread of its own, which begins to watch before `init` returns.
  private final class Watching: Sendable {
    private let output = Mutex("")
    private let messages = Mutex("")
    private let result = Mutex<ExitCode?>(nil)

    init(_ words: [String], _ tool: Tool) {
      Thread.detachNewThread { [self] in
        func stream(_ text: @escaping @Sendable (String) -> Void) -> Console.Stream {
          Console.Stream { text($0) }
        }
        let code = tool.run(
          ["watch"] + words,
          on: Console(
            output: stream { text in self.output.withLock { $0 += text } },
            messages: stream { text in self.messages.withLock { $0 += text } }))
        result.withLock { $0 = code }
      }
      wait { self.messages.withLock { $0.contains("Watching") } || self.isOver }
    }

    var isOver: Bool { result.withLock { $0 != nil } }

    /// The lines that were written, with DATE in the place of dates.
    var lines: [String] {
      output.withLock { $0 }.split(separator: "\n").map {
        String($0).replacing(/^(\d+ +)20\d\d-\d\d-\d\dT[0-9:.]+Z/) { "\($0.output.1)DATE" }
      }
    }
    var errors: String { messages.withLock { $0 } }

    private func wait(until condition: () -> Bool) {
      let end = Date(timeIntervalSinceNow: 60)
      while !condition(), Date() < end { Thread.sleep(forTimeInterval: 0.01) }
    }

    /// Waits until a text is written.
    func wait(for text: String) {
      wait { self.output.withLock { $0.contains(text) } || self.isOver }
    }

    /// Waits for the end, and returns the exit code; `nil` if the run does not end.
    func end() -> ExitCode? {
      wait { self.isOver }
      return result.withLock { $0 }
    }
  }

  private func watch(_ words: String...) -> Watching { Watching(words, trips.tool) }

  @Test("--once prints the first change of another process, with time and author")
  func once() {
    let watching = watch("/Trips.quire", "--once")
    #expect(watching.errors == "Watching '/Trips.quire' from version 8.\n")
    #expect(!watching.isOver && watching.lines.isEmpty)
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "price=1", "-m", "Cheap")
    #expect(watching.end() == .done)
    #expect(
      watching.lines == [
        "9  DATE  by quire  message \"Cheap\"", "    ~ Trip 3/p1  price 900.0 -> 1.0",
      ])
  }

  @Test("All saves are printed one by one, also of objects that come and go")
  func several() {
    let watching = watch("/Trips.quire", "--timeout", "30")
    trips.script(
      "/Trips.quire",
      """
      insert Voucher code=A
      save
      delete Voucher --where TRUEPREDICATE
      save
      """)
    trips.done("undo", "/Trips.quire", "--author", "Ada")
    watching.wait(for: "11 ")
    watching.wait(for: "11  20")
    trips.done("history", "/Trips.quire", "--name", "9=A name is not a save")
    let other = trips.done("insert", "/Trips.quire", "Voucher", "code=B")
      .trimmingCharacters(in: .newlines)
    watching.wait(for: "\"B\"")
    #expect(
      watching.lines == [
        "9  DATE  by quire", "    + Voucher 4/p1  code \"A\"", "10  DATE  by quire",
        "    - Voucher 4/p1  code \"A\"", "11  DATE  by Ada  undone to 9",
        "    + Voucher 4/p1  code \"A\"", "12  DATE  by quire",
        "    + Voucher \(other)  code \"B\"",
      ])
  }

  @Test("Entities choose the saves")
  func entities() {
    let watching = watch("/Trips.quire", "Stop", "Voucher", "--once")
    trips.done("set", "/Trips.quire", "Trip", "--id", "3/p1", "price=1")
    trips.done("set", "/Trips.quire", "Stop", "--id", "2/p1", "nights=3", "trip=3/p2")
    #expect(watching.end() == .done)
    #expect(
      watching.lines == [
        "10  DATE  by quire", "    ~ Stop 2/p1  nights 0 -> 3; trip 3/p1 -> 3/p2",
      ])
    let unknown = watch("/Trips.quire", "Stops")
    #expect(unknown.end() == .wrongUsage && unknown.errors.contains("'Stop'"))
  }

  @Test("jsonl has a line for each object")
  func jsonl() throws {
    let watching = watch("/Trips.quire", "--once", "--format", "jsonl")
    trips.done(
      "insert", "/Trips.quire", "Stop", "name=Tua", "trip=3/p2", "--author", "Ada", "-m", "x")
    #expect(watching.end() == .done)
    let objects = try watching.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["version"] as? Int } == [9, 9])
    #expect(objects.map { $0["author"] as? String } == ["Ada", "Ada"])
    #expect(objects.map { $0["message"] as? String } == ["x", "x"])
    #expect(objects.map { $0["change"] as? String } == ["inserted", "changed"])
    #expect(objects[1]["id"] as? String == "3/p2" && objects[0]["saved"] is String)

    let other = watch("/Trips.quire", "--once", "--format", "jsonl")
    try trips.write(Array("x".utf8), to: "/x.txt")
    trips.done("attach", "add", "/Trips.quire", "/x.txt")
    #expect(other.end() == .done)
    #expect(other.lines.count == 1 && other.lines[0].hasSuffix("\"change\":\"none\"}"))
  }

  @Test("The exit code after the timeout says whether there was a change")
  func timeout() {
    #expect(watch("/Trips.quire", "--timeout", "0").end() == .no)
    #expect(watch("/Trips.quire", "--timeout", "0.3", "--once").end() == .no)
    let watching = watch("/Trips.quire", "--timeout", "1.5")
    trips.done("insert", "/Trips.quire", "Voucher", "code=A")
    #expect(watching.end() == .done && watching.lines.count == 2)
    for text in ["x", "-1", "inf", "nan"] {
      #expect(watch("/Trips.quire", "--timeout=\(text)").end() == .wrongUsage, "\(text)")
    }
  }

  @Test(
    "Stores without a document are watched, whether they keep versions or not",
    arguments: ["store", "xml"])
  func stores(_ ending: String) {
    let path = "/Trips.\(ending)"
    trips.done("convert", "/Trips.quire", path)
    let watching = watch(path, "--once")
    let lisbon = trips.done(
      "set", path, "Trip", "--where", "name == 'Lisbon'", "price=5", "--ids"
    ).trimmingCharacters(in: .newlines)
    #expect(watching.end() == .done, "\(watching.errors)")
    #expect(watching.lines.count == 2, "\(watching.lines)")
    #expect(watching.lines.last == "    ~ Trip \(lisbon)  price null -> 5.0")
  }

  @Test("A migration, a thinned document and one of several stores are followed")
  func documents() {
    let watching = watch("/Trips.quire", "--timeout", "30")
    trips.done("history", "/Trips.quire", "--thin", "newest")
    let person = trips.done("insert", "/Trips.quire", "Person", "email=x@y.z")
      .trimmingCharacters(in: .newlines)
    watching.wait(for: "x@y.z")
    trips.done("history", "/Trips.quire", "--thin", "newest")
    trips.done("migrate", "/Trips.quire", "--model", "Next", "--allow-loss")
    watching.wait(for: "Journey")
    trips.done("insert", "/Trips.quire", "Journey", "title=New")
    watching.wait(for: "New")
    #expect(watching.lines.first == "9  DATE  by quire", "\(watching.lines) \(watching.errors)")
    #expect(watching.lines[1] == "    + Person \(person)  email \"x@y.z\"")
    #expect(watching.lines.contains("10  DATE  by quire"), "\(watching.errors)")
    #expect(watching.lines.last?.contains("+ Journey") == true)

    trips.done("new", "/Two.quire", "--model", "Trips", "--store", "a=binary:Trips,b=xml:Vouchers")
    let two = watch("/Two.quire", "--once")
    let voucher = trips.done("insert", "/Two.quire", "Voucher", "code=X")
      .trimmingCharacters(in: .newlines)
    #expect(two.end() == .done)
    #expect(
      two.lines == ["2  DATE  by quire", "    store b", "    + Voucher \(voucher)  code \"X\""])
  }

  @Test("A document that is moved away ends the command with an error")
  func moved() throws {
    let watching = watch("/Trips.quire", "--timeout", "30")
    try trips.disk.rename("/Trips.quire", to: "/Other.quire")
    #expect(watching.end() == .inputOutput)
    #expect(watching.errors.contains("moved or removed"), "\(watching.errors)")
    #expect(watch("/None.quire").end() == .inputOutput)
    trips.done("pack", "/Other.quire", "/Trips.zip")
    let packed = watch("/Trips.zip")
    #expect(packed.end() == .wrongUsage && packed.errors.contains("is a packed document"))
  }
}
