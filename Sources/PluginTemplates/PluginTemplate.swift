/// The files of a new plug-in.
///
///     for file in PluginTemplate(name: "Ledger", dependency: "").files(.c) {
///       print(file.path)
///     }
public struct PluginTemplate: Sendable {
  /// The name of the plug-in and of its type of store.
  public let name: String
  /// The dependency on Quire's package, as the manifest of a Swift package spells it.
  public let dependency: String

  /// A template with the given name.
  public init(name: String, dependency: String) {
    self.name = name
    self.dependency = dependency
  }

  /// The language of a plug-in.
  public enum Language: String, CaseIterable, Sendable {
    /// Swift, with an `AtomicFormat`.
    case swift
    /// C, with only the headers of the interface.
    case c

    /// The name of the language for people.
    public var title: String {
      switch self {
      case .swift: "Swift"
      case .c: "C"
      }
    }
  }

  /// A file of the plug-in.
  public struct File: Sendable {
    /// The path within the plug-in's folder.
    public let path: String
    /// The contents.
    public let bytes: [UInt8]
  }

  /// Returns the files of a plug-in in a language.
  public func files(_ language: Language) -> [File] {
    switch language {
    case .c:
      // The file that is named after the plug-in must not replace another file of the template.
      let isTaken = ["rows", "arrays", "file", "bytes"].contains(name)
      return [
        file("plugin.json", PackageResources.c_plugin_json_txt),
        file("Makefile", PackageResources.c_Makefile_txt),
        file(isTaken ? "store.c" : "\(name).c", PackageResources.c_store_c_txt),
        file("store.h", PackageResources.c_store_h_txt),
        file("rows.c", PackageResources.c_rows_c_txt),
        file("arrays.c", PackageResources.c_arrays_c_txt),
        file("file.c", PackageResources.c_file_c_txt),
        file("bytes.c", PackageResources.c_bytes_c_txt),
        // The program contains exact copies of the headers.
        File(path: "include/quire_store_plugin.h", bytes: PackageResources.quire_store_plugin_h),
        File(path: "include/CArrow.h", bytes: PackageResources.CArrow_h),
        file("README.md", PackageResources.c_README_md_txt),
      ]
    case .swift:
      return [
        file("Package.swift", PackageResources.swift_Package_swift_txt),
        file("plugin.json", PackageResources.swift_plugin_json_txt),
        file("Sources/\(name)/\(name).swift", PackageResources.swift_Format_swift_txt),
        file("Sources/\(name)/Cell.swift", PackageResources.swift_Cell_swift_txt),
        file("Tests/\(name)Tests/\(name)Tests.swift", PackageResources.swift_Tests_swift_txt),
        file("README.md", PackageResources.swift_README_md_txt),
      ]
    }
  }

  /// Returns a file of the template, with the plug-in's names inserted.
  private func file(_ path: String, _ template: [UInt8]) -> File {
    let text = String(decoding: template, as: UTF8.self)
      .replacing("@NAME@", with: name).replacing("@QUIRE@", with: dependency)
    return File(path: path, bytes: Array(text.utf8))
  }
}

extension PluginTemplate {
  /// The source of the C library by which a process loses power, for the conformance tests of a plug-in.
  public static var powerCutSource: [UInt8] { PackageResources.power_cut_c_txt }
}
