import Testing

@testable import PluginHost

@Suite("The search folders of plug-ins")
struct PluginFoldersTests {
  @Test("The folders come in this order: program, environment, user, system, tool")
  func order() {
    let folders = PluginFolders(
      ["/own"],
      environment: [
        "QUIRE_PLUGIN_PATH": "/a:/b", "XDG_DATA_HOME": "/data", "HOME": "/homes/ada",
      ], executable: "/opt/quire/bin/quire")

    #expect(
      folders.folders.map(\.path) == [
        "/own", "/a", "/b", "/data/quire/plugins", "/usr/local/lib/quire/plugins",
        "/usr/lib/quire/plugins", "/opt/quire/bin/plugins", "/opt/quire/bin/../lib/quire/plugins",
      ])
    #expect(
      folders.folders.map(\.kind) == [
        .program, .environment, .environment, .user, .system, .system, .program, .program,
      ])
    #expect(folders.refusals == [])
  }

  @Test("Without a data folder, the user's plug-in folder is below an absolute home")
  func home() {
    func user(_ environment: [String: String]) -> [String] {
      PluginFolders(environment: environment).folders.filter { $0.kind == .user }.map(\.path)
    }

    #expect(user(["HOME": "/homes/ada"]) == ["/homes/ada/.local/share/quire/plugins"])
    #expect(
      user(["HOME": "/homes/ada", "XDG_DATA_HOME": "data"])
        == ["/homes/ada/.local/share/quire/plugins"])
    #expect(user(["HOME": "here"]) == [])
    #expect(user([:]) == [])
  }

  @Test("A relative folder is refused, and the other folders are searched")
  func relative() {
    let folders = PluginFolders(environment: ["QUIRE_PLUGIN_PATH": "plugins:/a::./b"])

    #expect(folders.folders.filter { $0.kind == .environment }.map(\.path) == ["/a"])
    #expect(folders.refusals.map(\.path) == ["plugins", "./b"])
    #expect(folders.refusals.allSatisfy { $0.reason == .refusedByPolicy })
    #expect(folders.refusals.allSatisfy { $0.message.contains("QUIRE_PLUGIN_PATH") })
  }

  @Test(
    "The word 'off' and every unknown word turn plug-ins off", arguments: ["off", "OFF", "no", "0"])
  func off(_ word: String) {
    let folders = PluginFolders(
      ["/own"], environment: ["QUIRE_PLUGINS": word, "QUIRE_PLUGIN_PATH": "/a"])

    #expect(folders.folders == [])
    #expect(folders.offReason?.contains(word.lowercased() == "off" ? "off" : word) == true)
  }

  @Test("The word 'on' and an empty value leave plug-ins on", arguments: ["on", ""])
  func on(_ word: String) {
    let folders = PluginFolders(environment: ["QUIRE_PLUGINS": word])

    #expect(folders.offReason == nil)
    #expect(folders.folders.count == 2)
  }
}
