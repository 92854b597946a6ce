import JSONText
import Testing

@Suite("Places of values in JSON")
struct JSONPlacesTests {
  @Test("The place of a value and of its name is found by its path")
  func places() {
    let text = #" {"a": [1, {"b": "x"}], "c\u0064": [], "e" : {} }"#
    let paths: [[JSONStep]] = [
      [], [.member("a")], [.member("a"), .item(1), .member("b")], [.member("cd")],
      [.member("e")], [.member("a"), .item(2)], [.member("x")], [.member("a"), .member("b")],
    ]
    let found = JSON.places(of: paths, in: Array(text.utf8))

    #expect(found.map { $0?.value } == [1, 7, 17, 35, 45, nil, nil, nil])
    #expect(found.map { $0?.name } == [1, 2, 12, 24, 39, nil, nil, nil])
    #expect(paths[2].text == "a[1].b")
    #expect([JSONStep.item(0), .member("odd key"), .member("1")].text == #"[0]["odd key"]["1"]"#)
  }
}
