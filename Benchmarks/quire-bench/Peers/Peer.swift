import Foundation

/// The work of a user, which every peer does in its best way.
enum PeerWork: String, CaseIterable {
  case insert = "insert all and save once"
  case openOne = "open and read one person, whole"
  case readOneAttribute = "read one attribute of all"
  case readAll = "read all, whole"
  case filterAndSort = "filter and sort, whole"
  case group = "group by last name"
  case walk = "companies and their people, whole"
  case changeHundredth = "change one in a hundred, save"
  case deleteTenth = "delete one in ten, save"
  case saveOne = "change one and save, each of 100"
  case byteCount = "size of the file"
}

/// A store of people and companies that is measured beside Quire.
///
/// Each piece of work returns a number that follows from the data. All peers must return the same number. A peer without
/// the work returns `nil`.
protocol Peer: AnyObject {
  var title: String { get }
  /// Makes a new store with all people, and makes it durable.
  func insert() -> Int?
  /// Opens the store as a new program would, and reads a person.
  func openOne() -> Int?
  /// Opens the store, and returns the sum of all ages.
  func readOneAttribute() -> Int?
  /// Opens the store, and returns the sum of all people.
  func readAll() -> Int?
  /// Returns the sum of the people over 40 whose last names begin with "Sm", sorted by last name and age.
  func filterAndSort() -> Int?
  /// Counts the people of each last name and their average age. Returns the number of names.
  func group() -> Int?
  /// Opens the store, and returns the sum of all people of all companies.
  func walk() -> Int?
  /// Makes the copy of the store that the next three functions change.
  func prepareCopy()
  /// Adds 1 to the balance of one person in a hundred, and saves.
  func changeHundredth() -> Int?
  /// Deletes one person in ten, and saves.
  func deleteTenth() -> Int?
  /// Changes and saves 100 people, one after another.
  func saveOne() -> Int?
  /// The size of the store, in bytes.
  var byteCount: Int? { get }
}

extension Peer {
  /// Does a piece of work.
  func run(_ work: PeerWork) -> Int? {
    switch work {
    case .insert: insert()
    case .openOne: openOne()
    case .readOneAttribute: readOneAttribute()
    case .readAll: readAll()
    case .filterAndSort: filterAndSort()
    case .group: group()
    case .walk: walk()
    case .changeHundredth: changeHundredth()
    case .deleteTenth: deleteTenth()
    case .saveOne: saveOne()
    case .byteCount: byteCount
    }
  }
}

/// The size of a benchmark of peers, and the files that the peers make.
struct PeerWorld {
  let count: Int
  let folder: URL
  var companies: Int { max(1, count / 100) }
  /// The person that `openOne` reads.
  var middle: Int { count / 2 }
  /// The people that `saveOne` changes, spread over all.
  var changed: [Int] { (0..<100).map { $0 * 7919 % count + 1 } }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Copies a file, and waits until the copy is on the disk, so that this is not a part of the next save.
  func copy(_ name: String, to other: String) {
    try? FileManager.default.removeItem(atPath: path(other))
    try! FileManager.default.copyItem(atPath: path(name), toPath: path(other))
    sync()
  }

  func byteCount(_ name: String) -> Int {
    try! FileManager.default.attributesOfItem(atPath: path(name))[.size] as! Int
  }

  /// Returns the number to which all values of a person contribute.
  static func sum(
    id: Int, _ firstName: Int, _ lastName: Int, age: Int, balance: Double, created: Double,
    _ note: Int, active: Bool
  ) -> Int {
    id &+ firstName &+ lastName &+ age &+ Int(balance) &+ Int(created) &+ note &+ (active ? 1 : 0)
  }
}
