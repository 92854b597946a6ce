import ObjectModel
import Rows
import Testing

@testable import ObjectGraph

@Suite("Rebase: rows of layers")
struct LayerRowTests {
  @Test("Changes and removals are based on the versions of the rows beneath")
  func based() throws {
    let schema = SmallModel.graph.schema
    let stored = RowText.rows("+page1 x=1, +page2 x=1")
    let base = try View([stored.layer(above: View(), version: 5)])
    let changes = RowText.rows("page1 x=2, -page2, +page3 x=7")
    let layer = try changes.layer(above: View())

    let based = try layer.based(on: base, schema)

    let bases = try stored.map { row in
      switch try based.entry(of: row.key) {
      case .changed(let location), .removed(let location): try location.basis
      case .put, .absent: Int64.min
      }
    }
    #expect(bases == [5, 5])
    #expect(try based.rows().text == layer.rows().text)
    #expect(try based.based(on: base, schema).isSame(as: based))
  }
}
