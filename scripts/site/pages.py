"""The pages of the repository as HTML, in the same folders. A file that a page links to is a page too."""

import html
import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

LEFT_OUT = {".build", ".git", ".swiftpm", "site", "Fixtures", "Seeds"}
IMAGES = {".svg", ".png"}
FRAME = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
<header><a href="{up}index.html">Quire</a>{place}</header>
{body}
"""


def frame(path, title, body, place=""):
    """Returns a whole page at a path of the site."""
    up = "../" * path.count("/")
    place = f" <code>{html.escape(place)}</code>" if place else ""
    return FRAME.format(title=html.escape(title), up=up, place=place, body=body)


def plain(fragment):
    """Returns the text of a fragment of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", fragment))


def anchored(body):
    """Returns the HTML with an anchor at each clause of the specification and at each heading, where it has the name
    that GitHub gives it; and the second-level headings, by anchor."""
    seen, contents = {}, {}

    def heading(match):
        level, inner = match.groups()
        name = re.sub(r"[^\w\- ]", "", plain(inner).lower()).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        name += f"-{count}" if count else ""
        if level == "2":
            contents[name] = inner
        return f'<h{level} id="{name}">{inner}</h{level}>'

    body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.DOTALL)
    return re.sub(r"<p><strong>(\d+\.\d+\.\d+)</strong>", r'<p id="\1"><strong>\1</strong>', body), contents


class Pages:
    def __init__(self, root):
        self.root = root
        found = []
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            found += [pathlib.Path(folder, name).relative_to(root).as_posix() for name in files if name.endswith(".md")]
        with ThreadPoolExecutor() as threads:
            # The HTML of each page as cmark-gfm writes it, by the path of its source.
            self.texts = dict(zip(sorted(found), threads.map(self.converted, sorted(found))))
        self.files = {}

    def converted(self, path):
        extensions = [word for name in ("table", "autolink", "strikethrough") for word in ("--extension", name)]
        command = ["cmark-gfm", "--full-info-string", *extensions, self.root / path]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout

    def title(self, path):
        heading = re.search(r"<h1>(.*?)</h1>", self.texts[path], re.DOTALL)
        return plain(heading[1]) if heading else path

    def summary(self, path):
        """Returns the first sentence of a page, without its links."""
        paragraph = re.search(r"<p>(.*?)</p>", self.texts[path], re.DOTALL)
        sentence = re.split(r"(?<=[.:])\s", paragraph[1].strip(), maxsplit=1)[0] if paragraph else ""
        return re.sub(r":$", ".", re.sub(r"</?(?:a|img|strong|em)\b[^>]*>", "", sentence))

    def written(self):
        """Returns the bytes of all files of the site that come from the repository, by their path in the site."""
        written = {path[:-3] + ".html": self.page(path) for path in self.texts}
        waiting = dict(self.files)
        while waiting:
            path, place = waiting.popitem()
            written[place] = self.listing(path, place)
            waiting |= {one: other for one, other in self.files.items() if other not in written}
        return written

    def page(self, path):
        body, contents = anchored(self.texts[path])
        body = re.sub(r'\b(href|src)="([^"]*)"', lambda match: f'{match[1]}="{self.link(path, match[2])}"', body)
        if len(contents) > 3:
            items = "".join(f'<li><a href="#{name}">{unlinked(inner)}</a>' for name, inner in contents.items())
            body = body.replace("</h1>", f"</h1>\n<nav><ul>{items}</ul></nav>", 1)
        return frame(path, self.title(path), f"<main>\n{body}</main>", path).encode()

    def link(self, path, target):
        """Returns a link of a page as the site needs it. A link that leads nowhere stays as it is."""
        address, mark, anchor = html.unescape(target).partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return target
        aim = os.path.normpath(os.path.join(os.path.dirname(path), address))
        place = self.place(aim)
        if place is None:
            return target
        return html.escape(os.path.relpath(place, os.path.dirname(path) or ".") + mark + anchor)

    def place(self, aim):
        """Returns where the site has a file or a folder of the repository, and notes files that are to be listed."""
        file = self.root / aim
        if aim.startswith("..") or not file.exists():
            return None
        if f"{aim}/README.md" in self.texts:
            aim += "/README.md"
        if aim in self.texts:
            return aim[:-3] + ".html"
        suffix = "/index.html" if file.is_dir() else "" if file.suffix in IMAGES else ".html"
        self.files[aim] = aim + suffix
        return self.files[aim]

    def listing(self, path, place):
        """Returns a file, as a page if it is text, or a page with the names in a folder."""
        file = self.root / path
        if not file.is_dir():
            data = file.read_bytes()
            if place == path:
                return data
            code = html.escape(data.decode("utf-8", errors="replace"))
            return frame(place, path, f"<main class=wide>\n<pre><code>{code}</code></pre></main>", path).encode()
        names = sorted(one.name for one in file.iterdir() if one.name not in LEFT_OUT | {"__pycache__"})
        items = "".join(
            f'<li><a href="{html.escape(self.link(place, name))}">{html.escape(name)}</a>\n' for name in names)
        return frame(place, path, f"<main>\n<h1>{html.escape(path)}</h1>\n<ul>\n{items}</ul></main>", path).encode()


def unlinked(fragment):
    """Returns the fragment without links, because a link can't contain another."""
    return re.sub(r"</?a\b[^>]*>", "", fragment)
