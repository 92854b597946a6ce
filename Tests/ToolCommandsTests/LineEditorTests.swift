import CommandInterface
import DiskSimulation
import DurableFiles
import Testing

@testable import ToolCommands

@Suite("The line editor")
struct LineEditorTests {
  /// Returns the line that results from typing the given keys.
  private func typed(
    _ keys: String, history: [String] = [], complete: [String] = []
  ) -> (outcome: LineEditor.Outcome?, editor: LineEditor) {
    var editor = LineEditor(prompt: "> ", history: history) { line in
      let word = String(line.split(separator: " ", omittingEmptySubsequences: false).last ?? "")
      return .init(word: word, all: complete.filter { $0.hasPrefix(word) })
    }
    var outcome: LineEditor.Outcome?
    for byte in keys.utf8 {
      outcome = editor.take(byte)
      _ = editor.display(width: 40)
    }
    return (outcome, editor)
  }

  private func line(_ keys: String, history: [String] = [], complete: [String] = []) -> String? {
    guard case .line(let text)? = typed(keys + "\r", history: history, complete: complete).outcome
    else { return nil }
    return text
  }

  @Test("Typed text becomes the line")
  func typing() {
    #expect(line("fetch Trip") == "fetch Trip")
    #expect(line("Évora 東京 😀") == "Évora 東京 😀")
    #expect(line("e\u{301}\u{7F}x") == "x")
    #expect(line("👩‍👩‍👧\u{7F}") == "")
    #expect(typed("\u{4}").outcome == .end)
    #expect(typed("abc\u{3}").outcome == .abandoned)
    #expect(line("\u{1}\u{2}a\u{0}\u{1B}[99~b") == "ab")
  }

  @Test("Keys move the cursor and cut text")
  func moving() {
    #expect(line("bc\u{1}a") == "abc")
    #expect(line("ac\u{1B}[Db") == "abc")
    #expect(line("ab\u{1B}[D\u{1B}[D\u{1B}[Cx") == "axb")
    #expect(line("abc\u{1}\u{4}") == "bc")
    #expect(line("abc\u{1B}[H\u{1B}[3~\u{5}d") == "bcd")
    #expect(line("one two\u{17}") == "one ")
    #expect(line("one two\u{15}x") == "x")
    #expect(line("one two\u{1}\u{6}\u{b}") == "o")
    #expect(line("one two\u{17}\u{1}\u{19} ") == "two one ")
    #expect(line("one two\u{1B}b\u{1B}bx") == "xone two")
    #expect(line("one two\u{1}\u{1B}f!") == "one! two")
    #expect(line("one two\u{1B}[1;5D!") == "one !two")
    #expect(line("ab\u{14}") == "ba")
    #expect(line("東京\u{2}a") == "東a京")
  }

  @Test("Earlier lines can be recalled")
  func history() {
    let history = ["first", "second", "third one"]
    #expect(line("\u{1B}[A", history: history) == "third one")
    #expect(line("\u{10}\u{10}\u{10}\u{10}", history: history) == "first")
    #expect(line("typed\u{1B}[A\u{1B}[B", history: history) == "typed")
    #expect(line("\u{1B}[A!", history: history) == "third one!")
    #expect(line("\u{12}sec", history: history) == "second")
    #expect(line("\u{12}ir\u{12}", history: history) == "first")
    #expect(line("\u{12}ir\u{7}x", history: history) == "x")
    #expect(line("\u{12}nothing", history: history) == "")
    #expect(line("\u{12}sec\u{1}x", history: history) == "xsecond")
    #expect(line("\u{12}", history: []) == "")
  }

  @Test("Words are completed")
  func completing() {
    let words = ["fetch ", "filter ", "name=", "notes="]
    #expect(line("fe\t", complete: words) == "fetch ")
    #expect(line("f\tx", complete: words) == "fx")
    #expect(line("set n\t", complete: words) == "set n")
    #expect(line("set na\tx", complete: words) == "set name=x")
    #expect(line("zzz\t", complete: words) == "zzz")
    var editor = typed("n", complete: words).editor
    _ = editor.take(9)
    #expect(editor.display(width: 40) == "\r\u{1B}[Kname=  notes=\r\n> n\u{1B}[K")
  }

  @Test("The visible text fits the terminal and contains the cursor")
  func showing() {
    var editor = typed("abc\u{2}").editor
    #expect(editor.display(width: 40) == "\r> abc\u{1B}[K\u{1B}[1D")
    editor = typed("東京\u{2}").editor
    #expect(editor.display(width: 40) == "\r> 東京\u{1B}[K\u{1B}[2D")
    editor = typed(String(repeating: "x", count: 100)).editor
    #expect(editor.display(width: 20) == "\r> " + String(repeating: "x", count: 17) + "\u{1B}[K")
    editor = typed("tab\u{16}\u{1}").editor
    #expect("東京a\u{301}😀".displayWidth == 7)
    // A heart as a picture, a flag, a family and a keycap are one picture each. A soft hyphen is shown.
    #expect("❤\u{FE0F}🇵🇹👨‍👩‍👧1\u{FE0F}\u{20E3}".displayWidth == 8)
    #expect("❤\u{AD}〈".displayWidth == 4)
  }

  @Test("Lines are split into words as a shell splits them")
  func words() throws {
    #expect(try ShellWords.split("a  b\tc") == ["a", "b", "c"])
    #expect(try ShellWords.split("'a b' \"c \\\"d\\\"\" e\\ f") == ["a b", "c \"d\"", "e f"])
    #expect(try ShellWords.split("name='two words'x # comment") == ["name=two wordsx"])
    #expect(try ShellWords.split("a#b ''") == ["a#b", ""])
    #expect(try ShellWords.split("# nothing") == [])
    #expect(throws: CommandError.self) { try ShellWords.split("'open") }
    #expect(throws: CommandError.self) { try ShellWords.split("a\\") }
    for word in ["plain", "two words", "it's", "", "a\"b\\c"] {
      #expect(try ShellWords.split(ShellWords.quoted(word)) == [word])
    }
  }

  @Test("The lines of earlier sessions are kept in a file, if there is a place for one")
  func file() throws {
    let disk = SimulatedDisk()
    let path = "/home/.local/state/quire/history"
    let first = LineHistory(path, on: disk)
    for line in ["one", "one", " hidden", "", "two"] { first.add(line) }
    #expect(LineHistory(path, on: disk).lines == ["one", "two"])
    let nowhere = LineHistory(nil, on: disk)
    nowhere.add("three")
    #expect(nowhere.lines == ["three"])
    try disk.makeDirectory("/folder")
    #expect(LineHistory("/folder", on: disk).lines == [])
    #expect(
      LineHistory.usualPath(["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/quire/history")
    #expect(LineHistory.usualPath(["HOME": "/h"]) == "/h/.local/state/quire/history")
    #expect(LineHistory.usualPath([:]) == nil)
  }
}
