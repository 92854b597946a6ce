import Archives
import Deflate
import Testing

/// An archive with one fault.
struct WrongArchive: Sendable, CustomTestStringConvertible {
  let name: String
  let code: ArchiveError.Code
  /// A part of the message.
  let word: String
  let archive: ForgedArchive

  init(_ name: String, _ code: ArchiveError.Code, _ word: String, _ archive: ForgedArchive) {
    self.name = name
    self.code = code
    self.word = word
    self.archive = archive
  }

  var testDescription: String { name }

  static let all = ends + entries + headers + places + names + sameNames + sizes

  private static let a = ForgedEntry("a")
  private static let b = ForgedEntry("b")
  private static let size = ForgedEntry(
    "a", String(repeating: "text ", count: 50), deflated: true)

  /// Returns an archive of a sound entry and a changed entry.
  private static func one(_ change: (inout ForgedEntry) -> Void) -> ForgedArchive {
    ForgedArchive(b, size.with(change))
  }

  private static func named(_ name: String) -> ForgedArchive { ForgedArchive(ForgedEntry(name)) }

  /// Returns an archive of two sound entries, with changes.
  private static func whole(_ change: (inout ForgedArchive) -> Void) -> ForgedArchive {
    var archive = ForgedArchive(a, b)
    change(&archive)
    return archive
  }

  private static let ends: [WrongArchive] = [
    WrongArchive("a comment", .notAnArchive, "comment", whole { $0.comment = [65] }),
    WrongArchive(
      "a comment that looks like an end", .notAnArchive, "comment",
      whole { $0.comment = number(0x0605_4B50, 4) + [UInt8](repeating: 0, count: 18) + [1] }
    ),
    WrongArchive(
      "bytes before", .damaged, "does not end at",
      whole { archive in
        archive.prefix = [1, 2, 3]
        archive.directoryOffsetError = -3
      }
    ),
    WrongArchive(
      "bytes behind the directory", .damaged, "does not end at",
      whole { $0.behindDirectory = [0] }
    ),
    WrongArchive(
      "too many entries said", .damaged, "no signature",
      whole { archive in
        archive.countError = 1
        archive.entries[1].centralExtra = field(9, [UInt8](repeating: 0, count: 60))
      }
    ),
    WrongArchive("far too many entries said", .damaged, "too small", whole { $0.countError = 1 }),
    WrongArchive("too few entries said", .damaged, "continues", whole { $0.countError = -1 }),
    WrongArchive("several parts", .unsupported, "multi-part", whole { $0.disk = 1 }),
    WrongArchive(
      "a directory beyond the end", .damaged, "does not end at",
      whole { $0.directoryOffsetError = 1 << 20 }
    ),
    WrongArchive("a large count", .damaged, "too small", whole { $0.large = (1 << 62, 0, 0) }),
    WrongArchive(
      "a large directory", .damaged, "does not end at", whole { $0.large = (0, 1 << 62, 0) }),
    WrongArchive(
      "a negative offset", .damaged, "does not end at", whole { $0.large = (0, 0, -1 << 62) }),
  ]

  private static let entries: [WrongArchive] = [
    WrongArchive("an encrypted entry", .encrypted, "encrypted", one { $0.flags |= 1 }),
    WrongArchive("an unknown flag", .unsupported, "flags", one { $0.flags |= 1 << 13 }),
    WrongArchive("an unknown method", .unsupported, "method 99", one { $0.method = 99 }),
    WrongArchive("a later version", .unsupported, "version 6.3", one { $0.version = 63 }),
    WrongArchive("a symbolic link", .notAFile, "symbolic link", one { $0.mode = 0o120777 }),
    WrongArchive("a device", .notAFile, "neither", one { $0.mode = 0o060644 }),
    WrongArchive("a folder by mode alone", .damaged, "mode", one { $0.mode = 0o040755 }),
    WrongArchive(
      "a file by mode, a folder by name", .damaged, "mode",
      ForgedArchive(ForgedEntry("f/").with { $0.mode = 0o100644 })
    ),
    WrongArchive(
      "a folder with bytes", .wrongSize, "folder",
      ForgedArchive(ForgedEntry("f/").with { $0.byteCount = 1 })
    ),
  ]

