import Testing

@testable import ObjectGraph

/// Tests of the scenario language itself.
@Suite("Scenarios")
struct ScenarioTests {
  /// Returns the report of a scenario over a store in memory.
  private func report(
    _ arguments: Any..., body: (Scenario) throws -> Void
  ) throws -> String? {
    let scenario = Scenario(.memory, arguments, try Graph(.memory))
    scenario.run(checksEnd: true, body)
    return scenario.report
  }

  @Test("A scenario states a conflict with one step on each line", arguments: Kind.allCases)
  func conflict(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.parent.insert("trip", cost: 0).save()
      s.child.read("trip")
      s.other.set("trip", cost: 10).save()
      s.child.set("trip", cost: 1).save()
      s.parent.save(expecting: .conflict(base: 0, mine: 1, theirs: 10))
    }
  }

  @Test("A context of another coordinator sees and makes saves", arguments: Kind.allCases)
  func outside(_ kind: Kind) throws {
    try scenario(kind) { s in
      s.one.insert("trip", cost: 0).save()
      s.outside.contains(trip: ["trip"]).set("trip", cost: 10).save()
      s.one.set("trip", cost: 1).save(expecting: .conflict(base: 0, mine: 1, theirs: 10))
    }
  }

  @Test("A scenario that fails lists its steps and marks the one that failed")
  func failure() throws {
    let report = try report("fetching", 2) { s in
      s.one.insert(person: "ada", age: 36)
      s.one.insert("trip", cost: 1.5, owner: "ada", members: ["ada"]).save()
      s.two.expect("trip", cost: 2)
      s.two.delete("trip").save()
    }

    #expect(
      report == """
        Step 4 failed (memory, fetching, 2):
          1  one: insert person: ada, age: 36
          2  one: insert trip, cost: 1.5, owner: ada, members: [ada]
          3  one: save
        > 4  two: expect trip, cost: 2
              cost is 1.5, not 2.
        """)
  }

  @Test("A step within a save is indented, and its failure is the save's")
  func nested() throws {
    let report = try report { s in
      s.one.insert("trip")
      s.one.save(overtakenBy: { s.two.contains(trip: ["trip"]) })
      s.one.delete("trip")
    }

    #expect(
      report == """
        Step 3 failed (memory):
          1  one: insert trip
          2  one: save, overtaken
        > 3    two: contains trip: [trip]
              Found [], not ["trip"].
        """)
  }

  @Test("A save that fails unexpectedly, or succeeds unexpectedly, fails the scenario")
  func saves() throws {
    func report(_ isChanged: Bool, _ refusal: SaveRefusal?) throws -> String? {
      try self.report { s in
        s.one.insert("trip", cost: 0).save()
        if isChanged { s.two.set("trip", cost: 10).save() }
        s.one.set("trip", cost: 1).save(expecting: refusal)
      }
    }

    #expect(try report(true, .conflict(base: 0, mine: 1, theirs: 10)) == nil)
    #expect(try report(true, nil)?.contains("> 6  one: save\n") == true)
    #expect(try report(false, .conflict())?.contains("The save succeeded.") == true)
    #expect(try report(true, .conflict(base: 2))?.contains("The base is 0, not 2.") == true)
    #expect(try report(true, .conflict("trip", "name"))?.contains("is about [\"cost\"]") == true)
    #expect(try report(true, .deletedThere("trip"))?.contains("is not deleted there") == true)
    #expect(
      try report(true, .sharedValue("trip"))?.contains("refused as conflict about []") == true)
  }

  @Test("A name or a property that does not exist fails the scenario")
  func unknownNames() throws {
    let unnamed = try report { $0.one.set("trip", cost: 1) }
    let misnamed = try report { $0.one.insert("trip", price: 1) }
    let mistyped = try report { $0.one.insert("trip", cost: "much") }

    #expect(unnamed?.contains("No object of this scenario has the name \"trip\".") == true)
    #expect(misnamed?.contains("Trip has no property \"price\" for the value 1.") == true)
    #expect(mistyped?.contains("Trip has no property \"cost\" for the value much.") == true)
  }

  @Test(
    "A scenario ends with a check of the relationships and of the file, unless it says otherwise")
  func end() throws {
    for checksEnd in [true, false] {
      let scenario = Scenario(.memory, [], try Graph(.memory))
      scenario.run(checksEnd: checksEnd) { $0.one.insert("trip").save() }

      #expect(scenario.report == nil)
      #expect(
        scenario.steps.suffix(checksEnd ? 2 : 1)
          == (checksEnd ? ["store: expect agreement", "the file is valid"] : ["one: save"]))
    }
  }

  @Test("An error in a scenario outside of its steps ends the scenario")
  func thrown() throws {
    let report = try report { s in
      s.one.insert("trip")
      throw Unwanted(what: "end")
    }

    #expect(report?.contains("unwanted end") == true)
  }
}
