import Foundation
import ProgramRuns
import Testing

@testable import ToolCommands

/// `quire plugin pack` and `quire plugin install`.
@Suite("Packed plug-ins")
struct PluginPackageTests {
  private let folder: ScaffoldFolder
  private let tool: Tool

  init() throws {
    folder = try ScaffoldFolder()
    try folder.addRefusingPlugin("ledger")
    tool = .quire(environment: ["XDG_DATA_HOME": folder.path + "/data"], executable: nil)
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func run(_ words: String..., typing input: String? = nil) -> RecordedRun {
    RecordedRun(
      ["plugin"] + words, tool: tool, input: Array((input ?? "").utf8), typed: input != nil)
  }

  /// Packs the plug-in, and returns the SHA-256 that the command prints.
  @discardableResult
  private func pack(_ words: String...) throws -> String {
    let packed = RecordedRun(
      ["plugin", "pack", path("ledger"), "--output", path("l.zip"), "--force"] + words, tool: tool)
    #expect(packed.exitCode == .done, "\(packed.messages)")
    return String(try #require(packed.output.firstMatch(of: /SHA-256 +([0-9a-f]{64})/)).1)
  }

  /// The path of the installed plug-in.
  private var installed: String { path("data/quire/plugins/ledger") }

  private func isInstalled(_ file: String = "plugin.json") -> Bool {
    FileManager.default.fileExists(atPath: installed + "/" + file)
  }

  @Test("A package has the manifest, the library and texts for people, and is installed as it was")
  func round() throws {
    for name in ["README.md", "LICENSE", "ledger.c", ".hidden"] {
      try Data("text of \(name)".utf8).write(to: URL(filePath: path("ledger/\(name)")))
    }
    let digest = try pack()
    let sum = try ProgramRun("sha256sum", [path("l.zip")])
    #expect(sum.text.hasPrefix(digest))

    let install = run("install", path("l.zip"), "--yes", "--sha256", digest.uppercased())

    #expect(install.exitCode == .done, "\(install.messages)")
    #expect(install.output == "ledger 1.0 is installed in \(installed).\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: installed).sorted()
        == ["LICENSE", "README.md", "lib.so", "plugin.json"])
    let list = run("list")
    #expect(list.output.contains("ledger  1.0  Bad  available  \(installed)"), "\(list.output)")
    #expect(list.output.contains("user"))
    // Equal files give equal packages.
    #expect(try pack() == digest)
  }

  @Test("The command shows the plug-in and asks before it installs", arguments: ["y\n", "n\n", ""])
  func question(_ answer: String) throws {
    let digest = try pack()
    let install = run("install", path("l.zip"), typing: answer)
    #expect(install.messages.contains("SHA-256    \(digest)\n"), "\(install.messages)")
    #expect(install.messages.contains("signed by  nobody\n"))
    #expect(install.messages.contains("[y/N] "))
    #expect(install.exitCode == (answer == "y\n" ? .done : .no))
    #expect(isInstalled() == (answer == "y\n"))

    // Without a terminal nobody can answer.
    let refused = run("install", path("l.zip"))
    #expect(refused.exitCode == .wrongUsage)
  }

  @Test("An installed plug-in is replaced only with --force")
  func replacing() throws {
    try pack()
    #expect(run("install", path("l.zip"), "--yes").exitCode == .done)
    try Data("newer".utf8).write(to: URL(filePath: path("ledger/NEWS")))
    try Data("newer".utf8).write(to: URL(filePath: path("ledger/NOTICE")))
    try pack()
    #expect(run("install", path("l.zip"), "--yes").exitCode == .inputOutput)
    #expect(!isInstalled("NOTICE"))
    #expect(run("install", path("l.zip"), "--yes", "--force").exitCode == .done)
    #expect(isInstalled("NOTICE") && !isInstalled("NEWS"))
  }

  @Test("A file that is not a package of a plug-in, or not the right one, is refused")
  func wrongPackages() throws {
    try pack()
    let other = run(
      "install", path("l.zip"), "--yes", "--sha256", String(repeating: "0", count: 64))
    #expect(other.exitCode == .plugin && other.messages.contains("and not the given one"))
    let unsigned = run("install", path("l.zip"), "--yes", "--signers", path("ledger/plugin.json"))
    #expect(unsigned.exitCode == .plugin && unsigned.messages.contains("has no signature"))

    let text = path("ledger/plugin.json")
    let noArchive = run("install", text, "--yes")
    #expect(noArchive.exitCode == .plugin, "\(noArchive.messages)")
    #expect(run("install", path("missing.zip"), "--yes").exitCode == .inputOutput)
    // The archive of a document has another content.
    #expect(quire(["new", path("d.quire"), "--template", "todo"]).exitCode == .done)
    let packed = quire(["pack", path("d.quire")])
    #expect(packed.exitCode == .done, "\(packed.messages)")
    let document = run("install", path("d.quire.zip"), "--yes")
    #expect(document.exitCode == .plugin && document.messages.contains("is not a packed plug-in"))
    // A manifest that the host refuses.
    try Data("{}".utf8).write(to: URL(filePath: path("ledger/plugin.json")))
    #expect(run("pack", path("ledger"), "--output", path("bad.zip")).exitCode == .plugin)
    #expect(!isInstalled())
    #expect(!FileManager.default.fileExists(atPath: path("bad.zip")))
  }

  private static let hasSigner = (try? ProgramRun("ssh-keygen", ["-?"]).status) ?? 127 != 127

  @Test(
    "A signature names its signer, and fits one file",
    .enabled(if: hasSigner, "There is no program 'ssh-keygen'."))
  func signatures() throws {
    func key(_ name: String) throws {
      let made = try ProgramRun(
        "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path(name)])
      try #require(made.status == 0, "\(made.text)")
    }
    try key("own")
    try key("other")
    let own = try String(contentsOfFile: path("own.pub"), encoding: .utf8)
    try Data("ada@example.org \(own)".utf8).write(to: URL(filePath: path("signers")))

    try pack("--sign", path("own"))
    let named = run("install", path("l.zip"), "--signers", path("signers"), typing: "n\n")
    #expect(named.messages.contains("signed by  ada@example.org\n"), "\(named.messages)")
    let unnamed = run("install", path("l.zip"), typing: "n\n")
    #expect(
      unnamed.messages.contains(/signed by  the key SHA256:\S+, which is not compared/),
      "\(unnamed.messages)")
    let json = run(
      "install", path("l.zip"), "--signers", path("signers"), "--yes", "--format", "json")
    #expect(json.output.contains(#""signer": "ada@example.org""#), "\(json.output)\(json.messages)")

    // Another file with the signature.
    let signature = try Data(contentsOf: URL(filePath: path("l.zip.sig")))
    try Data("changed".utf8).write(to: URL(filePath: path("ledger/NOTICE")))
    try pack()
    #expect(!FileManager.default.fileExists(atPath: path("l.zip.sig")))
    try signature.write(to: URL(filePath: path("l.zip.sig")))
    for words in [[], ["--signers", path("signers")]] {
      let wrong = RecordedRun(
        ["plugin", "install", path("l.zip"), "--yes", "--force"] + words, tool: tool)
      #expect(wrong.exitCode == .plugin, "\(words)")
      #expect(wrong.messages.contains("is not the file that was signed"), "\(wrong.messages)")
    }
    #expect(
      run("pack", path("ledger"), "--output", path("l.zip")).messages.contains("exists already"))

    // A signer who is not in the file.
    try pack("--sign", path("other"))
    let stranger = run("install", path("l.zip"), "--yes", "--force", "--signers", path("signers"))
    #expect(stranger.exitCode == .plugin && stranger.messages.contains("of no signer"))
    #expect(isInstalled() && !isInstalled("NOTICE"))
  }

