import Synchronization

/// A table of states that several threads share and extend.
final class SharedTable: Sendable {
  private let table: Mutex<StateTable>

  init(_ program: PatternProgram) { table = Mutex(StateTable(program)) }

  func matches(_ text: ScalarReader) throws(PatternFault) -> Bool {
    try table.withLock { (table) throws(PatternFault) in try table.matches(text) }
  }
}

/// The states of an automaton as a table that is filled on demand.
///
/// A state is a set of instructions. Each pair of a state and a symbol has one next state, so a text takes one lookup
/// for each scalar. The table is emptied when it becomes too large.
private struct StateTable {
  private static let greatestCellCount = 1 << 20
  private static let greatestKnownScalars = 1 << 16

  private let program: PatternProgram
  private var symbols: ScalarSymbols
  /// The next state for each state and symbol; `unknown` until it is needed.
  private var cells: [Int32] = []
  private var stride = 16
  private var states: [[Int32]] = []
  private var isAccepting: [Bool] = []
  private var numbers: [[Int32]: Int32] = [:]
  private var start: Int32 = 0
  private var closure: Closure
  private static let unknown: Int32 = -1
  private static let dead: Int32 = 0

  init(_ program: PatternProgram) {
    self.program = program
    symbols = ScalarSymbols(program.tests)
    closure = Closure(program.automaton)
    empty()
  }

  mutating func matches(_ text: ScalarReader) throws(PatternFault) -> Bool {
    var text = text
    if symbols.knownCount > Self.greatestKnownScalars {
      symbols = ScalarSymbols(program.tests)
      empty()
    }
    var state = start
    closure.stepsLeft = RegularPattern.automatonStepLimit
    while let scalar = text.next() {
      let symbol = symbols.symbol(of: scalar)
      while symbol >= stride { widen() }
      var next = cells[Int(state) &* stride &+ symbol]
      if next == Self.unknown { next = try makeState(from: &state, symbol) }
      if next == Self.dead { return false }
      state = next
    }
    return isAccepting[Int(state)]
  }

  // MARK: - States

  private mutating func empty() {
    cells.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    isAccepting.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    _ = number(of: [], isAccepting: false)
    closure.begin()
    closure.add(program.automaton.start) { $0 == .textStart }
    start = number(of: closure.taking, isAccepting: accepts(atStart: true))
  }

  /// Returns whether the current instructions reach the end of the pattern if the text ends here.
  private mutating func accepts(atStart: Bool) -> Bool {
    if closure.isAccepting { return true }
    for instruction in closure.waiting {
      closure.add(instruction) {
        $0 == .textEnd || $0 == .lastLineEnd || atStart && $0 == .textStart
      }
    }
    return closure.isAccepting
  }

  private mutating func number(of state: [Int32], isAccepting flag: Bool) -> Int32 {
    // Two states with equal instructions may differ in whether they accept the end of the text.
    let key = state.sorted() + [flag ? 1 : 0]
    if let known = numbers[key] { return known }
    let number = Int32(states.count)
    numbers[key] = number
    states.append(state)
    isAccepting.append(flag)
    cells.append(contentsOf: repeatElement(Self.unknown, count: stride))
    return number
  }

  /// Makes the state that follows a symbol. If the table is emptied, `state` gets a new number.
  private mutating func makeState(
    from state: inout Int32, _ symbol: Int
  ) throws(PatternFault) -> Int32 {
    let before = states[Int(state)]
    if cells.count > Self.greatestCellCount {
      let flag = isAccepting[Int(state)]
      empty()
      state = number(of: before, isAccepting: flag)
    }
    closure.begin()
    for instruction in before {
      guard case .take(let test, let next) = program.automaton.instructions[Int(instruction)],
        symbols.holds(Int(test), for: symbol)
      else { continue }
      closure.add(next) { _ in false }
    }
    let taking = closure.taking
    let next = number(of: taking, isAccepting: accepts(atStart: false))
    guard closure.stepsLeft > 0 else {
      throw .tooManySteps(limit: RegularPattern.automatonStepLimit)
    }
    cells[Int(state) * stride + symbol] = next
    return next
  }

  private mutating func widen() {
    let wider = stride * 2
    var moved = [Int32](repeating: Self.unknown, count: states.count * wider)
    for state in states.indices {
      for symbol in 0..<stride { moved[state * wider + symbol] = cells[state * stride + symbol] }
    }
    (cells, stride) = (moved, wider)
  }
}

/// The instructions that can be reached without taking a scalar.
struct Closure {
  private let automaton: PatternProgram.Automaton
  private var marks: [Int32]
  private var mark: Int32 = 0
  private var stack: [Int32] = []
  /// The reached instructions that take a scalar.
  private(set) var taking: [Int32] = []
  /// The reached conditions that did not hold. A later call with more conditions adds them again.
  private(set) var waiting: [Int32] = []
  /// Whether the end of the pattern was reached.
  private(set) var isAccepting = false
  var stepsLeft = Int.max

  init(_ automaton: PatternProgram.Automaton) {
    self.automaton = automaton
    marks = Array(repeating: 0, count: automaton.instructions.count)
  }

  mutating func begin() {
    mark &+= 1
    if mark == .max {
      marks = Array(repeating: 0, count: marks.count)
      mark = 1
    }
    taking.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
    isAccepting = false
  }

  /// Adds an instruction and all instructions that it reaches under the conditions that hold.
  mutating func add(
    _ instruction: Int32, looks: (Int32, Bool) -> Bool = { _, _ in false },
    where holds: (PatternAssertion) -> Bool
  ) {
    stack.append(instruction)
    while let instruction = stack.popLast() {
      if marks[Int(instruction)] == mark { continue }
      stepsLeft &-= 1
      switch automaton.instructions[Int(instruction)] {
      case .take:
        marks[Int(instruction)] = mark
        taking.append(instruction)
      case .split(let one, let other):
        marks[Int(instruction)] = mark
        stack.append(other)
        stack.append(one)
      case .assert(let assertion, let next):
        // A condition that does not hold is left to a later call with more conditions.
        guard holds(assertion) else {
          waiting.append(instruction)
          continue
        }
        marks[Int(instruction)] = mark
        stack.append(next)
      case .look(let number, let isNegated, let next):
        marks[Int(instruction)] = mark
        if looks(number, isNegated) { stack.append(next) }
      case .accept:
        marks[Int(instruction)] = mark
        isAccepting = true
      }
    }
  }
}
