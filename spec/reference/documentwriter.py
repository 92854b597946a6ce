"""Writes the texts around block files: XML stores (5), manifests (7.3) and archives (8)."""

import base64
import json
import struct
import uuid as uuids
import zlib

from findings import crc32c
from model import Model, digests_of

MIME_TYPE = b"application/vnd.quire.document+zip"


def uuid_text(data, is_upper=True):
    text = str(uuids.UUID(bytes=data))
    return text.upper() if is_upper else text


# --- 5: XML stores


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def plist_element(value):
    """11.2"""
    if isinstance(value, dict):
        return "<dict>" + "".join(f"<key>{escaped(key)}</key>{plist_element(one)}" for key, one in value.items()) + "</dict>"
    if isinstance(value, list):
        return "<array>" + "".join(map(plist_element, value)) + "</array>"
    if isinstance(value, bytes):
        return f"<data>{base64.b64encode(value).decode()}</data>"
    if isinstance(value, int):
        return f"<integer>{value}</integer>"
    return f"<string>{escaped(value)}</string>"


def xml_metadata(model_text, more=None):
    """5.5: the dictionary of 4.6.1 without the UUID, and the model."""
    model = Model(model_text.encode())
    hashes = model.hashes()
    return {**(more or {}), "NSStoreType": "XML", "NSStoreModelVersionHashes": hashes,
            "NSStoreModelVersionHashesDigest": digests_of(hashes)[0], "NSStoreModelVersionIdentifiers": model.identifiers, "QuireModel": model_text}


def database_info(uuid, highest, metadata):
    """5.2.3, in another order than Core Data's."""
    return (f'<databaseInfo><metadata><plist version="1.0">{plist_element(metadata)}</plist></metadata>'
            f"<nextObjectID>{highest}</nextObjectID><UUID>{uuid_text(uuid, False)}</UUID><version>134481920</version></databaseInfo>")


# --- 7.3: manifests


def manifest(members, indent=None, ensure_ascii=True, end=""):
    """A manifest of members in their order. `checksum` comes last (7.3.9)."""
    text = json.dumps({**members, "checksum": "00000000"}, indent=indent, ensure_ascii=ensure_ascii) + end
    place = text.rindex("00000000")
    start = text[:place].encode()
    return start + f"{crc32c(start):08x}".encode() + text[place + 8:].encode()


def model_entry(name, file, text):
    hashes = {entity: digest.hex() for entity, digest in Model(text.encode()).hashes().items()}
    return {"name": name, "file": file, "entities": hashes}


# --- 8: archives


class Part:
    """An entry of an archive, and the choices for it: whether it is deflated, has a descriptor, and sizes of 64 bits (8.3.6)."""

    def __init__(self, name, data=b"", is_deflated=False, descriptor=None, is_large=False, extra=b"", level=9, has_mode=True):
        self.name, self.data, self.is_deflated = name.encode(), data, is_deflated
        self.descriptor, self.is_large, self.extra = descriptor, is_large, extra
        encoder = zlib.compressobj(level, zlib.DEFLATED, -15)
        self.stored = encoder.compress(data) + encoder.flush() if is_deflated else data
        self.checksum, self.flags = zlib.crc32(data), 0x800 | (8 if descriptor else 0)
        is_folder = name.endswith("/")
        self.mode = ((0o040755 if is_folder else 0o100644) << 16 | (16 if is_folder else 0)) if has_mode else 0

    def counts(self):
        """The sizes, and the extra field that contains them if they are large."""
        sizes = len(self.stored), len(self.data)
        if not self.is_large:
            return sizes, b""
        return (0xFFFFFFFF, 0xFFFFFFFF), struct.pack("<HHQQ", 1, 16, *sizes[::-1])

    def header(self):
        sizes, large = self.counts()
        checksum = self.checksum
        if self.descriptor:
            # The descriptor behind the bytes has the values (8.5.1).
            checksum, sizes, large = 0, (0, 0), b""
        extra = large + self.extra
        return struct.pack(
            "<4sHHHHHIIIHH", b"PK\3\4", 45 if self.is_large else 20, self.flags, 8 if self.is_deflated else 0, 0, 33, checksum, *sizes,
            len(self.name), len(extra)) + self.name + extra

    def end(self):
        if not self.descriptor:
            return b""
        form = "<IQQ" if self.descriptor == "large" else "<III"
        signature = b"" if self.descriptor == "bare" else b"PK\7\b"
        return signature + struct.pack(form, self.checksum, len(self.stored), len(self.data))

    def listed(self, offset):
        sizes, large = self.counts()
        return struct.pack(
            "<4sHHHHHHIIIHHHHHII", b"PK\1\2", 3 << 8 | 20 if self.mode else 20, 45 if self.is_large else 20, self.flags,
            8 if self.is_deflated else 0, 0, 33, self.checksum, *sizes, len(self.name), len(large), 0, 0, 0, self.mode, offset) + self.name + large


def archive(parts, has_large_end=False):
    """An archive of parts in their order. `has_large_end` writes the records of 64 bits, although the counts are small."""
    data, directory = b"", b""
    for part in parts:
        directory += part.listed(len(data))
        data += part.header() + part.stored + part.end()
    counts = len(parts), len(parts), len(directory), len(data)
    end = b""
    if has_large_end:
        end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, *counts)
        end += struct.pack("<4sIQI", b"PK\6\7", 0, len(data) + len(directory), 1)
        counts = 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF
    return data + directory + end + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, *counts, 0)


def aligned(name, data, place):
    """A stored file as 8.3.4 wants it: its bytes begin at a multiple of 4096 if its header begins at `place`."""
    start = place + 30 + len(name.encode()) + 6
    return Part(name, data, extra=struct.pack("<HHH", 0xD935, 2 + -start % 4096, 4096) + bytes(-start % 4096))


def usual_archive(files):
    """The archive that 8.3 gives for a folder, with the compressor of Python."""
    folders = {"/".join(name.split("/")[:count]) + "/" for name in files for count in range(1, name.count("/") + 1)}
    parts = [Part("mimetype", MIME_TYPE)]
    for name in sorted([*files, *folders], key=str.encode):
        place = sum(len(part.header() + part.stored) for part in parts)
        data = files.get(name, b"")
        is_text = not any(byte < 32 and byte not in (9, 10, 12, 13) for byte in data[:4096])
        deflated = Part(name, data, is_deflated=not name.endswith("/"))
        is_small = len(data) <= 1 << 20 and len(deflated.stored) * 10 <= len(data) * 9
        if name.endswith("/") or is_small or (data[:1] == b"<" if name.startswith("stores/") else is_text):
            parts.append(deflated)
        else:
            parts.append(aligned(name, data, place))
    return archive(parts)
