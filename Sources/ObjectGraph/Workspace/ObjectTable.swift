// SAFETY: A page has `Page.count` places, initialized when it is made, and positions are masked to that.
// Callers of a directory stay below its count.

import CProcessor

/// The objects of one entity that a context knows, by their numbers.
///
/// Keys are leased in order, so objects lie in pages by number: eight bytes an object and no hash. The
/// table keeps its objects alive until it is swept, because only so may their last user be on any
/// thread: nothing is found here while it is going.
struct ObjectTable: ~Copyable {
  /// Pages are in an array while so many places of it come to each, and beyond in a dictionary: who looks for a few
  /// objects among millions needs no room for all.
  private static var mostPlacesPerPage: Int { 64 }

  private var low = Directory()
  private var pageCount = 0
  private var high: [UInt64: Page] = [:]
  /// The number of objects.
  private(set) var count = 0
  /// How often objects have left. Counted before they do: an object's end may ask for others.
  private(set) var departures = 0

  deinit {
    for index in 0..<low.count { low[index]?.free() }
    low.free()
    for page in high.values { page.free() }
  }

  /// Objects with consecutive numbers.
  @safe
  private struct Page {
    static var count: Int { 64 }
    private let places: UnsafeMutablePointer<ManagedObject?>

    init() {
      unsafe places = .allocate(capacity: Page.count)
      unsafe places.initialize(repeating: nil, count: Page.count)
    }

    func free() {
      for place in 0..<Page.count { clear(place) }
      unsafe places.deallocate()
    }

    @inline(__always)
    subscript(number: UInt64) -> ManagedObject? {
      unsafe places[Int(truncatingIfNeeded: number & 63)]
    }

    /// Fills a place that is empty.
    @inline(__always)
    func put(_ object: ManagedObject, _ number: UInt64) {
      unsafe (places + Int(truncatingIfNeeded: number & 63)).initialize(to: object)
    }

    /// Empties a place, and gives whether anybody else holds the object that was there.
    @discardableResult
    func clear(_ place: Int) -> Bool {
      guard address(UInt64(place)) != 0 else { return false }
      let isHeld = unsafe !isKnownUniquelyReferenced(&places[place])
      if isHeld { unsafe places[place].unsafelyUnwrapped.holdSource() }
      unsafe places[place] = nil
      return isHeld
    }

    func remove(_ number: UInt64) { clear(Int(truncatingIfNeeded: number & 63)) }

    /// The address of an object, without holding it; 0 for none.
    @inline(__always)
    func address(_ number: UInt64) -> UInt {
      // SAFETY: A place is a pointer, or nothing, which is zero.
      unsafe UnsafeRawPointer(places + Int(truncatingIfNeeded: number & 63)).load(as: UInt.self)
    }

    /// Lets go of what nobody else holds, and gives how many those were and how many are left.
    func sweep() -> (gone: Int, left: Int) {
      var (gone, left) = (0, 0)
      for place in 0..<Page.count where address(UInt64(place)) != 0 {
        if unsafe isKnownUniquelyReferenced(&places[place]) {
          unsafe places[place] = nil
          gone += 1
        } else {
          left += 1
        }
      }
      return (gone, left)
    }

    /// Calls `body` with each object that has a holder other than the table.
    func visitHeld(_ body: (ManagedObject) -> Void) {
      for place in 0..<Page.count where address(UInt64(place)) != 0 {
        if unsafe isKnownUniquelyReferenced(&places[place]) { continue }
        if let object = unsafe places[place] { body(object) }
      }
    }

    @inline(__always)
    func bringPlaceNear(_ number: UInt64) {
      unsafe quire_prefetch(places + Int(truncatingIfNeeded: number & 63))
    }

    func visit(_ body: (ManagedObject) throws -> Void) rethrows {
      for place in 0..<Page.count {
        if let object = unsafe places[place] { try body(object) }
      }
    }
  }

  /// Pages by their index, without the bookkeeping of an array.
  @safe
  private struct Directory {
    private(set) var count = 0
    private var pages: UnsafeMutablePointer<Page?>?

