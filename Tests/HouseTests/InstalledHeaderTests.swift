import Foundation
import ProgramRuns
import Testing

/// The headers that `./run headers` installs, used as the author of a plug-in uses them.
@Suite("Installed headers")
struct InstalledHeaderTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "headers \(UUID().uuidString)")

  private func shell(_ words: String) throws -> ProgramRun {
    try ProgramRun("sh", ["-c", words], in: folder)
  }

  /// Installs the headers into a folder with a space in its name, and writes a source file for each language.
  private func install() throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "prefix"), withIntermediateDirectories: true)
    let install = try ProgramRun(
      "sh", ["-ec", ". scripts/lib/common.sh; install_headers '\(folder.path)/prefix'"],
      in: House.root)
    #expect(install.status == 0, "\(install.text)")
    func function(_ name: String) -> String {
      "int \(name)(void) { return QUIRE_PLUGIN_ABI; }\n"
    }
    let header = "#include \"quire_store_plugin.h\"\n"
    try Data((header + function("a")).utf8).write(to: folder.appending(path: "a.c"))
    try Data((header + "extern \"C\" " + function("b")).utf8).write(
      to: folder.appending(path: "b.cpp"))
  }

  @Test("pkg-config finds the headers, and they are sound C and C++")
  func packageConfiguration() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try install()
    let flags = try shell(
      "PKG_CONFIG_PATH=prefix/lib/pkgconfig pkg-config --cflags --print-errors quire")
    #expect(flags.status == 0, "\(flags.text)")
    for (compiler, file, standards) in [
      ("cc", "a.c", ["c99", "c11", "c17"]), ("c++", "b.cpp", ["c++11", "c++17", "c++20"]),
    ] {
      for standard in standards {
        let run = try shell(
          "\(compiler) -std=\(standard) -Wall -Wextra -pedantic -Werror -fsyntax-only "
            + "\(flags.text.trimmingCharacters(in: .newlines)) \(file)")
        #expect(run.status == 0, "\(standard): \(run.text)")
      }
    }
  }

  @Test("CMake finds the headers", .enabled(if: hasCMake, "There is no program 'cmake'."))
  func cmake() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try install()
    let project = """
      cmake_minimum_required(VERSION 3.16)
      project(MyStore LANGUAGES C CXX)
      find_package(Quire 0.1 REQUIRED)
      add_library(MyStore SHARED a.c b.cpp)
      target_link_libraries(MyStore PRIVATE Quire::Plugin)
      """
    try Data(project.utf8).write(to: folder.appending(path: "CMakeLists.txt"))
    let run = try shell(
      "cmake -S . -B made -DCMAKE_PREFIX_PATH=\"$PWD/prefix\" && cmake --build made")
    #expect(run.status == 0, "\(run.text)")
    // A later interface than the installed one is not found.
    try Data(project.replacing("Quire 0.1", with: "Quire 999").utf8)
      .write(to: folder.appending(path: "CMakeLists.txt"))
    #expect(
      try shell("cmake -S . -B later -DCMAKE_PREFIX_PATH=\"$PWD/prefix\"").status != 0)
  }

  private static let hasCMake =
    (try? ProgramRun("cmake", ["--version"]).status) == 0
}
