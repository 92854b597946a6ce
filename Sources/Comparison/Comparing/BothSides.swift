/// Two values, one of each side of a comparison.
public struct BothSides<Element> {
  /// The value of the side that the comparison begins with.
  public package(set) var old: Element
  /// The value of the side that the comparison ends with.
  public package(set) var new: Element

  package init(old: Element, new: Element) {
    self.old = old
    self.new = new
  }

  subscript(side: ComparedSide) -> Element {
    get { side == .old ? old : new }
    set { if side == .old { old = newValue } else { new = newValue } }
  }
}

extension BothSides: Sendable where Element: Sendable {}
