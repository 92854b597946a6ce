"""Makes one site of docs/site/, where docc has put the reference of each module: adds the pages of the repository and a
start page, and checks every link. Needs cmark-gfm.

    python3 scripts/site MODULE...
"""

import pathlib
import sys

import links
import start
from pages import Pages


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    site = root / "docs" / "site"
    modules = sys.argv[1:]
    pages = Pages(root)
    for path, text in pages.written().items():
        file = site / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    (site / "index.html").write_text(start.page(pages, modules), encoding="utf-8")
    (site / "style.css").write_text((pathlib.Path(__file__).parent / "style.css").read_text(), encoding="utf-8")
    count, dead = links.check(site, modules)
    for link in dead:
        print(f"error: {link}", file=sys.stderr)
    if dead:
        sys.exit(f"hint: {len(dead)} dead links of {count}.")
    print(f"docs: {len(pages.texts)} pages, {len(modules)} modules, {count} links that all lead somewhere")


if __name__ == "__main__":
    main()
