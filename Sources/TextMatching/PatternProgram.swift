/// A pattern as instructions of an automaton.
struct PatternProgram: Sendable {
  /// An instruction of an automaton in one state.
  enum Instruction: Sendable {
    /// Takes a scalar that passes a test.
    case take(test: Int32, next: Int32)
    case split(Int32, Int32)
    /// Continues if a condition holds.
    case assert(PatternAssertion, next: Int32)
    /// Continues if a part matches, or does not match, before or after the place.
    case look(Int32, isNegated: Bool, next: Int32)
    case accept
  }

  /// A part that is matched at each place without consuming scalars.
  struct Look: Sendable {
    let automaton: Automaton
    let isBehind: Bool
  }

  /// The instructions of the whole pattern or of a lookaround part.
  struct Automaton: Sendable {
    var instructions: [Instruction] = []
    var start: Int32 = 0
  }

  /// The largest number of instructions in one pattern.
  static let greatestSize = 20_000

  let automaton: Automaton
  /// The lookaround parts. Each part comes after the parts inside it.
  let looks: [Look]
  let tests: [PreparedTest]

  /// Reads a pattern that Foundation has accepted; `nil` if no automaton can decide it.
  init?(_ text: String, ignoresCase: Bool) {
    var reader = PatternReader(text, ignoresCase: ignoresCase)
    guard let node = try? reader.read() else { return nil }
    var tests: [PreparedTest] = []
    for test in reader.tests {
      guard let prepared = PreparedTest(test) else { return nil }
      tests.append(prepared)
    }
    var builder = Builder()
    guard let automaton = try? builder.automaton(node) else { return nil }
    self.automaton = automaton
    looks = builder.looks
    self.tests = tests
  }

  /// Whether a condition depends on the scalars around a place, and not only on the ends of the text.
  var needsPositions: Bool {
    automaton.instructions.contains { instruction in
      switch instruction {
      case .look: true
      case .assert(.textStart, _), .assert(.textEnd, _): false
      // If the rest of the pattern takes no scalar, no match can end before the last line end, so only the end of the
      // text matters.
      case .assert(.lastLineEnd, let next): automaton.mayTake(from: next)
      case .assert: true
      case .take, .split, .accept: false
      }
    }
  }
}

extension PatternProgram.Automaton {
  /// Returns whether a scalar may be taken after a state, before the end.
  fileprivate func mayTake(from start: Int32) -> Bool {
    var seen: Set<Int32> = []
    var waiting = [start]
    while let state = waiting.popLast() {
      guard seen.insert(state).inserted else { continue }
      switch instructions[Int(state)] {
      case .take: return true
      case .split(let one, let other): waiting += [one, other]
      case .assert(_, let next), .look(_, _, let next): waiting.append(next)
      case .accept: break
      }
    }
    return false
  }
}

/// Makes instructions from the parts of a pattern.
private struct Builder {
  struct TooLarge: Error {}

  private(set) var looks: [PatternProgram.Look] = []
  private var size = 0

  mutating func automaton(
    _ node: PatternNode
  ) throws(TooLarge) -> PatternProgram.Automaton {
    var automaton = PatternProgram.Automaton(instructions: [.accept])
    automaton.start = try add(node, before: 0, &automaton)
    return automaton
  }

  private mutating func add(
    _ instruction: PatternProgram.Instruction, _ automaton: inout PatternProgram.Automaton
  ) throws(TooLarge) -> Int32 {
    size += 1
    guard size <= PatternProgram.greatestSize else { throw TooLarge() }
    automaton.instructions.append(instruction)
    return Int32(automaton.instructions.count - 1)
  }

  /// Adds the instructions of a part that is followed by the given state, and returns the first of them.
  private mutating func add(
    _ node: PatternNode, before next: Int32, _ automaton: inout PatternProgram.Automaton
  ) throws(TooLarge) -> Int32 {
    switch node {
    case .scalar(let test): return try add(.take(test: Int32(test), next: next), &automaton)
    case .word(let places):
      var starts = Array(repeating: next, count: places.count + 1)
      for place in places.indices.reversed() {
        var start: Int32?
        for edge in places[place] {
          let taken = try add(
            .take(test: Int32(edge.test), next: starts[place + edge.width]), &automaton)
          start =
            try start.map { (known) throws(TooLarge) in
              try add(.split(known, taken), &automaton)
            } ?? taken
        }
        // A place without edges lies inside a wide scalar, so its state leads nowhere.
        starts[place] = try start ?? add(.assert(.never, next: next), &automaton)
      }
      return starts[0]
    case .sequence(let parts):
      var start = next
      for part in parts.reversed() { start = try add(part, before: start, &automaton) }
      return start
    case .choice(let parts):
      var start = try add(parts[parts.count - 1], before: next, &automaton)
      for part in parts.dropLast().reversed() {
        start = try add(.split(try add(part, before: next, &automaton), start), &automaton)
      }
      return start
    case .repetition(let part, let least, let most):
      return try add(part, least, most, before: next, &automaton)
    case .assertion(let assertion):
      return try add(.assert(assertion, next: next), &automaton)
    case .look(let part, let isBehind, let isNegated):
      // A lookahead is matched backwards from the end of the text, and so at all places in one pass.
      let inner = try self.automaton(isBehind ? part : part.reversed)
      looks.append(.init(automaton: inner, isBehind: isBehind))
      return try add(
        .look(Int32(looks.count - 1), isNegated: isNegated, next: next), &automaton)
    }
  }

  private mutating func add(
    _ part: PatternNode, _ least: Int, _ most: Int?, before next: Int32,
    _ automaton: inout PatternProgram.Automaton
  ) throws(TooLarge) -> Int32 {
    var start = next
    if let most {
      for _ in least..<most {
        start = try add(
          .split(try add(part, before: start, &automaton), next), &automaton)
      }
    } else {
      // Add the loop's state before the repeated part, which must end at it. The placeholder is
      // replaced once the part exists.
      let loop = try add(.split(0, next), &automaton)
      let inner = try add(part, before: loop, &automaton)
      automaton.instructions[Int(loop)] = .split(inner, next)
      start = loop
    }
    for _ in 0..<least {
      start = try add(part, before: start, &automaton)
      // Counting the copies ends the loop even if the part adds no instruction.
      size += 1
      guard size <= PatternProgram.greatestSize else { throw TooLarge() }
    }
    return start
  }
}
