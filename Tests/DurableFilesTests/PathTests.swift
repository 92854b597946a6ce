import Testing

@testable import DurableFiles

@Suite("Paths")
struct PathTests {
  @Test(
    "A path is split as the system splits it",
    arguments: [
      ("a", ".", "a"), ("/a", "/", "a"), ("a/b", "a", "b"), ("/a/b/", "/a", "b"),
      ("//a//b//", "//a", "b"), ("/", "/", ""), ("a/e\u{301}/b", "a/e\u{301}", "b"),
      ("a/\u{301}b", "a", "\u{301}b"),
    ])
  func parts(_ path: String, _ parent: String, _ name: String) {
    #expect(path.parentPath.utf8.elementsEqual(parent.utf8))
    #expect(path.lastPathComponent.utf8.elementsEqual(name.utf8))
  }

  @Test("Only a path that stays below a directory counts as below it")
  func below() {
    #expect("d/a//./b/".pathComponents(below: "d") == ["a", "b"])
    #expect("d/a".pathComponents(below: "d/") == ["a"])
    #expect("/a".pathComponents(below: "/") == ["a"])
    for path in ["d", "d/", "d/.", "d/a/..", "d/../a", "da", "a/d", "/d/a", "d\u{301}/a"] {
      #expect(path.pathComponents(below: "d") == nil, "\(path)")
    }
  }
}
