import Synchronization

/// Matches texts with a pattern that has conditions on the scalars around a place.
///
/// Each lookaround part gets a table of the places where it matches, from one pass over the text. Another pass then
/// decides the pattern itself. So the time is at most proportional to the length of the text times the length of the
/// pattern.
struct PositionMatcher: Sendable {
  private let program: PatternProgram
  private let symbols: SharedSymbols

  private final class SharedSymbols: Sendable {
    let symbols: Mutex<ScalarSymbols>
    init(_ tests: [PreparedTest]) { symbols = Mutex(ScalarSymbols(tests)) }
  }

  init(_ program: PatternProgram) {
    self.program = program
    symbols = SharedSymbols(program.tests)
  }

  func matches(_ text: ScalarReader) throws(PatternFault) -> Bool {
    let (run, known) = symbols.symbols.withLock { symbols in
      if symbols.knownCount > 1 << 16 { symbols = ScalarSymbols(program.tests) }
      let run = PositionRun(text, &symbols)
      return (run, symbols)
    }
    var positions = run
    for look in program.looks {
      let places = try positions.places(of: look, known)
      positions.looks.append(places)
    }
    return try positions.matches(program.automaton, known)
  }
}

/// One text with the results for its places.
private struct PositionRun: Sendable {
  private var scalars: [UInt32] = []
  private var symbolNumbers: [Int] = []
  /// For each lookaround part, whether it matches at each place.
  var looks: [[Bool]] = []
  private var stepsLeft = RegularPattern.automatonStepLimit

  init(_ text: ScalarReader, _ symbols: inout ScalarSymbols) {
    var text = text
    scalars.reserveCapacity(text.byteCount)
    while let scalar = text.next() {
      scalars.append(scalar)
      symbolNumbers.append(symbols.symbol(of: scalar))
    }
  }

  /// Returns whether the automaton accepts the whole text.
  mutating func matches(
    _ automaton: PatternProgram.Automaton, _ symbols: ScalarSymbols
  ) throws(PatternFault) -> Bool {
    var isAccepting = false
    try pass(automaton, symbols, isBackwards: false, startsAnywhere: false) {
      isAccepting = $1
    }
    return isAccepting
  }

  /// Returns, for each place, whether a part matches a stretch that begins or ends there.
  mutating func places(
    of look: PatternProgram.Look, _ symbols: ScalarSymbols
  ) throws(PatternFault) -> [Bool] {
    var places = [Bool](repeating: false, count: scalars.count + 1)
    try pass(look.automaton, symbols, isBackwards: !look.isBehind, startsAnywhere: true) {
      places[$0] = $1
    }
    return places
  }

  /// Passes over the text, and reports at each place whether the pattern ends there.
  private mutating func pass(
    _ automaton: PatternProgram.Automaton, _ symbols: ScalarSymbols, isBackwards: Bool,
    startsAnywhere: Bool, _ body: (Int, Bool) -> Void
  ) throws(PatternFault) {
    var closure = Closure(automaton)
    closure.stepsLeft = stepsLeft
    var before: [Int32] = []
    let count = scalars.count
    for step in 0...count {
      let place = isBackwards ? count - step : step
      closure.begin()
      func add(_ instruction: Int32) {
        closure.add(
          instruction, looks: { looks[Int($0)][place] != $1 }, where: { holds($0, at: place) })
      }
      if step > 0 {
        let symbol = symbolNumbers[isBackwards ? place : place - 1]
        for instruction in before {
          guard case .take(let test, let next) = automaton.instructions[Int(instruction)] else {
            continue
          }
          if symbols.holds(Int(test), for: symbol) { add(next) }
        }
      }
      if step == 0 || startsAnywhere { add(automaton.start) }
      body(place, closure.isAccepting)
      before = closure.taking
      if before.isEmpty, !startsAnywhere {
        if step < count { body(count, false) }
        break
      }
      guard closure.stepsLeft > 0 else {
        throw .tooManySteps(limit: RegularPattern.automatonStepLimit)
      }
    }
    stepsLeft = closure.stepsLeft
  }

  // MARK: - Conditions

  private func holds(_ assertion: PatternAssertion, at place: Int) -> Bool {
    let count = scalars.count
    switch assertion {
    case .textStart: return place == 0
    case .textEnd: return place == count
    case .lastLineEnd:
      if place == count { return true }
      if place == count - 1 {
        return ScalarTest.endsLine(scalars[place]) && !isWithinLineEnd(place)
      }
      return place == count - 2 && scalars[place] == 0x0D && scalars[place + 1] == 0x0A
    case .lineStart:
      if place == 0 { return true }
      // In Foundation a line also starts between a carriage return and its line feed.
      return place < count && ScalarTest.endsLine(scalars[place - 1])
    case .lineEnd:
      return place == count || ScalarTest.endsLine(scalars[place]) && !isWithinLineEnd(place)
    case .wordBoundary: return isWordBoundary(place)
    case .noWordBoundary: return !isWordBoundary(place)
    case .notBeforeLineFeed: return place == count || scalars[place] != 0x0A
    case .never: return false
    }
  }

  /// Returns whether a place is between a carriage return and its line feed.
  private func isWithinLineEnd(_ place: Int) -> Bool {
    place > 0 && place < scalars.count && scalars[place - 1] == 0x0D && scalars[place] == 0x0A
  }

  /// Returns whether a place is between a word and something else. Marks belong to the scalar before them.
  private func isWordBoundary(_ place: Int) -> Bool {
    var isWord = false
    if place < scalars.count {
      if Self.isMark(scalars[place]) { return false }
      isWord = Self.isWord(scalars[place])
    }
    var before = place - 1
    while before >= 0, Self.isMark(scalars[before]) { before -= 1 }
    return isWord != (before >= 0 && Self.isWord(scalars[before]))
  }

  private static func isMark(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x80, let scalar = Unicode.Scalar(scalar) else { return false }
    return scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .format
  }

  private static func isWord(_ scalar: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(scalar) else { return false }
    if scalar.properties.isAlphabetic { return true }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark:
      return true
    default: return scalar.value == 0x200C || scalar.value == 0x200D
    }
  }
}
