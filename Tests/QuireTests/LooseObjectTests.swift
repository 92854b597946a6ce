import Foundation
import Quire
import Testing

@Composite struct Stamp: Equatable {
  var country: String = "PT"
  var value: Int?
}

@Entity final class Letter: ManagedObject {
  var id: UUID = UUID()
  var subject: String = "Untitled"
  var sent: Date?
  var weight: Double = 1.5
  var pages: Int16 = 2
  var isOpen: Bool = true
  var price: Decimal?
  var mood: Mood = .calm
  var tags: [String] = []
  var stamp: Stamp
  @Transient var isSelected: Bool = false
  @Derived("answers.@count") var answerCount: Int
  var original: Letter?
  var envelope: Envelope?
  @Relationship(ordered: true) var answers: RelatedObjects<Letter>
  @Relationship var readers: RelatedObjects<Reader>
  @Ignored var awakenings = 0
  #Inverse<Letter>(\.original, \.answers)

  convenience init(_ subject: String) {
    self.init()
    self.subject = subject
  }

  override func awakeFromInsert() { awakenings += 1 }
}

@Entity final class Envelope: ManagedObject {
  @Relationship(inverse: \Letter.envelope) var letter: Letter?
}

@Entity class Reader: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \Letter.readers) var letters: RelatedObjects<Letter>
}

@Entity final class Critic: Reader { var isStrict: Bool = true }

@Suite("Objects outside of a context")
struct LooseObjectTests {
  private let context: ManagedObjectContext

  init() throws {
    context = try .inMemory([Letter.self, Envelope.self, Reader.self, Critic.self])
  }

  @Test("An object keeps its values until it is inserted, and then")
  func values() throws {
    let letter = Letter("Hello")
    #expect(letter.pages == 2 && letter.weight == 1.5 && letter.isOpen && letter.mood == .calm)
    #expect(letter.sent == nil && letter.price == nil && letter.tags == [])
    #expect(letter.stamp == Stamp() && !letter.isSelected && letter.answerCount == 0)
    let id = letter.id
    let sent = Date(timeIntervalSinceReferenceDate: 7)
    (letter.sent, letter.price, letter.weight, letter.pages) = (sent, 1.25, 3, 5)
    (letter.isOpen, letter.mood, letter.tags) = (false, .merry, ["a"])
    letter.stamp = Stamp(country: "ES", value: 3)
    letter.isSelected = true
    func check() {
      #expect(letter.subject == "Hello" && letter.id == id && letter.sent == sent)
      #expect(letter.price == 1.25 && letter.weight == 3 && letter.pages == 5 && !letter.isOpen)
      #expect(letter.mood == .merry && letter.tags == ["a"] && letter.isSelected)
      #expect(letter.stamp == Stamp(country: "ES", value: 3))
    }
    check()
    #expect(letter.managedObjectContext == nil && !letter.isInserted && !letter.hasChanges)
    #expect(letter.awakenings == 0 && "\(letter)" == "<Letter outside of a context>")
    #expect(!context.hasChanges)

    try context.insert(letter)
    check()
    #expect(letter.managedObjectContext === context && letter.isInserted && letter.awakenings == 1)
    #expect(context.insertedObjects == [letter])
    try context.insert(letter)
    try context.save()
    context.refreshAllObjects()
    check()
    #expect(try context.find(Letter.self, letter.objectID) === letter)
    letter.subject = "Changed"
    try context.save()
    #expect(try context.fetch(Letter.where { $0.subject == "Changed" }) == [letter])
  }

  @Test("Objects that are related are inserted together, in their order")
  func together() throws {
    let letter = Letter("Question")
    letter.answers = [Letter("Yes"), Letter("No")]
    letter.answers.append(Letter("Perhaps"))
    letter.answers[1].readers = [Critic(), Reader()]
    let envelope = Envelope()
    envelope.letter = letter
    #expect(letter.answers.map(\.subject) == ["Yes", "No", "Perhaps"])
    #expect(letter.answers.allSatisfy { $0.original === letter } && letter.envelope === envelope)

    try context.insert(letter.answers[2])
    #expect(context.insertedObjects.count == 7)
    #expect(letter.answers.map(\.subject) == ["Yes", "No", "Perhaps"])
    #expect(letter.answers[0].original === letter && letter.envelope === envelope)
    try context.save()
    context.reset()
    let found = try context.fetch(Letter.where { $0.subject == "Question" })[0]
    #expect(found.answers.map(\.subject) == ["Yes", "No", "Perhaps"] && found.answerCount == 3)
    #expect(found.answers[1].readers.count == 2 && found.envelope?.letter === found)
    #expect(try context.fetch(Critic.self).map { $0.letters.count } == [1])
  }

