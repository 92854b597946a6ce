import FuzzDriver
import ObjectQuery

// Any text gives a predicate or an error. A predicate prints as text that reads back as an equal tree.
fuzz { bytes in
  let text = String(decoding: bytes, as: UTF8.self)
  guard let predicate = try? QueryPredicate(text) else {
    _ = try? QueryExpression(text)
    return
  }
  let printed = predicate.description
  do throws(QueryError) {
    let read = try QueryPredicate(printed)
    // "Not a number" is not equal to itself, so trees with it are compared by what they print as.
    precondition(read == predicate || read.description == printed, printed)
  } catch {
    // What is printed may be deeper than what was read only at the limit itself.
    precondition(error.code == .tooLarge, "\(error)")
  }
}