  @Test("A plug-in with a library that differs from its manifest is not packed")
  func otherVersion() throws {
    let manifest = try String(contentsOfFile: path("ledger/plugin.json"), encoding: .utf8)
    try Data(manifest.replacing(#""1.0""#, with: #""1.1""#).utf8)
      .write(to: URL(filePath: path("ledger/plugin.json")))

    let packed = run("pack", path("ledger"), "--output", path("l.zip"))

    #expect(packed.exitCode == .plugin)
    #expect(packed.messages.contains("has the version '1.0', but the manifest has '1.1'"))
    #expect(!FileManager.default.fileExists(atPath: path("l.zip")))
  }

  @Test("Nothing is installed in a folder in which the host would refuse the plug-in")
  func untrustedFolder() throws {
    try pack()
    try FileManager.default.createDirectory(
      atPath: path("data"), withIntermediateDirectories: false)
    try folder.setMode(0o775, "data")

    let refused = run("install", path("l.zip"), "--yes")

    #expect(refused.exitCode == .plugin)
    #expect(
      refused.messages.contains("'chmod g-w \(path("data"))' corrects this."), "\(refused.messages)"
    )
    #expect(!FileManager.default.fileExists(atPath: path("data/quire")))
    try folder.setMode(0o755, "data")
    #expect(run("install", path("l.zip"), "--yes").exitCode == .done)
  }

  @Test("The warnings of a manifest are printed before the plug-in is packed and installed")
  func warnings() throws {
    let manifest = try String(contentsOfFile: path("ledger/plugin.json"), encoding: .utf8)
    try Data(manifest.replacing(#""name": "Bad""#, with: #""name": "Bad", "begin": []"#).utf8)
      .write(to: URL(filePath: path("ledger/plugin.json")))

    let packed = run("pack", path("ledger"), "--output", path("l.zip"))
    let installed = run("install", path("l.zip"), "--yes")

    for one in [packed, installed] {
      #expect(one.exitCode == .done)
      #expect(one.messages.contains(/warning: .*begin/), "\(one.messages)")
    }
  }

  @Test("A note names a plug-in of the same name that Quire uses instead")
  func shadowing() throws {
    try pack()
    let shadowed = RecordedRun(
      ["plugin", "install", path("l.zip"), "--yes"],
      tool: .quire(
        environment: ["XDG_DATA_HOME": folder.path + "/data", "QUIRE_PLUGIN_PATH": folder.path],
        executable: nil))
    #expect(
      shadowed.messages.contains(
        "note: Quire uses the plug-in of the same name in \(path("ledger"))"),
      "\(shadowed.messages)")
  }
}
