"""Finds the links of the site that lead nowhere."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """The anchors and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def check(site, modules):
    """Returns the number of links, and a sentence for each dead one."""
    counts, dead = [], []
    pages = {file.relative_to(site).as_posix(): Page(file.read_text(encoding="utf-8")) for file in own(site, modules)}
    for path, page in pages.items():
        links = [link for link in page.links if not re.match(r"[a-z]+:", link)]
        counts.append(len(links))
        for link in links:
            address, _, anchor = link.partition("#")
            aim = os.path.normpath(os.path.join(os.path.dirname(path), unquote(address))) if address else path
            is_there = (site / aim / "index.html").is_file() if address.endswith("/") else (site / aim).is_file()
            if not is_there or anchor and aim in pages and unquote(anchor) not in pages[aim].anchors:
                dead.append(f"{path}: {link} leads nowhere.")
    for module in modules:
        links = module_links(site / module)
        counts.append(len(links))
        dead += [f"{module}: {link} leads nowhere." for link in sorted(links) if not (site / link).is_file()]
    return sum(counts), dead


def own(site, modules):
    """Returns the pages that docc did not write."""
    for folder, folders, files in os.walk(site):
        if folder == str(site):
            folders[:] = [name for name in folders if name not in modules]
        yield from (site / folder / name for name in files if name.endswith(".html"))


def module_links(folder):
    """Returns the files of the site that the pages of a module lead to. The text of these pages is in files of JSON,
    and the first page stands for the frame of all pages."""
    links = set()
    for file in folder.glob("data/**/*.json"):
        text = file.read_bytes().replace(rb"\/", b"/").decode()
        links |= {f"{link}/index.html" for link in re.findall(r'"url":"/(documentation/[^"#]*?)/?["#]', text)}
        links |= set(re.findall(r'"url":"/((?:images|videos|downloads)/[^"]*)"', text))
    frame = Page((folder / "index.html").read_text(encoding="utf-8"))
    return {f"{folder.name}/{link}" for link in links} | {link.lstrip("/") for link in frame.links}
