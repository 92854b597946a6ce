(() => {
"use strict";
const pageSize = 200;
const collator = new Intl.Collator(undefined, { numeric: true });
const tables = new Map();
document.documentElement.classList.add("js");

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Returns a text in small letters and without accents, in which the filter searches. */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}
// --- Cells: a kind has the text, the order and the element of its values ---

function bytes(count) {
  return count === 1 ? "1 byte" : count.toLocaleString("en") + " bytes";
}

/** Returns the moment of seconds since 2001 as ISO 8601 in UTC. */
function moment(seconds) {
  const date = new Date((seconds + 978307200) * 1000);
  return isNaN(date) ? "@" + seconds : date.toISOString();
}

function shortMoment(seconds) {
  return moment(seconds).replace("T", " ").replace(/(:00)?(\.000)?Z$/, "");
}

/** Compares two numbers. Numbers with more digits than a script counts with are texts. */
function compareNumbers(one, other) {
  const difference = Number(one) - Number(other);
  if (difference) return difference;
  if (isNaN(difference)) return isNaN(one) - isNaN(other);
  const digits = /^-?\d+$/;
  if (digits.test(one) && digits.test(other)) {
    const [left, right] = [BigInt(one), BigInt(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return 0;
}

/** Returns the day of seconds since 2001; the moment, if it is not the start of a day. */
function day(seconds) {
  return moment(seconds).replace("T00:00:00.000Z", "");
}

const beginning = value => Array.isArray(value) ? value[0] : value;

const kinds = {
  s: {
    text: beginning,
    compare: (one, other) => collator.compare(beginning(one), beginning(other)),
    show(cell, value) {
      const text = beginning(value);
      const cut = text.length > 120;
      cell.textContent = cut ? text.slice(0, 120) + "\u2026" : text;
      if (Array.isArray(value)) {
        cell.title = text + "\u2026 (" + value[1].toLocaleString("en") + " characters)";
      } else if (cut || text.includes("\n")) {
        cell.title = text;
      }
      cell.dir = "auto";
    },
  },
  n: {
    text: String, compare: compareNumbers, isNumber: true,
    show: (cell, value) => { cell.textContent = value; },
  },
  b: {
    text: value => value ? "yes" : "no", compare: (one, other) => one - other,
    show: (cell, value) => { cell.textContent = value ? "yes" : "no"; },
  },
  d: {
    text: value => shortMoment(value) + " " + moment(value), compare: compareNumbers,
    show(cell, value) {
      cell.textContent = shortMoment(value);
      cell.title = moment(value);
    },
  },
  D: {
    text: day, compare: compareNumbers,
    show: (cell, value) => { cell.textContent = day(value); },
  },
  x: {
    text: value => value[1], compare: (one, other) => one[0] - other[0],
    show(cell, value) {
      if (!value[2]) {
        cell.textContent = value[1];
        return;
      }
      const image = element("img", { src: value[2], alt: value[1] });
      const button = element("button", { className: "thumb", title: value[1] }, image);
      button.type = "button";
      cell.append(button);
    },
  },
  r: {
    text: value => (value[1] ?? "") + " " + identifier(value),
    compare: (one, other) => collator.compare(label(one), label(other))
      || compareNumbers(identifier(one).slice(1), identifier(other).slice(1)),
    show(cell, value, part) {
      const [entity, number] = value[0].split("/");
      const table = tables.get(part + "-" + entity);
      if (table && table.has(number)) {
        const link = element("a", { textContent: label(value), dir: "auto" });
        link.href = "#" + table.anchor(number);
        cell.append(link);
      } else {
        cell.textContent = label(value);
        cell.className = "faint";
      }
      cell.title = (table ? table.name + " " : "") + identifier(value);
    },
  },
  c: {
    text: String, compare: (one, other) => one - other, isNumber: true,
    show: (cell, value) => { cell.textContent = value.toLocaleString("en"); },
  },
};
kinds.u = kinds.s;

function identifier(value) { return "p" + value[0].split("/")[1]; }
function label(value) { return value[1] || identifier(value); }
// --- Tables ---

class RowTable {
  constructor(section) {
    this.section = section;
    this.part = section.dataset.part;
    this.entity = section.dataset.entity;
    this.name = section.dataset.name;
    this.box = section.querySelector(".scroll");
    this.page = 0;
    this.order = null;
    this.words = [];
  }

  /** The columns and the rows, which are parsed at the first use. */
  get data() {
    if (!this.parsed) {
      this.parsed = JSON.parse(this.section.querySelector("script").textContent);
      this.parsed.columns.unshift(["identifier", "n", ""]);
      this.shown = this.parsed.rows;
    }
    return this.parsed;
  }

  get places() {
    this.known ??= new Map(this.data.rows.map((row, index) => [String(row[0]), index]));
    return this.known;
  }

  has(number) { return this.places.has(number); }
  anchor(number) { return "r" + this.part + "-" + this.entity + "-" + number; }

  begin() {
    if (this.body) return;
    const { columns } = this.data;
    const heads = columns.map(([name, kind, type], index) => {
      const button = element("button", { type: "button", textContent: name });
      if (type) button.title = name + ": " + type;
      button.addEventListener("click", () => this.sort(index));
      const head = element("th", { scope: "col" }, button);
      if (kinds[kind].isNumber && index > 0) head.className = "number";
      return head;
    });
    this.heads = heads;
    this.body = element("tbody");
    this.box.append(
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.body));
    this.input = this.section.querySelector("input");
    this.output = this.section.querySelector("output");
    this.input.addEventListener("input", () => this.filter());
    this.draw();
  }

  sort(column) {
    const isDescending = this.order?.column === column && !this.order.isDescending;
    this.order = { column, isDescending };
    this.heads.forEach((head, index) => {
      if (index === column) {
        head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      } else {
        head.removeAttribute("aria-sort");
      }
    });
    this.arrange();
  }

  filter() {
    this.words = plain(this.input.value).split(/\s+/).filter(word => word);
    this.arrange();
  }

  /** The text of a row in which the filter searches. */
  searched(index) {
    this.texts ??= [];
    return this.texts[index] ??= plain(
      "p" + this.data.rows[index].map((value, column) =>
        value === null ? "" : kinds[this.data.columns[column][1]].text(value)).join("\n"));
  }

  arrange() {
    const { rows, columns } = this.data;
    let shown = rows;
    if (this.words.length) {
      shown = rows.filter((row, index) =>
        this.words.every(word => this.searched(index).includes(word)));
    }
    if (this.order) {
      const { column, isDescending } = this.order;
      const { compare } = kinds[columns[column][1]];
      const sign = isDescending ? -1 : 1;
      // Rows without a value are the last ones in both directions.
      shown = [...shown].sort((one, other) => {
        const [left, right] = [one[column], other[column]];
        if (left === null || right === null) return (left === null) - (right === null);
        return sign * compare(left, right);
      });
    }
    this.shown = shown;
    this.page = 0;
    this.draw();
    this.box.scrollTop = 0;
  }

  draw() {
    const { columns, rows } = this.data;
    const start = this.page * pageSize;
    this.body.replaceChildren(...this.shown.slice(start, start + pageSize).map(row => {
      const line = element("tr", { id: this.anchor(row[0]) });
      line.append(element("th", { scope: "row", textContent: "p" + row[0] }));
      for (let column = 1; column < columns.length; column += 1) {
        const cell = line.insertCell();
        const kind = kinds[columns[column][1]];
        if (kind.isNumber) cell.className = "number";
        if (row[column] === null) {
          cell.textContent = "\u2013";
          cell.classList.add("null");
        } else {
          kind.show(cell, row[column], this.part);
        }
      }
      return line;
    }));
    this.output.textContent = this.words.length
      ? this.shown.length.toLocaleString("en") + " of " + rows.length.toLocaleString("en")
        + " rows" : "";
    this.drawPages(start);
  }

  drawPages(start) {
    const place = this.section.querySelector(".pages");
    const count = this.shown.length;
    if (count <= pageSize) return place.replaceChildren();
    const end = Math.min(start + pageSize, count);
    const turn = (label, page, isPossible) => {
      const button = element("button", { type: "button", textContent: label });
      button.disabled = !isPossible;
      button.addEventListener("click", () => {
        this.page = page;
        this.draw();
        this.box.scrollTop = 0;
      });
      return button;
    };
    place.replaceChildren(
      turn("Previous", this.page - 1, start > 0),
      element("span", {
        textContent: (start + 1).toLocaleString("en") + "\u2013" + end.toLocaleString("en")
          + " of " + count.toLocaleString("en"),
      }),
      turn("Next", this.page + 1, end < count));
  }

  /** Shows the row with a number, and marks it. */
  reveal(number) {
    this.begin();
    const row = this.data.rows[this.places.get(number)];
    if (!row) return;
    let place = this.shown.indexOf(row);
    if (place < 0) {
      this.input.value = "";
      this.filter();
      place = this.shown.indexOf(row);
    }
    this.page = Math.floor(place / pageSize);
    this.draw();
    for (const marked of document.querySelectorAll("tr.target")) marked.className = "";
    const line = document.getElementById(this.anchor(number));
    line.className = "target";
    this.section.scrollIntoView();
    this.box.scrollTop = line.offsetTop - this.box.clientHeight / 2;
  }
}
// --- The page ---

for (const section of document.querySelectorAll("section.rows")) {
  const table = new RowTable(section);
  tables.set(table.part + "-" + table.entity, table);
}

// A table is drawn when the reader comes near, so that a page with many rows opens at once.
const watch = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watch.unobserve(entry.target);
    tables.get(entry.target.dataset.part + "-" + entry.target.dataset.entity).begin();
  }
}, { rootMargin: "800px" });
for (const table of tables.values()) watch.observe(table.section);
window.addEventListener("beforeprint", () => {
  for (const table of tables.values()) table.begin();
});

function follow() {
  const match = /^#r(\d+)-(\d+)-(\d+)$/.exec(location.hash);
  if (match) tables.get(match[1] + "-" + match[2])?.reveal(match[3]);
}
window.addEventListener("hashchange", follow);
follow();

// A click on the same link again changes no address, so it is followed here.
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#r']");
  if (link && link.getAttribute("href") === location.hash) follow();
  const image = event.target.closest(".thumb, .attachments figure")?.querySelector("img");
  if (!image) return;
  const dialog = document.getElementById("picture");
  const large = dialog.querySelector("img");
  large.src = image.src;
  large.alt = image.alt;
  dialog.showModal();
});
})();
