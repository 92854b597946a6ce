/// The two sides of a comparison.
enum ComparedSide: Hashable {
  case old
  case new
}
