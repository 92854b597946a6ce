import FuzzDriver
import ObjectQuery
import QueryWorld

// Any predicate that can be bound gives the same answer from columns as from each object by itself,
// through one layer and through several.
let worlds = [try World(), try World(layered: true)]

fuzz { bytes in
  let text = String(decoding: bytes.prefix(400), as: UTF8.self)
  let capitals = text.uppercased()
  // Regular expressions may take for ever, and random numbers are different each time.
  guard !capitals.contains("MATCHES"), !capitals.contains("RANDOM") else { return }
  guard let predicate = try? QueryPredicate(text) else { return }
  for entity in ["Sample", "Person", "City"] {
    var answers: [[UInt64]] = []
    for world in worlds {
      guard let scanned = try? world.scan(predicate, entity) else { continue }
      answers.append(scanned)
      if let asked = try? world.ask(predicate, entity) { answers.append(asked) }
    }
    precondition(answers.allSatisfy { $0 == answers[0] }, "\(entity): \(text): \(answers)")
  }
}
