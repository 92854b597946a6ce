"""Opens a page of `quire report` in headless Chromium and uses it as a reader does.

    browser.py CHROMIUM PAGE [FOLDER]

The checks: no error and no exception, no request besides the page and its own pictures, each column sorts in both
directions, the filter selects rows, a reference leads to its row, and the page fits into the width of a phone. They
also check the contrast of texts in light and dark, and the page without JavaScript. FOLDER gets pictures of the page.

Ends with 0 and "ok" if every check holds, and with 1 and the failures otherwise. The script talks to the browser over
two pipes, and needs only the standard library.
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

failures = []


def check(holds, words):
    if not holds:
        failures.append(words)


class Browser:
    """A Chromium with one page, at the other end of two pipes."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="report-browser-", ignore_cleanup_errors=True)
        # The browser reads commands from descriptor 3 and writes to descriptor 4.
        commands = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe()]
        answers = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in os.pipe()]

        def connect():
            os.dup2(commands[0], 3)
            os.dup2(answers[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--hide-scrollbars", "--lang=en-GB", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile.name, "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands[0])
        os.close(answers[1])
        self.commands, self.answers = commands[1], answers[0]
        self.number, self.rest, self.session = 0, b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(domain + ".enable")

    def receive(self, seconds):
        """Returns the next message, or None after a number of seconds."""
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], seconds)[0]:
                return None
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise SystemExit("The browser has ended.")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            answer = self.receive(end - time.monotonic())
            if answer is None:
                break
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
        raise SystemExit(f"{method}: no answer within a minute.")

    def wait(self, method, seconds=60):
        """Waits for an event, and keeps the events before it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = self.receive(max(0, end - time.monotonic()))
            if answer is None:
                break
            self.events.append(answer)
            if answer.get("method") == method:
                return
        raise SystemExit(f"{method} does not happen.")

    def value(self, expression):
        """Returns the value of an expression in the page. A promise is awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, address):
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait("Page.loadEventFired")

    def show(self, width, height, scheme, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000),
                    "scale": 1}
            data = self.call(
                "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(data["data"]))

    def click(self, expression):
        """Clicks with the mouse on the element of an expression."""
        place = self.value(f"""(() => {{
            const element = {expression};
            element.scrollIntoView({{ block: 'center', inline: 'center' }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left",
                      clickCount=1)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except SystemExit:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.profile.cleanup()


# --- The checks -----------------------------------------------------------------------------------

def check_events(browser, page, state):
    """Reports errors of the page, and requests besides the page itself and its pictures."""
    for event in browser.events:
        method, details = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            check(False, f"{state}: exception: {details['exceptionDetails']}")
        elif method == "Runtime.consoleAPICalled" and details["type"] in ["error", "warning", "assert"]:
            check(False, f"{state}: console: {details['args']}")
        elif method == "Log.entryAdded" and details["entry"]["level"] in ["error", "warning"]:
            check(False, f"{state}: log: {details['entry']}")
        elif method == "Network.requestWillBeSent":
            address = details["request"]["url"].split("#")[0]
            check(address == page or address.startswith("data:image/"),
                  f"{state}: request of {address[:100]}")


DRAW_ALL = """(async () => {
    for (const section of document.querySelectorAll('section.rows')) {
        section.scrollIntoView();
        const end = Date.now() + 5000;
        while (!section.querySelector('tbody') && Date.now() < end)
            await new Promise(done => setTimeout(done, 20));
    }
    scrollTo(0, 0);
    return document.querySelectorAll('section.rows tbody').length;
})()"""

# The cells of a column on the page, and whether they are in order. A missing value is the last one.
ORDER = """((section, column, kind) => {
    const lines = [...section.querySelectorAll('tbody tr')];
    const cells = lines.map(line => line.cells[column]);
    const empty = cells.map(cell => cell.classList.contains('null'));
    const first = empty.indexOf(true);
    const known = cells.filter((_, index) => !empty[index]);
    const key = cell => {
        const text = cell.textContent;
        if (kind === 'd') return Date.parse(cell.title);
        if (kind === 'c') return Number(text.replaceAll(',', ''));
        if (kind === 'n') return column === 0 ? Number(text.slice(1)) : Number(text);
        if (kind === 'b') return text === 'yes' ? 1 : 0;
        return text;
    };
    const collator = new Intl.Collator(undefined, { numeric: true });
    const signs = new Set();
    for (let index = 1; index < known.length; index += 1) {
        const [one, other] = [key(known[index - 1]), key(known[index])];
        signs.add(Math.sign(typeof one === 'string' ? collator.compare(one, other) : one - other));
    }
    return {
        count: known.length, signs: [...signs],
        isNullLast: first < 0 || !empty.slice(first).includes(false),
        sort: section.querySelectorAll('thead th')[column].getAttribute('aria-sort'),
        sorted: section.querySelectorAll('thead th[aria-sort]').length,
    };
})"""


def check_sorting(browser, index, name):
    section = f"document.querySelectorAll('section.rows')[{index}]"
    columns = browser.value(f"JSON.parse({section}.querySelector('script').textContent).columns")
    kinds = ["n"] + [column[1] for column in columns]
    names = ["identifier"] + [column[0] for column in columns]
    for column, kind in enumerate(kinds):
        if kind == "x":
            continue
        for direction, wrong in [("ascending", 1), ("descending", -1)]:
            browser.click(f"{section}.querySelectorAll('thead button')[{column}]")
            found = browser.value(f"{ORDER}({section}, {column}, {json.dumps(kind)})")
            place = f"{name}.{names[column]}, {direction}"
            check(found["sort"] == direction, f"{place}: aria-sort is {found['sort']}")
            check(found["sorted"] == 1, f"{place}: {found['sorted']} columns are marked")
            check(wrong not in found["signs"], f"{place}: the rows are not in order")
            check(found["isNullLast"], f"{place}: a missing value is not last")


def check_filter(browser, index, name):
    section = f"document.querySelectorAll('section.rows')[{index}]"
    count = browser.value(f"JSON.parse({section}.querySelector('script').textContent).rows.length")
    word = browser.value(f"{section}.querySelector('tbody th').textContent")
    browser.click(f"{section}.querySelector('input')")
    browser.call("Input.insertText", text=word.upper())
    shown = browser.value(
        f"[...{section}.querySelectorAll('tbody tr')].map("
        "line => line.textContent + [...line.cells].map(cell => cell.title).join())")
    check(0 < len(shown) <= count, f"{name}: the filter shows {len(shown)} rows")
    check(all(word in text for text in shown), f"{name}: the filter shows another row")
    if count > 12:
        check(len(shown) < count, f"{name}: the filter shows all {count} rows")
    said = browser.value(f"{section}.querySelector('output').textContent")
    check(said == f"{len(shown):,} of {count:,} rows", f"{name}: the filter says '{said}'")
    browser.call("Input.insertText", text=" no such text anywhere")
    check(browser.value(f"{section}.querySelectorAll('tbody tr').length") == 0,
          f"{name}: the filter shows rows without the text")
    browser.value(f"""(() => {{ const input = {section}.querySelector('input'); input.value = '';
        input.dispatchEvent(new Event('input')); }})()""")
    check(browser.value(f"{section}.querySelectorAll('tbody tr').length") == min(count, 200),
          f"{name}: an empty filter does not show all rows")


def check_pages(browser, index, name):
    section = f"document.querySelectorAll('section.rows')[{index}]"
    count = browser.value(f"JSON.parse({section}.querySelector('script').textContent).rows.length")
    buttons = browser.value(f"{section}.querySelectorAll('.pages button').length")
    check((buttons == 2) == (count > 200), f"{name}: {count} rows have {buttons} buttons")
    if buttons == 2:
        before = browser.value(f"{section}.querySelector('tbody th').textContent")
        browser.click(f"{section}.querySelectorAll('.pages button')[1]")
        after = browser.value(f"{section}.querySelector('tbody th').textContent")
        check(before != after, f"{name}: the next page shows the same rows")
        browser.click(f"{section}.querySelectorAll('.pages button')[0]")
        check(browser.value(f"{section}.querySelector('tbody th').textContent") == before,
              f"{name}: the previous page shows other rows")


def check_links(browser):
    """Follows the first reference of a row. Returns whether there is one."""
    link = "document.querySelector('section.rows td a')"
    if not browser.value(f"{link} !== null"):
        return False
    target = browser.value(f"{link}.getAttribute('href').slice(1)")
    browser.click(link)
    browser.value("new Promise(done => setTimeout(done, 100))")
    check(browser.value("location.hash.slice(1)") == target, "A reference does not change the address.")
    row = f"document.getElementById({json.dumps(target)})"
    check(browser.value(f"{row}?.className") == "target", "A reference does not mark its row.")
    check(browser.value(f"""(() => {{ const box = {row}.getBoundingClientRect();
        return box.top >= 0 && box.bottom <= innerHeight; }})()"""), "A reference shows no row.")
    return True


CONTRAST = r"""(() => {
    const numbers = text => (text.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([red, green, blue]) => {
        const [r, g, b] = [red, green, blue].map(value => {
            value /= 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = element => {
        for (let one = element; one; one = one.parentElement) {
            const colour = numbers(getComputedStyle(one).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const low = new Map();
    for (const element of document.querySelectorAll('body *')) {
        const hasText = [...element.childNodes].some(
            node => node.nodeType === 3 && node.textContent.trim());
        if (!hasText || element.closest('svg, script, noscript, dialog, .null, button:disabled')) continue;
        const [one, other] = [numbers(getComputedStyle(element).color), ground(element)].map(light);
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < 4.5) low.set(element.tagName + '.' + element.className, ratio.toFixed(2));
    }
    return [...low].map(([name, ratio]) => name + ' ' + ratio);
})()"""


def check_appearance(browser, folder):
    grounds = {}
    for scheme in ["light", "dark"]:
        for name, width, height, scale in [("desktop", 1280, 900, 1), ("phone", 360, 740, 2)]:
            browser.show(width, height, scheme, scale)
            browser.value(DRAW_ALL)
            real = browser.value("document.documentElement.scrollWidth")
            check(real <= width, f"{name}, {scheme}: the page is {real} wide")
            low = browser.value(CONTRAST)
            check(not low, f"{name}, {scheme}: low contrast of {', '.join(low)}")
            if folder:
                browser.picture(folder / f"{name}-{scheme}.png")
        grounds[scheme] = browser.value("getComputedStyle(document.body).backgroundColor")
    check(grounds["light"] != grounds["dark"], "The page looks the same in light and dark.")
    browser.show(1280, 900, "light")


def main():
    program, path = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    page = path.as_uri()
    browser = Browser(program)
    try:
        browser.show(1280, 900, "light")
        browser.open(page)
        names = browser.value(
            "[...document.querySelectorAll('section.rows')].map(one => one.dataset.name)")
        check(names, "The page has no table.")
        check(browser.value(DRAW_ALL) == len(names), "A table is not drawn.")
        for index, name in enumerate(names):
            check_pages(browser, index, name)
            check_sorting(browser, index, name)
            check_filter(browser, index, name)
        hasLinks = check_links(browser)
        broken = browser.value(
            "[...document.images].filter(one => one.src && !(one.complete && one.naturalWidth)).length")
        check(broken == 0, f"{broken} pictures are not shown.")
        pictures = browser.value("document.querySelectorAll('.attachments img, .thumb img').length")
        if pictures:
            browser.click("document.querySelector('.attachments img, .thumb img')")
            check(browser.value("document.querySelector('dialog').open"), "A picture does not open.")
            browser.click("document.querySelector('dialog button')")
            check(not browser.value("document.querySelector('dialog').open"), "A picture stays open.")
        # The policy of the page refuses a script that comes from a value.
        browser.value("""(() => { const script = document.createElement('script');
            script.textContent = 'window.foreign = 1'; document.body.append(script); })()""")
        check(browser.value("typeof window.foreign") == "undefined", "A foreign script runs.")
        browser.events[:] = [event for event in browser.events if event.get("method") != "Log.entryAdded"
                             or "script-src" not in event["params"]["entry"]["text"]]
        # Values of a hostile document would set this variable.
        check(browser.value("typeof window.hostile") == "undefined", "A value of the document runs.")
        check_appearance(browser, folder)
        browser.value("new Promise(done => setTimeout(done, 200))")
        check_events(browser, page, "with JavaScript")

        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        browser.open(page)
        check_events(browser, page, "without JavaScript")
        text = browser.value("document.body.innerText")
        for word in ["need JavaScript", "Model", "Contents", "Versions", "Findings"]:
            check(word in text, f"Without JavaScript the page does not show '{word}'.")
    finally:
        browser.close()
    if failures:
        print("\n".join(failures))
        return 1
    print(f"ok: {len(names)} tables, {pictures} pictures, "
          f"{'references' if hasLinks else 'no references'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
