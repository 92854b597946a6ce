import Foundation
import Quire

// The build makes `Author`, `Book`, `Novella`, `Edition` and `BooksModel` from Books.xcdatamodeld. No file of this folder
// declares them.

let path =
  CommandLine.arguments.dropFirst().first
  ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).store").path

let coordinator = PersistentStoreCoordinator(
  model: BooksModel.model, classes: BooksModel.classes)
try coordinator.addStore(at: path)

let context = ManagedObjectContext(coordinator)
try context.performAndWait {
  let ursula = try context.insert(Author.self) { $0.name = "Ursula K. Le Guin" }
  for (title, pages) in [("The Dispossessed", 341), ("The Left Hand of Darkness", 286)] {
    let book = try context.insert(Book.self) {
      $0.title = title
      $0.pages = Int32(pages)
      $0.published = Edition(publisher: "Harper & Row")
    }
    ursula.add(book, to: \.books)
  }
  try context.insert(Novella.self) {
    $0.title = "The Word for World Is Forest"
    $0.pages = 189
    $0.description_ = "A world that is one wood, and those who dream in it."
    $0.firstPrintedIn = "Again, Dangerous Visions"
    $0.published.year = 1972
    $0.author = ursula
  }
  try context.save()
}

// A second context sees only the saved changes of the first context.
let reader = ManagedObjectContext(coordinator)
try reader.performAndWait {
  for author in try reader.fetch(Author.self) {
    print("\(author.name): \(author.bookCount ?? 0) books")
    for book in author.books {
      let year = book.published.year.map { ", \($0)" } ?? ""
      print("  \(book.title), \(book.pages) pages\(year)")
    }
    let thick = try reader.fetch(Book.booksBy(author: author, pages: 200))
    print("over 200 pages: \(thick.map(\.title).sorted().joined(separator: "; "))")
  }
  for novella in try reader.fetch(Novella.self) {
    print(
      "\(novella.title): first in \(novella.firstPrintedIn ?? "?"). \(novella.description_ ?? "")")
  }
}
