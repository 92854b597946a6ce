"""The start page: every module and every page of the repository, with a sentence each."""

import html
import re

from pages import frame

# The parts of the page and the paths in them. A page is in the first part that fits.
PARTS = [
    ("Begin", r"README\.md|docs/(writing-a-program|using-the-tool|opening-a-database|from-core-data|from-swiftdata|features)\.md"),
    ("Guides", r"docs/[^/]*\.md"),
    ("Modules", None),
    ("Specification", r"spec/.*"),
    ("Examples and plug-ins", r"(Examples|Plugins)/.*"),
    ("Decisions", r"docs/decisions/.*"),
    ("The project", r".*"),
]
INTRODUCTION = "A document store for Swift: the guides, the specification, and the reference of each module."
# The pages that docc writes load their text with a script, which no browser allows for files.
SERVED = """<p>These pages need a server: <code>python3 -m http.server --bind localhost --directory docs/site 8000</code>,
then <code>http://localhost:8000/</code>.</p>
"""


def page(pages, modules):
    left = sorted(pages.texts, key=order)
    body = f"<h1>Quire</h1>\n<p>{INTRODUCTION}</p>\n"
    for title, pattern in PARTS:
        body += f"<h2>{title}</h2>\n"
        if pattern is None:
            body += SERVED + items((f"{name}/documentation/{name.lower()}/", name, sentence)
                                   for name, sentence in described(pages, modules))
        else:
            chosen = [path for path in left if re.fullmatch(pattern, path)]
            left = [path for path in left if path not in chosen]
            body += items((path[:-3] + ".html", pages.title(path), pages.summary(path)) for path in chosen)
    return frame("index.html", "Quire", f"<main>\n{body}</main>")


def order(path):
    """The README of a folder is first, and the chapters follow in the order of their numbers."""
    folder, _, name = path.rpartition("/")
    number = re.match(r"\d+", name)
    return folder, name != "README.md", int(number[0]) if number else 999, name


def described(pages, modules):
    """Returns each module with its row of the table in docs/architecture.md."""
    rows = re.findall(r"<tr>\s*<td><code>(\w+)</code></td>\s*<td>.*?</td>\s*<td>(.*?)</td>",
                      pages.texts["docs/architecture.md"], re.DOTALL)
    sentences = dict(rows)
    return [(name, sentences[name]) for name in modules]


def items(links):
    return "<dl>\n" + "".join(
        f'<dt><a href="{address}">{html.escape(title)}</a><dd>{sentence}\n' for address, title, sentence in links) + "</dl>\n"
