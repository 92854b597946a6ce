// SAFETY: A page has `Page.count` places, all initialized when the page is made. Positions are masked to that count.
// Callers of a directory stay below its count.

import CProcessor

/// The registered objects of one entity, by their numbers.
///
/// Keys are leased in order, so objects are in pages by number: eight bytes for an object, and no hash. The table
/// retains its objects until a sweep releases them. So it never returns an object that another thread is releasing: an
/// object leaves the table before any thread may release it.
struct ObjectTable: ~Copyable {
  /// The maximum length of the array of pages, as a multiple of the number of pages. Pages beyond the array are in a
  /// dictionary, so that a few objects among millions need little memory.
  private static var mostPlacesPerPage: Int { 64 }

  private var low = Directory()
  private var pageCount = 0
  private var high: [UInt64: Page] = [:]
  private(set) var count = 0
  /// The number of times that objects have left. Raised before objects end, because their deinitializers may read the
  /// table.
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

    /// Stores an object in an empty place.
    @inline(__always)
    func put(_ object: ManagedObject, _ number: UInt64) {
      unsafe (places + Int(truncatingIfNeeded: number & 63)).initialize(to: object)
    }

    /// Empties a place. Returns whether the program still holds the object.
    @discardableResult
    func clear(_ place: Int) -> Bool {
      guard address(UInt64(place)) != 0 else { return false }
      let isHeld = unsafe !isKnownUniquelyReferenced(&places[place])
      if isHeld { unsafe places[place].unsafelyUnwrapped.holdSource() }
      unsafe places[place] = nil
      return isHeld
    }

    func remove(_ number: UInt64) { clear(Int(truncatingIfNeeded: number & 63)) }

    /// Returns the address of an object without retaining it; 0 if there is none.
    @inline(__always)
    func address(_ number: UInt64) -> UInt {
      // SAFETY: A place contains a pointer, or `nil`, which is zero.
      unsafe UnsafeRawPointer(places + Int(truncatingIfNeeded: number & 63)).load(as: UInt.self)
    }

    /// Moves the objects that only the table holds into an array. Returns whether no objects remain.
    func sweep(into gone: inout [ManagedObject]) -> Bool {
      var isEmpty = true
      for place in 0..<Page.count where address(UInt64(place)) != 0 {
        if unsafe isKnownUniquelyReferenced(&places[place]) {
          unsafe gone.append(places[place].take().unsafelyUnwrapped)
        } else {
          isEmpty = false
        }
      }
      return isEmpty
    }

    /// Calls `body` with each object that is held outside of the table.
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

  /// An array of pages by index, without the overhead of Swift's array.
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

  @inline(__always)
  subscript(number: UInt64) -> ManagedObject? { page(of: number)?[number] }

  /// Prefetches the place of an object.
  @inline(__always)
  func bringPlaceNear(_ number: UInt64) { page(of: number)?.bringPlaceNear(number) }

  /// Returns the address of the object with the given number, without retaining it; 0 if it is not registered.
  @inline(__always)
  func address(_ number: UInt64) -> UInt { page(of: number)?.address(number) ?? 0 }

  /// Asks the processor to load the memory at an object's address into its cache.
  @inline(__always)
  static func prefetch(_ address: UInt) {
    // The object's reference count and its fields may be in different cache lines.
    unsafe quire_prefetch(UnsafeRawPointer(bitPattern: address))
    unsafe quire_prefetch(UnsafeRawPointer(bitPattern: address &+ 24))
  }

  /// Returns the object at an address without retaining it, for use while the table retains it; `nil` for 0.
  @inline(__always)
  @unsafe static func unheld(_ address: UInt) -> Unmanaged<ManagedObject>? {
    // SAFETY: The table retains the object as long as `departures` has the value that it had when the address was
    // stored.
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
  }

  /// Adds an object that is not in the table.
  mutating func insert(_ object: ManagedObject, _ number: UInt64) {
    (page(of: number) ?? makePage(number >> 6)).put(object, number)
    count += 1
  }

  private mutating func makePage(_ index: UInt64) -> Page {
    let page = Page()
    pageCount += 1
    if index >= UInt64(low.count), index < UInt64(pageCount * ObjectTable.mostPlacesPerPage) {
      low.grow(to: max(Int(index) + 1, low.count * 2))
      // A page in the range of the array is looked up only there.
      for (index, page) in high where index < UInt64(low.count) {
        low[Int(index)] = page
        high[index] = nil
      }
    }
    if index < UInt64(low.count) { low[Int(index)] = page } else { high[index] = page }
    return page
  }

  mutating func remove(_ number: UInt64) {
    guard let page = page(of: number), page.address(number) != 0 else { return }
    departures += 1
    page.remove(number)
    count -= 1
  }

  /// Removes all objects. Returns a table that releases them when it ends.
  mutating func removeAll() -> ObjectTable {
    var table = ObjectTable()
    table.departures = departures + 1
    swap(&self, &table)
    return table
  }

  /// Moves the objects that only the table holds into an array. The caller must release them after this call, because
  /// their deinitializers may use the table.
  mutating func sweep(into gone: inout [ManagedObject]) {
    departures += 1
    let before = gone.count
    for index in 0..<low.count {
      guard let page = low[index], page.sweep(into: &gone) else { continue }
      page.free()
      low[index] = nil
      pageCount -= 1
    }
    for (index, page) in high {
      guard page.sweep(into: &gone) else { continue }
      page.free()
      high[index] = nil
      pageCount -= 1
    }
    count -= gone.count - before
  }

  /// Calls `body` with every object. Objects of pages in the array come first, in ascending order.
  func visit(_ body: (ManagedObject) throws -> Void) rethrows {
    for index in 0..<low.count { try low[index]?.visit(body) }
    for page in high.values { try page.visit(body) }
  }

  /// Calls `body` with each object that is held outside of the table.
  func visitHeld(_ body: (ManagedObject) -> Void) {
    for index in 0..<low.count { low[index]?.visitHeld(body) }
    for page in high.values { page.visitHeld(body) }
  }
}
