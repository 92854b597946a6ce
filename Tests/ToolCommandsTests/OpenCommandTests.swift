import BinaryStore
import CommandInterface
import DiskSimulation
import Dispatch
import DurableFiles
import Foundation
import ObjectModel
import Quire
import StoreInterface
import Synchronization
import Testing

@testable import ToolCommands

@Suite("quire open")
struct OpenCommandTests {
  private let disk = SimulatedDisk()

  init() throws {
    let model = try Model(entities: [
      Entity(
        "Trip",
        properties: [
          .attribute(Attribute("name", .string, isOptional: false)),
          .attribute(Attribute("days", .int16)),
          .relationship(
            Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, isOrdered: true)),
        ]),
      Entity(
        "Stop",
        properties: [
          .attribute(Attribute("place", .string)),
          .relationship(Relationship("trip", to: "Trip", inverse: "stops")),
        ]),
    ])
    try BinaryStoreBackend().create(
      at: "/Trips.store", model: model, on: disk, StoreCreation()
    ).close()
  }

  private var tool: Tool {
    let reader = StoreReader.files(on: disk)
    return Tool(commands: [
      OpenCommand.command(reader, .files, historyPath: "/state/history"),
      CountCommand.command(reader), FetchCommand.command(reader),
    ])
  }

  private func script(_ text: String, _ options: String...) -> RecordedRun {
    RecordedRun(["open", "/Trips.store"] + options, tool: tool, input: Array(text.utf8))
  }

  private func count(_ entity: String = "Trip") -> String {
    RecordedRun(["count", "/Trips.store", entity], tool: tool).output
  }

  @Test("A script runs its commands in order")
  func script() {
    let run = script(
      """
      # Two trips
      insert Trip name=Lisbon days=3
      insert Trip 'name=Porto and Braga'   # another
      count Trip
      insert Stop place=Belém "trip={name == 'Lisbon'}"
      set Trip --where 'name == "Lisbon"' days=4

      fetch Trip --columns name,days,stops.@count --sort name --ids --format csv
      save
      """)
    #expect(run.exitCode == .done, "\(run)")
    #expect(
      run.output.hasSuffix(
        "@id,name,days,stops.@count\n2/p1,Lisbon,4,1\n2/p2,Porto and Braga,,0\n"), "\(run)")
    #expect(run.messages.hasSuffix("Saved.\n"))
    #expect(count() == "2\n" && count("Stop") == "1\n")
  }

  @Test("Changes are undone and redone")
  func undo() {
    let run = script(
      """
      insert Trip name=One
      insert Trip name=Two
      undo
      count Trip
      redo
      count Trip
      save
      delete Trip --where TRUEPREDICATE
      count Trip
      undo
      count Trip
      set Trip --where TRUEPREDICATE days=7
      revert
      count Trip --where 'days == 7'
      """)
    #expect(run.exitCode == .done, "\(run)")
    let counts = run.output.split(separator: "\n").map(String.init).filter { $0.count == 1 }
    #expect(counts == ["1", "2", "0", "2", "0"], "\(run.output)")
  }

  @Test("The first line that fails ends a script, and the error has the line number")
  func failing() {
    let text =
      "insert Trip name=One\nset Trip --where 'nam == 1' days=2\ninsert Trip name=Two\nsave\n"
    let stopped = script(text)
    #expect(stopped.exitCode == .wrongUsage)
    #expect(stopped.messages.contains("error: line 2: "))
    #expect(count() == "0\n")

    let going = script(text, "--keep-going")
    #expect(going.exitCode == .wrongUsage)
    #expect(count() == "2\n")

    for (line, words) in [
      ("fetsh Trip", "Did you mean 'fetch'?"), ("fetch Tripp", "Did you mean 'Trip'?"),
      ("insert Trip dayz=1", "Did you mean 'days'?"), ("insert Trip days=many", "a whole number"),
      ("undo", "nothing to undo"), ("set Trip --id 9/p9 days=1", "is not an object"),
      ("count", "Write 'count ENTITY'"), ("fetch 'Trip", "not closed"),
    ] {
      let run = script("\n" + line + "\n")
      #expect(run.messages.contains("line 2: ") && run.messages.contains(words), "\(run.messages)")
      #expect(run.exitCode != .done)
    }
    // A command that fails changes nothing.
    #expect(
      script("insert Trip days=many\ncount Trip\n", "--keep-going").output == "2\n")
  }

  @Test(
    "A script in which a change finds no object goes on, and its exit code is that of the command")
  func nothingFound() {
    for line in ["set Trip --where 'name == \"None\"' days=1", "delete Trip --where 'days == 77'"] {
      let run = script("\(line)\ninsert Trip name=One\nsave\n")
      #expect(run.exitCode == .no, "\(run.messages)")
      #expect(run.output.contains("0 objects"))
    }
    #expect(count() == "2\n")
    #expect(script("set Trip --where 'name == \"One\"' days=1\nsave\n").exitCode == .done)
  }

  @Test("Unsaved changes at the end are an error, unless discarding them was requested")
  func unsaved() {
    let run = script("insert Trip name=One\n")
    #expect(run.exitCode == .no && run.messages.contains("did not save"))
    #expect(script("insert Trip name=One\n", "--discard").exitCode == .done)
    #expect(
      script("insert Trip name=One\nquit\n").messages.contains(
        "line 2: The session has unsaved changes"))
    #expect(script("insert Trip name=One\nquit --discard\nsave\n").exitCode == .done)
    #expect(script("insert Trip days=1\nsave\n").exitCode == .no)
    #expect(count() == "0\n")
  }

  @Test("After a refused save, revert shows the other session's save, and the next save works")
  func revertAfterConflict() throws {
    let backends = StoreBackends.builtIn
    let session = try Session(
      backends.open("/Trips.store", on: disk, StoreOpening()), on: disk)
    let messages = Mutex("")
    let console = Console(
      output: .init { _ in }, messages: .init { text in messages.withLock { $0 += text } })
    try session.run("insert Trip name=Lisbon", on: console)
    try session.run("save", on: console)
    try session.run("set Trip --where TRUEPREDICATE name=Mine", on: console)
    #expect(script("set Trip --where TRUEPREDICATE name=Theirs\nsave\n").exitCode == .done)

    #expect(throws: ContextError.self) { try session.run("save", on: console) }
    try session.run("revert", on: console)
    let request = FetchRequest("Trip", where: try QueryPredicate("name == 'Theirs'"))
    #expect(try session.context.count(for: request) == 1)
    try session.run("set Trip --where TRUEPREDICATE name=Again", on: console)
    try session.run("save", on: console)
    #expect(messages.withLock { $0 }.hasSuffix("Saved.\n"))
    try session.close()
    #expect(
      script("count Trip --where \"name == 'Again'\"\n").output == "1\n")
  }

  @Test("An interruption ends the command, and keeps the session and its unsaved changes")
  func interruption() throws {
    let session = try Session(
      StoreBackends.builtIn.open("/Trips.store", on: disk, StoreOpening()), on: disk)
    let seen = Mutex("")
    let interruption = session.interruption
    let console = Console(
      output: .init { text in
        seen.withLock { $0 += text }
        interruption.request()
      }, messages: .init { _ in }
    ).interruptible(by: interruption)
    func run(_ line: String) throws {
      session.interruption.reset()
      try session.run(line, on: console)
    }
    for number in 0..<300 { _ = try? run("insert Trip name=\(number)") }
    interruption.reset()
    #expect(try session.context.count(for: FetchRequest("Trip")) == 300)

    // The output ends after its first piece, with a message.
    seen.withLock { $0 = "" }
    #expect(throws: CancellationError.self) { try run("fetch Trip") }
    #expect(seen.withLock { $0.count } == 4096)
    // An interruption ends a search and an edit too, and the edit undoes its changes.
    for line in [
      "count Trip --where \"name != 'x'\"", "set Trip --where \"name != 'x'\" days=5",
      "delete Trip --where \"name != 'x'\"",
    ] {
      session.interruption.request()
      #expect(throws: CancellationError.self, "\(line)") { try session.run(line, on: console) }
    }
    session.interruption.reset()
    let objects = try session.context.fetch(FetchRequest("Trip"))
    #expect(objects.count == 300 && objects.allSatisfy { $0["days"] == .null })
    // A save is not interrupted.
    session.interruption.request()
    try session.run("save", on: console)
    try session.close()
    #expect(count() == "300\n")
  }

  @Test("The session lists its commands")
  func help() {
    let run = script("help\nhelp set\nset --help\ninfo\nmodel\n")
    #expect(run.exitCode == .done, "\(run)")
    for word in ["undo", "KEY=VALUE", "type       Binary", "entity Trip"] {
      #expect(run.output.contains(word), "\(word)")
    }
  }

  @Test("At a terminal lines can be edited, repeated from the history and completed")
  func terminal() throws {
    let pair = try TerminalPair()
    let tool = tool
    let recorded = Mutex<ExitCode?>(nil)
    let isOver = DispatchSemaphore(value: 0)
    let console = Console(
      output: .init(isTerminal: true) { text in try pair.write(Array(text.utf8), to: pair.inner) },
      messages: .init(isTerminal: true) { text in
        try pair.write(Array(text.utf8), to: pair.inner)
      },
      input: .init(terminal: pair.inner) { most in try Console.bytes(of: pair.inner, most) })
    let thread = Thread {
      let code = tool.run(["open", "/Trips.store"], on: console)
      recorded.withLock { $0 = code }
      isOver.signal()
    }
    thread.start()
    func expect(_ text: String) throws {
      let seen = try pair.read(until: text)
      #expect(seen.contains(text), "\(seen.debugDescription)")
    }

    try expect("Trips.store> ")
    try pair.type("ins\tTr\tna\tLisbom\u{7F}n\r")
    try expect("1 object inserted.")
    try expect("Trips.store*> ")
    try pair.type("\u{1B}[A\u{17}name=東京\r")
    try expect("1 object inserted.")
    try expect("Trips.store*> ")
    try pair.type("quit\r")
    try expect("unsaved changes")
    try expect("Trips.store*> ")
    try pair.type("\u{12}Lis\u{3}\u{3}")
    try expect("Trips.store*> ")
    try pair.type("save\r")
    try expect("Saved.")
    try expect("Trips.store> ")
    try pair.type("count Trip\r")
    try expect("2")
    // Before the prompt is shown, the terminal would take the key for the end of the input.
    try expect("Trips.store> ")
    try pair.type("\u{4}")
    isOver.wait()

    #expect(recorded.withLock { $0 } == .done)
    #expect(count() == "2\n")
    let history = String(decoding: try disk.read("/state/history", byteLimit: 4096), as: UTF8.self)
    #expect(history.hasPrefix("insert Trip name=Lisbon\ninsert Trip name=東京\nquit\n"))
  }
}
