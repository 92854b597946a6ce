import Foundation
import Quire
import Testing

/// The code of docs/documents.md, which keeps the page correct.
@Suite("The page of documents", .serialized)
@MainActor
struct DocumentsPageTests {
  @Entity final class Trip: ManagedObject {
    var name: String
  }

  @Test("The program of the page creates, edits, saves and recovers a document")
  func program() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "quire-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = DocumentOptions()
    let path = folder.appending(path: "Trip.quire").path
    let document = try await ManagedDocument.openOrCreate(path, for: Trip.self, options: options)
    let context = document.mainContext

    let trip = try context.insert(Trip.self)
    trip.name = "Lisbon"  // is saved by itself, two seconds after the last change

    try context.processPendingChanges()  // the next change is an undo step of its own
    trip.name = "Porto"
    try context.undoStack?.undo()  // Lisbon again, whether or not it was saved
    #expect(trip.name == "Lisbon")

    var shown: [String] = []
    func show(_ text: String) { shown.append(text) }
    let states = document.stateChanges
    let photograph = [[UInt8]](repeating: [1, 2, 3], count: 2)
    var received: [UInt8] = []
    try document.addAttachment(named: "lisbon.jpg") { write in
      for piece in photograph { try write(piece) }
    }
    try await document.save()

    let reader = try document.openAttachment(named: "lisbon.jpg")
    try reader.forEachPiece { piece in received += piece }
    #expect(received == [1, 2, 3, 1, 2, 3])

    if let date = try document.recoveryDate() {
      // Ask the user whether to take up the unfinished work of `date` again.
      try await document.recover()  // as changes that are not saved, to be mended
      show("\(date)")
    }
    try await document.close()  // saves unsaved changes
    for await state in states {
      switch state {
      case .normal, .saving: show("")
      case .saveFailed(let error): show("Not saved: \(error)")  // the next autosave tries again
      case .inConflict(let error): show("\(error)")  // resolveConflicts(_:), or revert()
      case .editingDisabled(let error): show("\(error)")  // read-only, or moved away
      case .closed: show("Closed.")
      }
    }
    #expect(shown == ["", "", "", "Closed."])

    let opened = try Document.open(path, in: .builtIn)
    #expect(opened.attachments.map(\.name) == ["lisbon.jpg"])
    try opened.close()
  }
}
