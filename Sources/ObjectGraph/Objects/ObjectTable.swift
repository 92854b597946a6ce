// SAFETY: A page has `Page.count` places, initialized when it is made, and positions are masked to that.
// Callers of a directory stay below its count.

/// The objects of one entity that a context knows, by their numbers.
///
/// Keys are leased in order, so objects lie in pages by number: eight bytes an object and no hash. The
/// table keeps its objects alive until it is swept, because only so may their last user be on any
/// thread: nothing is found here while it is going.
struct ObjectTable: ~Copyable {
  /// Pages up to here are in an array; the few there are beyond in a dictionary.
  private static var mostLowPages: Int { 1 << 20 }

  private var low = Directory()
  private var high: [UInt64: Page] = [:]
  /// The number of objects.
  private(set) var count = 0

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
      unsafe places.deinitialize(count: Page.count)
      unsafe places.deallocate()
    }

    @inline(__always)
    subscript(number: UInt64) -> ManagedObject? {
      get { unsafe places[Int(truncatingIfNeeded: number & 63)] }
      nonmutating set { unsafe places[Int(truncatingIfNeeded: number & 63)] = newValue }
    }

    /// The address of an object, without holding it; 0 for none.
    @inline(__always)
    func address(_ number: UInt64) -> UInt {
      // SAFETY: A place is a pointer, or nothing, which is zero.
      unsafe UnsafeRawPointer(places + Int(truncatingIfNeeded: number & 63)).load(as: UInt.self)
    }

    /// Lets go of what nobody else holds, and gives how many those were and how many are left.
    func sweep() -> (gone: Int, left: Int) {
      var (gone, left) = (0, 0)
      for place in 0..<Page.count where unsafe places[place] != nil {
        if unsafe isKnownUniquelyReferenced(&places[place]) {
          unsafe places[place] = nil
          gone += 1
        } else {
          left += 1
        }
      }
      return (gone, left)
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

  /// Looks at objects that are about to be used one after another, all at once: memory that is far away
  /// comes for many in the time of one. Counting references would wait for each.
  @inline(never)
  func touch(_ numbers: ArraySlice<UInt64>) -> UInt64 {
    unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: numbers.count) { addresses in
      var count = 0
      for number in numbers {
        if let address = page(of: number)?.address(number), address != 0 {
          unsafe addresses.initializeElement(at: count, to: address)
          count += 1
        }
      }
      var sum: UInt64 = 0
      for index in 0..<count {
        // SAFETY: The table holds the object, whose first two words are its header.
        sum &+= unsafe UnsafePointer<UInt64>(bitPattern: addresses[index]).unsafelyUnwrapped[1]
      }
      return sum
    }
  }

  /// Adds an object that is not there.
  mutating func insert(_ object: ManagedObject, _ number: UInt64) {
    (page(of: number) ?? makePage(number >> 6))[number] = object
    count += 1
  }

  private mutating func makePage(_ index: UInt64) -> Page {
    let page = Page()
    if index < UInt64(ObjectTable.mostLowPages) {
      if index >= UInt64(low.count) {
        low.grow(to: max(Int(index) + 1, low.count * 2, 16))
      }
      low[Int(index)] = page
    } else {
      high[index] = page
    }
    return page
  }

  /// Takes an object out.
  mutating func remove(_ number: UInt64) {
    guard let page = page(of: number), page[number] != nil else { return }
    page[number] = nil
    count -= 1
  }

  /// Lets go of the objects that nobody else holds.
  mutating func sweep() {
    for index in 0..<low.count {
      guard let page = low[index] else { continue }
      let (gone, left) = page.sweep()
      count -= gone
      if left == 0 {
        page.free()
        low[index] = nil
      }
    }
    for (index, page) in high {
      let (gone, left) = page.sweep()
      count -= gone
      if left == 0 {
        page.free()
        high[index] = nil
      }
    }
  }

  /// Calls `body` with every object, in the order of their numbers as far as these are low.
  func visit(_ body: (ManagedObject) throws -> Void) rethrows {
    for index in 0..<low.count { try low[index]?.visit(body) }
    for page in high.values { try page.visit(body) }
  }
}
