import ObjectQuery
import Testing

@Suite("Combining predicates")
struct CombiningTests {
  private let a = QueryPredicate.comparison(.init(.path("a"), .equal, .constant(.integer(1))))
  private let b = QueryPredicate.comparison(.init(.path("b"), .equal, .constant(.integer(2))))

  @Test("Predicates joined by the same operator are one flat list")
  func flat() {
    #expect((a && b && a) == .and([a, b, a]))
    #expect((a && (b && a)) == .and([a, b, a]))
    #expect((a || b || a) == .or([a, b, a]))
    #expect((a || b && a) == .or([a, .and([b, a])]))
    #expect(!(a && b) == .not(.and([a, b])))
  }
}