  @Test("An object that is related to an object of a context is inserted there")
  func joining() throws {
    let letter = try context.insert(Letter.self)
    let (one, two, three, four) = (Letter("1"), Letter("2"), Letter("3"), Letter("4"))
    one.original = letter
    letter.add(two, to: \.answers)
    letter.answers.append(three)
    three.readers = [Reader()]
    four.answers = [letter]
    letter.insert(Letter("0"), into: \.answers, at: 0)
    let envelope = Envelope()
    letter.envelope = envelope

    #expect(letter.answers.map(\.subject) == ["0", "1", "2", "3"])
    #expect(letter.original === four && envelope.letter === letter)
    #expect(context.insertedObjects.count == 8)
    try context.save()
  }

  @Test("Relationships outside of a context keep both ends equal")
  func ends() {
    let (a, b, c) = (Letter("a"), Letter("b"), Letter("c"))
    let (one, two) = (Envelope(), Envelope())
    b.original = a
    c.original = a
    c.original = b
    #expect(a.answers.objects == [b] && b.answers.objects == [c])
    a.add(c, to: \.answers)
    a.add(c, to: \.answers)
    #expect(b.answers.isEmpty && a.answers.objects == [b, c])
    a.move(in: \.answers, from: 1, to: 0)
    a.remove(b, from: \.answers)
    #expect(a.answers.objects == [c] && b.original == nil && a.count(forKey: "answers") == 1)
    one.letter = a
    two.letter = a
    #expect(one.letter == nil && a.envelope === two)
    two.letter = b
    #expect(a.envelope == nil && b.envelope === two)
    b.setValue(nil, forKey: "envelope")
    #expect(two.letter == nil && c.value(forKey: "original") as? Letter === a)
  }

  @Test("Values are set and read by their keys")
  func keys() throws {
    let letter = Letter("x")
    letter["pages"] = .integer(9)
    try letter.setValues(["weight": .double(2), "stamp.value": .integer(4)])

    #expect(letter.value(forKey: "pages") as? Int16 == 9 && letter["weight"] == .double(2))
    #expect(letter.stamp.value == 4 && letter.changedValues()["pages"] == .integer(9))
    #expect(letter.committedValues().isEmpty)
    #expect(throws: ContextError.self) { try letter.setValues(["pages": .string("many")]) }
    #expect(throws: ContextError.self) { try letter.setValues(["answerCount": .integer(1)]) }
    #expect(throws: ContextError.self) { try letter.validateForInsert() }
  }

  @Test("An object that is not inserted is released, and no context has it")
  func released() throws {
    weak var gone: Letter?
    do {
      let letter = Letter("x")
      gone = letter
      #expect(gone != nil)
    }
    #expect(gone == nil && !context.hasChanges)
  }

  @Test("An insertion that fails leaves the objects outside of the context")
  func failing() throws {
    let other = try ManagedObjectContext.inMemory([Voyage.self, Port.self])
    let letter = Letter("x")
    letter.answers = [Letter("y")]

    #expect(throws: ContextError.self) { try other.insert(letter) }
    #expect(letter.managedObjectContext == nil && letter.answers.map(\.subject) == ["y"])
    try context.insert(letter)
    #expect(context.insertedObjects.count == 2 && !other.hasChanges)
  }

  @Test("An insertion is undone, rolled back and pushed like any other")
  func later() throws {
    let undo = UndoStack()
    context.undoStack = undo
    try undo.group("Letter") { try context.insert(Letter("x")) }
    try undo.undo()
    #expect(try context.count(for: Letter.all) == 0)
    context.undoStack = nil
    let letter = Letter("y")
    try context.insert(letter)
    context.rollback()
    #expect(letter.managedObjectContext == nil && letter.subject == "y")
    let form = ManagedObjectContext(parent: context, concurrency: .confined)
    try form.insert(Letter("z"))
    try form.save()
    #expect(try context.fetch(Letter.all).map(\.subject) == ["z"])
  }

  @Test("Each thread makes objects of its own")
  func threads() async throws {
    let coordinator = context.coordinator
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          let letters = (0..<100).map { Letter("\(task).\($0)") }
          for letter in letters { letter.readers = [Reader()] }
          await Task.yield()
          let context = ManagedObjectContext(coordinator)
          let subjects = letters.map(\.subject)
          return try await context.perform {
            for subject in subjects { try context.insert(Letter(subject)) }
            try context.save()
            return subjects.count
          }
        }
      }
      return try await group.reduce(0, +)
    }
    let later = ManagedObjectContext(coordinator)
    #expect(counts == 800)
    #expect(try await later.perform { try later.count(for: Letter.all) } == 800)
  }

  @Test("Many objects share the model that follows from their class")
  func many() {
    var letters: [Letter] = []
    // A model for each object would take minutes.
    let time = ContinuousClock().measure { letters = (0..<20_000).map { Letter("\($0)") } }

    #expect(letters.last?.subject == "19999" && time < .seconds(20), "\(time)")
  }

  @Test("A set keeps an object when it is inserted")
  func hashing() throws {
    let letter = Letter("x")
    let letters: Set = [letter]
    try context.insert(letter)
    #expect(letters.contains(letter))
  }
}
