import Foundation
import ObjectGraph

/// A program that runs transactions at random and records each of them, for the checker in `Tests/isolation`.
///
///     isolation-writer make KIND ADDRESS            makes the store, with its objects
///     isolation-writer work KIND ADDRESS OPTION...  runs transactions in some contexts until the time is over
///     isolation-writer read KIND ADDRESS            prints one transaction that reads everything
///
/// A store in memory needs `--whole` in the second form, which then does what the three forms do.
@main
struct IsolationWriter {
  static func main() {
    // A write over the limit of the file size is an error then, as a write to a full disk is, and no signal.
    signal(SIGXFSZ, SIG_IGN)
    do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws {
    guard words.count >= 3 else { exit(64) }
    let world = JudgedWorld(kind: words[1], address: words[2])
    switch words[0] {
    case "make": try world.make(in: world.open(isNew: true))
    case "read":
      let reader = try TransactionRunner(world.open(isNew: false), WorkOptions())
      print(try reader.readAll())
    case "work":
      let options = try WorkOptions(words.dropFirst(3))
      let coordinator = try world.open(isNew: options.isWhole)
      if options.isWhole { try world.make(in: coordinator) }
      try work(coordinator, options)
    default: exit(64)
    }
  }

  /// Runs transactions in each context, each on a thread of its own.
  private static func work(
    _ coordinator: PersistentStoreCoordinator, _ options: WorkOptions
  ) throws {
    let threads = DispatchGroup()
    for number in 0..<options.contextCount {
      threads.enter()
      Thread.detachNewThread {
        do {
          var options = options
          options.client += number
          let runner = try TransactionRunner(coordinator, options)
          try runner.run()
        } catch {
          FileHandle.standardError.write(Data("error: \(error)\n".utf8))
          exit(1)
        }
        threads.leave()
      }
    }
    threads.wait()
    guard options.isWhole else { return }
    var last = options
    last.client += options.contextCount
    let runner = try TransactionRunner(coordinator, last)
    try runner.log(runner.readAll())
  }
}