    @inline(__always)
    subscript(index: Int) -> Page? {
      // SAFETY: Callers stay below the count.
      get { unsafe pages.unsafelyUnwrapped[index] }
      nonmutating set { unsafe pages.unsafelyUnwrapped[index] = newValue }
    }

    mutating func grow(to newCount: Int) {
      let new = UnsafeMutablePointer<Page?>.allocate(capacity: newCount)
      unsafe new.initialize(repeating: nil, count: newCount)
      if let pages = unsafe pages {
        unsafe new.update(from: pages, count: count)
        unsafe pages.deallocate()
      }
      unsafe pages = new
      count = newCount
    }

    func free() { unsafe pages?.deallocate() }
  }

  @inline(__always)
  private func page(of number: UInt64) -> Page? {
    let index = number >> 6
    if index < UInt64(low.count) { return low[Int(truncatingIfNeeded: index)] }
    return high.isEmpty ? nil : high[index]
  }

  /// The object with the given number.
  @inline(__always)
  subscript(number: UInt64) -> ManagedObject? { page(of: number)?[number] }

  /// Brings near the place of an object.
  @inline(__always)
  func bringPlaceNear(_ number: UInt64) { page(of: number)?.bringPlaceNear(number) }

  /// Where the object with the given number lies, without holding it; 0 when it is not known.
  @inline(__always)
  func address(_ number: UInt64) -> UInt { page(of: number)?.address(number) ?? 0 }

  /// Brings near an object by its address.
  @inline(__always)
  static func bringNear(_ address: UInt) {
    // What counting it needs may lie in another line than where it leads to.
    unsafe quire_prefetch(UnsafeRawPointer(bitPattern: address))
    unsafe quire_prefetch(UnsafeRawPointer(bitPattern: address &+ 24))
  }

  /// The object at an address, for whoever looks at it while the table holds it.
  @inline(__always)
  @unsafe static func unheld(_ address: UInt) -> Unmanaged<ManagedObject>? {
    // SAFETY: The table holds the object.
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
  }

  /// Adds an object that is not there.
  mutating func insert(_ object: ManagedObject, _ number: UInt64) {
    (page(of: number) ?? makePage(number >> 6)).put(object, number)
    count += 1
  }

  private mutating func makePage(_ index: UInt64) -> Page {
    let page = Page()
    pageCount += 1
    if index >= UInt64(low.count), index < UInt64(pageCount * ObjectTable.mostPlacesPerPage) {
      low.grow(to: max(Int(index) + 1, low.count * 2))
      // What is found in the array is not looked for elsewhere.
      for (index, page) in high where index < UInt64(low.count) {
        low[Int(index)] = page
        high[index] = nil
      }
    }
    if index < UInt64(low.count) { low[Int(index)] = page } else { high[index] = page }
    return page
  }

  /// Takes an object out.
  mutating func remove(_ number: UInt64) {
    guard let page = page(of: number), page.address(number) != 0 else { return }
    departures += 1
    page.remove(number)
    count -= 1
  }

  /// Takes all objects out.
  mutating func removeAll() {
    departures += 1
    let departures = departures
    self = ObjectTable()
    self.departures = departures
  }

  /// Lets go of the objects that nobody else holds.
  mutating func sweep() {
    departures += 1
    for index in 0..<low.count {
      guard let page = low[index] else { continue }
      let (gone, left) = page.sweep()
      count -= gone
      if left == 0 {
        page.free()
        low[index] = nil
        pageCount -= 1
      }
    }
    for (index, page) in high {
      let (gone, left) = page.sweep()
      count -= gone
      if left == 0 {
        page.free()
        high[index] = nil
        pageCount -= 1
      }
    }
  }

  /// Calls `body` with every object, in the order of their numbers as far as these are low.
  func visit(_ body: (ManagedObject) throws -> Void) rethrows {
    for index in 0..<low.count { try low[index]?.visit(body) }
    for page in high.values { try page.visit(body) }
  }

  /// Calls `body` with each object that has a holder other than the table.
  func visitHeld(_ body: (ManagedObject) -> Void) {
    for index in 0..<low.count { low[index]?.visitHeld(body) }
    for page in high.values { page.visitHeld(body) }
  }
}