  private static let headers: [WrongArchive] = [
    WrongArchive(
      "another name in the header", .headersDiffer, "in the name", one { $0.localName = [0x63] }),
    WrongArchive(
      "a longer name in the header", .headersDiffer, "in the name",
      one { $0.localName = [0x61, 0x61] }
    ),
    WrongArchive("other flags in the header", .headersDiffer, "flags", one { $0.localFlags = 0 }),
    WrongArchive(
      "another method in the header", .headersDiffer, "in the method", one { $0.localMethod = 0 }),
    WrongArchive(
      "another checksum in the header", .headersDiffer, "in the checksum",
      one { $0.localChecksum = 1 }
    ),
    WrongArchive(
      "other sizes in the header", .headersDiffer, "sizes",
      one { $0.localSizes = (size.packedByteCount, size.byteCount + 1) }
    ),
    WrongArchive(
      "sizes in a header that has them behind", .headersDiffer, "sizes",
      one { entry in
        entry.flags |= 8
        entry.localChecksum = 0
        entry.localSizes = (0, 7)
      }
    ),
    WrongArchive(
      "nothing behind", .headersDiffer, "after its bytes",
      one { entry in
        entry.flags |= 8
        entry.localChecksum = 0
        entry.localSizes = (0, 0)
      }
    ),
    WrongArchive(
      "another size behind", .headersDiffer, "after its bytes",
      one { entry in
        entry.flags |= 8
        entry.descriptor =
          number(Int(entry.checksum), 4) + number(entry.packedByteCount, 4)
          + number(entry.byteCount + 1, 4)
      }
    ),
    WrongArchive("no header", .damaged, "is missing", whole { $0.entries[0].offset = 1 }),
    WrongArchive(
      "a header behind the directory", .overlap, "not before", one { $0.offset = 1 << 20 }),
    WrongArchive(
      "extra fields that run out", .damaged, "extra",
      one { $0.centralExtra = number(1, 2) + number(9, 2) }
    ),
    WrongArchive(
      "two fields of sizes", .damaged, "extra",
      one { $0.centralExtra = field(1, []) + field(1, []) }
    ),
    WrongArchive(
      "a size that is not there", .damaged, "extra",
      one { entry in
        entry.byteCount = 0xFFFF_FFFF
        entry.centralExtra = field(1, [0, 0])
      }
    ),
  ]

  private static let places: [WrongArchive] = [
    WrongArchive(
      "two entries of one place", .overlap, "before the end of 'a'",
      ForgedArchive(a, b.with { $0.offset = 0 })
    ),
    WrongArchive(
      "an entry within another", .overlap, "before the end of 'a'",
      {
        let inner = ForgedEntry("c", "inner")
        return ForgedArchive(
          ForgedEntry("a", bytes: inner.local + inner.data, deflated: false),
          inner.with { $0.offset = 31 })
      }()
    ),
    WrongArchive(
      "bytes that run into the directory", .overlap, "overlap the directory",
      one { entry in
        entry.packedByteCount += 1
        entry.localSizes = (entry.packedByteCount, entry.byteCount)
      }
    ),
  ]

  private static let names: [WrongArchive] = [
    WrongArchive("an absolute name", .unsafeName, "absolute", named("/etc/passwd")),
    WrongArchive("a name that climbs", .unsafeName, "'..'", named("../x")),
    WrongArchive("a name that climbs within", .unsafeName, "'..'", named("a/../../x")),
    WrongArchive("a name of a dot", .unsafeName, "'..'", named("a/./x")),
    WrongArchive("a folder that climbs", .unsafeName, "'..'", named("../")),
    WrongArchive("a backslash", .unsafeName, "backslash", named("..\\x")),
    WrongArchive("a drive", .unsafeName, "drive", named("c:x")),
    WrongArchive("a null", .unsafeName, "null", named("a\0.txt")),
    WrongArchive("a control character", .unsafeName, "control", named("a\u{1B}[2J")),
    WrongArchive("an upper control character", .unsafeName, "control", named("a\u{9B}2J")),
    WrongArchive("an empty name", .unsafeName, "empty", named("")),
    WrongArchive("the root", .unsafeName, "empty", named("/")),
    WrongArchive("an empty part", .unsafeName, "empty", named("a//b")),
    WrongArchive("two slashes at the end", .unsafeName, "empty", named("a//")),
    WrongArchive(
      "a long name", .unsafeName, "1024", named(String(repeating: "a/", count: 600) + "a")),
    WrongArchive("a long part", .unsafeName, "255", named(String(repeating: "a", count: 256))),
    WrongArchive(
      "many folders", .unsafeName, "32", named(String(repeating: "a/", count: 40) + "a")),
    WrongArchive(
      "no UTF-8", .unsafeName, "UTF-8",
      ForgedArchive(a.with { entry in entry.name = [0x61, 0xFF] })
    ),
  ]

  private static let sameNames: [WrongArchive] = [
    WrongArchive("one name twice", .sameName, "twice", ForgedArchive(a, a)),
    WrongArchive(
      "a folder twice", .sameName, "twice", ForgedArchive(ForgedEntry("f/"), ForgedEntry("f/"))),
    WrongArchive("another case", .sameName, "'a'", ForgedArchive(a, ForgedEntry("A"))),
    WrongArchive(
      "another composition", .sameName, "same name",
      ForgedArchive(ForgedEntry("\u{E9}"), ForgedEntry("e\u{301}"))
    ),
    WrongArchive(
      "another case of a folder", .sameName, "same name",
      ForgedArchive(ForgedEntry("f/a"), ForgedEntry("F/b"))
    ),
    WrongArchive(
      "letters that are one in capitals", .sameName, "same name",
      ForgedArchive(ForgedEntry("\u{3C3}"), ForgedEntry("\u{3C2}"))
    ),
    WrongArchive(
      "a file and a folder", .sameName, "a file and a folder",
      ForgedArchive(a, ForgedEntry("a/b"))
    ),
    WrongArchive("a folder and a file", .sameName, "twice", ForgedArchive(ForgedEntry("a/b"), a)),
  ]

  private static let sizes: [WrongArchive] = [
    WrongArchive(
      "a stored entry of two sizes", .wrongSize, "stored",
      ForgedArchive(a.with { $0.byteCount = 5 })
    ),
    WrongArchive(
      "an entry that can't be so large", .wrongSize, "can't expand to",
      one { $0.byteCount = Deflate.mostBytes(from: $0.packedByteCount) + 1 }
    ),

  ]
}
