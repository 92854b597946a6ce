import Documents
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import TestEffort
import Testing

/// Kills a program that edits and saves, at random moments, again and again.
///
/// `QUIRE_EFFORT=40` kills it a thousand times.
@Suite("A program that is killed while it saves", .serialized)
struct KilledTests {
  private static let killCount = Effort.count(25)

  @Test(
    "After each kill the document is whole and holds every acknowledged save",
    arguments: [Mix.binary, .threeStores])
  func killed(_ mix: Mix) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var lossCount = 0
    for round in 0..<Self.killCount {
      let wait = UInt32.random(in: 1_000...120_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [folder = folder as String, mix = mix.rawValue as String, wait = wait as UInt32] in
        try await KilledWork(folder: folder, mix: Mix(rawValue: mix)!, wait: wait).run()
      }
      let work = KilledWork(folder: folder, mix: mix, wait: 0)
      let (acknowledged, made) = try work.log()
      guard FileManager.default.fileExists(atPath: work.path) else {
        #expect(acknowledged == 0 && made == 0, "round \(round)")
        continue
      }
      let world = DocumentWorld(mix, on: RealDisk())
      let document = try Document.open(work.path, in: world.places)
      let names = try world.names(in: document)
      try document.close()
      // Changes that were made together are saved together, in all stores.
      #expect(names[0] == names[1] && names[1] == names[2], "round \(round)")
      let held = names[0].count
      #expect(names[0] == (0..<held).map(KilledWork.name), "round \(round)")
      #expect((acknowledged...max(acknowledged, made)).contains(held), "round \(round)")
      lossCount += made - held
      try work.settle(held)
    }
    print("killed \(Self.killCount) times, \(mix): \(lossCount) edits lost that were not saved yet")
  }
}

/// The work of the killed program.
struct KilledWork {
  let folder: String
  let mix: Mix
  /// The time until the program is killed, in microseconds.
  let wait: UInt32

  var path: String { folder + "/Trip.quire" }
  private var logPath: String { folder + "/log" }

  static func name(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  @MainActor
  func run() async throws {
    var options = DocumentOptions()
    options.autosave = AutosaveTiming(delay: .milliseconds(2), longestWait: .milliseconds(8))
    options.hooks.stores = { [mix] _ in mix.stores }
    options.versions = VersionPolicy([.init(upTo: 0.05), .init(upTo: 1, oneEach: 0.1)])
    let places = DocumentWorld(mix, on: RealDisk()).places
    let document = try await ManagedDocument.openOrCreate(
      path, model: DocumentWorld.model, in: places, options)
    var number = try document.mainContext.count(for: FetchRequest("Trip"))
    let wait = wait
    Thread.detachNewThread {
      usleep(wait)
      kill(getpid(), SIGKILL)
    }
    while true {
      for entity in ["Trip", "Person", "Note"] {
        try document.mainContext.insert(entity)["name"] = .string(KilledWork.name(number))
      }
      number += 1
      try append("made \(number)")
      if number % 7 == 0 {
        try await document.save()
        try append("saved \(number)")
      } else {
        try await Task.sleep(for: .milliseconds(number % 3))
      }
      if number % 40 == 0 { _ = try? document.thin(options.versions) }
    }
  }

  private func append(_ line: String) throws {
    let file = try RealDisk().open(logPath, for: .updateOrCreate)
    try file.append(Array("\(line)\n".utf8))
  }

  /// Returns the number of acknowledged edits, and the number of all edits.
  func log() throws -> (acknowledged: Int, made: Int) {
    guard let text = try? String(contentsOfFile: logPath, encoding: .utf8) else { return (0, 0) }
    func last(_ word: String) -> Int {
      text.split(separator: "\n").last { $0.hasPrefix(word) }.flatMap {
        Int($0.dropFirst(word.count + 1))
      } ?? 0
    }
    return (last("saved"), last("made"))
  }

  /// Resets the log to the edits that the document holds.
  func settle(_ held: Int) throws {
    try "saved \(held)\nmade \(held)\n".write(toFile: logPath, atomically: true, encoding: .utf8)
  }
}
