"""Runs 35 tasks with Quire and with the tools that people use for them, checks the answers, and compares the commands.

    python3 Tests/peers/tasks.py TOOL [--only NUMBERS] [--page FILE]

A task is better with Quire if no other tool does it, if Quire needs fewer commands, or if the same number of commands has at
most four fifths of the characters. It is equal if the characters differ by less than a fifth, and worse otherwise, also if
Quire gives a wrong answer. A program in a pipe is a command. Text that a person types in an editor counts as characters.
A tool that is not installed is reported as missing, and its task has no verdict.
"""

import argparse
import datetime
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CITIES = ["Köln", "Porto", "Berlin", "東京", "Lyon", "Gdańsk"]
METALS = ["steel", "copper", "oak", "glass", "paper"]
STATUSES = ["new", "paid", "sent", "returned"]


class Data:
    """The tables, and the answers that both sides must give."""

    def __init__(self, seed=1, customers=20_000, products=500, orders=200_000):
        chance = random.Random(seed)
        self.customers = [
            (n, f'Name {n}, "the {n % 7}th"', f"c{n}@example.org", chance.choice(CITIES),
             chance.randint(1940, 2005))
            for n in range(1, customers + 1)]
        self.products = [
            (f"SKU-{n:04}", f"{chance.choice(METALS)} part {n}", f"{chance.randint(100, 99999) / 100:.2f}")
            for n in range(1, products + 1)]
        start = datetime.datetime(2025, 1, 1)
        self.orders = [
            (n, chance.randint(1, customers), chance.choice(self.products)[0], chance.randint(1, 9),
             f"{chance.randint(100, 99999) / 100:.2f}", chance.choice(STATUSES),
             (start + datetime.timedelta(minutes=chance.randint(0, 525_000))).isoformat() + "Z")
            for n in range(1, orders + 1)]

    def write(self, folder):
        def table(name, head, rows, separator=",", encoding="utf-8"):
            def cell(value):
                text = str(value)
                return '"' + text.replace('"', '""') + '"' if re.search('[",\n;]', text) else text
            with open(f"{folder}/{name}.csv", "w", encoding=encoding, newline="") as file:
                file.write(separator.join(head) + "\n")
                for row in rows:
                    file.write(separator.join(map(cell, row)) + "\n")
        table("customers", ["id", "name", "email", "city", "birth_year"], self.customers)
        table("products", ["sku", "name", "price"], self.products)
        head = ["id", "customer_id", "product", "quantity", "unit_price", "status", "ordered_at"]
        table("orders", head, self.orders)
        table("visits", ["id", "place", "day"], [(n, f"Place {n}", f"2025-03-{n:02}") for n in range(1, 29)])
        table("euro", ["id", "town", "people"], [(n, f"Dörfchen {n}", n * n) for n in range(1, 40)], ";", "latin-1")
        # The first half of the orders is known, with another status.
        os.mkdir(f"{folder}/new")
        changed = [(*row[:5], "sent", row[6]) for row in self.orders[:500]]
        extra = [(len(self.orders) + n, *self.orders[n][1:]) for n in range(1, 501)]
        table("new/orders", head, changed + extra)
        cars = [{"carName": f"Car {n}", "Miles_per_Gallon": n % 40 + 5} for n in range(300)]
        with open(f"{folder}/cars.jsonl", "w") as file:
            file.writelines(json.dumps(car) + "\n" for car in cars)
        with open(f"{folder}/cars.json", "w") as file:
            json.dump(cars, file)

    # MARK: Answers

    def of_city(self, city):
        ids = {c[0] for c in self.customers if c[3] == city}
        return sum(o[1] in ids for o in self.orders)

    def quantities(self):
        sums = {status: 0 for status in STATUSES}
        for order in self.orders:
            sums[order[5]] += order[3]
        return sorted(sums.items(), key=lambda one: -one[1])

    def months(self):
        counts = {}
        for order in self.orders:
            counts[order[6][:7]] = counts.get(order[6][:7], 0) + 1
        return counts

    def totals(self):
        return [round(o[3] * float(o[4]), 2) for o in self.orders]

    def price_sum(self):
        return round(sum(float(o[4]) for o in self.orders), 2)

    def price_after(self):
        return float(self.products[0][2]) * 1.1


class Task:
    """One task: the commands of each side, and the check of each side's output.

    `quire` and `peer` are lists of commands; a peer without commands can't do the task. `set_up` and `peer_set_up` are commands
    that come before and count as given. `typed` is the text that a person types in an editor, which `editor` stands for.
    `check` gets the output of the last command and a function that runs a further command.
    """

    def __init__(self, title, quire, check, peer=(), peer_check=None, uses=(), set_up=(), peer_set_up=(),
                 typed="", editor=None, codes=(0,), peer_name=None):
        self.title, self.quire, self.check = title, quire, check
        self.peer, self.peer_check, self.uses = list(peer), peer_check or check, uses
        self.set_up, self.peer_set_up = set_up, peer_set_up
        self.typed, self.editor, self.codes = typed, editor, codes
        self.peer_name = peer_name or ", ".join(uses) or "none"


def has(*parts):
    return lambda out, run: all(part in out for part in parts)


def numbers(text):
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)]


def close(expected):
    return lambda out, run: any(abs(one - expected) < 0.01 for one in numbers(out))


def tasks(data):
    koeln = data.of_city("Köln")
    top, months = data.quantities(), data.months()
    largest = max(data.totals())
    count_new = sum(o[5] == "new" for o in data.orders)
    paid = count_new + sum(o[5] == "paid" for o in data.orders)
    orders, customers, products = len(data.orders), len(data.customers), len(data.products)
    from_files = "quire new s.quire --from customers.csv products.csv orders.csv"
    columns = "id,name,email,city,birth_?[yY]ear"

    def lists_counts(out, run):
        return all(str(one) in out.replace(",", "") for one in (customers, products, orders))

    def first_rows(out, run):
        return out.count("SKU-") == 5

    def is_top(out, run):
        found = [int(one) for one in numbers(out) if one > 1000]
        return found[:3] == [count for _, count in top[:3]]

    def by_month(out, run):
        return all(str(count) in out for count in months.values()) and "2025-12" in out

    def clean_csv(out, run):
        lines = out.splitlines()
        return re.fullmatch(columns, lines[0]) and len(lines) == customers + 1

    def rescued(out, run, count):
        return orders / 2 < numbers(run(count).split("\n")[0])[0] <= orders

    def merged(out, run, count):
        return count in run("quire count r.quire.zip Order --where 'status = \"lost\"'")

    git = [
        "git init -q .", "git config user.email a@example.org", "git config user.name A",
        "quire pack s.quire r.quire.zip", "quire git install", "cp s.db r.db",
        "git add r.quire.zip r.db .gitattributes", "git commit -qm 1"]
    change = "quire set r.quire.zip Order status={} --where 'id = {}'"
    sql = "sqlite3 r.db \"update orders set status='{}' where id={}\""
    branches = git + [
        "git checkout -qb side", change.format("lost", 7), "git commit -qam 2", "git checkout -q -",
        change.format("found", 8), "git commit -qam 3"]
    conflict = branches[:-2] + [change.format("found", 7), "git commit -qam 3", "git merge -q side || true"]
    db_conflict = git + [
        "git checkout -qb side", sql.format("lost", 7), "git commit -qam 2", "git checkout -q -",
        sql.format("found", 7), "git commit -qam 3", "git merge -q side || true"]
    damage = "python3 -c \"import sys; f=open(sys.argv[1],'r+b'); f.seek(0,2); f.seek(f.tell()//2); f.write(b'X'*64)\" "

    return [
        Task("Make a typed, linked file of three CSV files", [from_files],
             lambda out, run: str(koeln) in run("quire count s.quire Order --where 'customer.city = \"Köln\"'"),
             ["duckdb s.duckdb \"create table customers as from 'customers.csv'; create table products as from "
              "'products.csv'; create table orders as from 'orders.csv'\""],
             lambda out, run: str(orders) in run("duckdb s.duckdb 'select count(*) from orders'"),
             ["duckdb"], set_up=["rm -r s.quire"]),
        Task("See the schema", ["quire model s.quire"], has("entity Order", "customer: Customer"),
             ["sqlite3 s.db .schema"], has("CREATE TABLE", "orders"), ["sqlite3"]),
        Task("Count the rows of each table", ["quire fetch s.quire"], lists_counts,
             ["sqlite3 s.db 'select count(*) from customers'", "sqlite3 s.db 'select count(*) from products'",
              "sqlite3 s.db 'select count(*) from orders'"], has(str(orders)), ["sqlite3"]),
        Task("Show the first five rows", ["quire fetch s.quire Order --limit 5"], lambda out, run: out.count("\n") == 6,
             ["duckdb -c \"from 'orders.csv' limit 5\""], first_rows, ["duckdb"]),
        Task("Count by a value of another table", ["quire count s.quire Order --where 'customer.city=\"Köln\"'"],
             has(str(koeln)),
             ["sqlite3 s.db \"select count(*) from orders o join customers c on c.id=o.customer_id where c.city='Köln'\""],
             uses=["sqlite3"]),
        Task("Sum in groups, the largest three", [
            "quire fetch s.quire Order --group-by status --aggregate 'sum(quantity) AS n' --sort -n --limit 3"],
             is_top, ["sqlite3 s.db 'select status,sum(quantity) s from orders group by 1 order by 2 desc limit 3'"],
             uses=["sqlite3"]),
        Task("Count the orders of each month", ["quire fetch s.quire Order --group-by 'TRUNC(orderedAt,\"month\")'"],
             by_month, ["sqlite3 s.db \"select strftime('%Y-%m',ordered_at),count(*) from orders group by 1\""],
             uses=["sqlite3"]),
        Task("Show a computed column with a name", [
            "quire fetch s.quire Order --columns 'quantity*unitPrice AS total' --limit 5"],
             lambda out, run: "total" in out and any(abs(n - data.totals()[0]) < 0.01 for n in numbers(out)),
             ["sqlite3 -header s.db 'select quantity*unit_price as total from orders limit 5'"], uses=["sqlite3"]),
        Task("Sort by a computed value", ["quire fetch s.quire Order --sort '-quantity*unitPrice' --limit 5 "
                                          "--columns quantity,unitPrice"],
             lambda out, run: any(abs(a * b - largest) < 0.01 for a, b in zip(numbers(out), numbers(out)[1:])),
             ["sqlite3 s.db 'select quantity,unit_price from orders order by quantity*unit_price desc limit 5'"],
             uses=["sqlite3"]),
        Task("Raise all prices by a tenth", ["quire set s.quire Product price=price*1.1 --all"],
             lambda out, run: close(data.price_after())(
                 run("quire fetch s.quire Product --where 'sku=\"SKU-0001\"' --columns price"), run),
             ["sqlite3 s.db 'update products set price=price*1.1'"],
             lambda out, run: close(data.price_after())(
                 run("sqlite3 s.db \"select price from products where sku='SKU-0001'\""), run), ["sqlite3"]),
        Task("Change the rows that meet a condition", [
            "quire set s.quire Order status=paid --where 'status=\"new\"'"],
             lambda out, run: str(count_new) in out,
             ["sqlite3 s.db \"update orders set status='paid' where status='new'\""],
             lambda out, run: str(paid) in run("sqlite3 s.db \"select count(*) from orders where status='paid'\""),
             ["sqlite3"]),
        Task("Take that change back", ["quire undo s.quire"],
             lambda out, run: str(count_new) in run("quire count s.quire Order --where 'status = \"new\"'"),
             set_up=["quire set s.quire Order status=paid --where 'status=\"new\"'"]),
        Task("See who changed which objects, and when", ["quire history s.quire --objects"], has("by Ada", "quantity", "-> 77"),
             set_up=["quire set s.quire Order quantity=77 --where id=5 --author Ada"]),
        Task("Ask the state before a change", ["quire count s.quire@2 Order"], has(str(orders)),
             set_up=["quire delete s.quire Order --where 'id < 100'"]),
        Task("Refuse to delete what other rows need", ["quire delete s.quire Product --where 'price>0'"],
             has("can't be deleted"),
             ["sqlite3 s.db 'pragma foreign_keys=on; delete from products where price>0'"],
             has("FOREIGN KEY constraint failed"), ["sqlite3"], codes=(1, 19)),
        Task("Insert and update rows from a CSV file", ["quire import s.quire new/orders.csv --update"],
             lambda out, run: str(orders + 500) in run("quire count s.quire Order"),
             ["sqlite-utils upsert s.db orders new/orders.csv --csv --pk id"],
             lambda out, run: str(orders + 500) in run("sqlite3 s.db 'select count(*) from orders'"), ["sqlite-utils"]),
        Task("Read JSON lines without a schema", ["quire new j.quire --from cars.jsonl"],
             lambda out, run: "300" in run("quire count j.quire Car"),
             ["sqlite-utils insert j.db cars cars.jsonl --nl"],
             lambda out, run: "300" in run("sqlite3 j.db 'select count(*) from cars'"), ["sqlite-utils"]),
        Task("Read a JSON array without a schema", ["quire new j.quire --from cars.json"],
             lambda out, run: "300" in run("quire count j.quire Car"),
             ["sqlite-utils insert j.db cars cars.json"],
             lambda out, run: "300" in run("sqlite3 j.db 'select count(*) from cars'"), ["sqlite-utils"]),
        Task("Read a table with semicolons in Latin-1", ["quire new e.quire --from euro.csv --encoding latin1"],
             lambda out, run: "Dörfchen 7" in run("quire fetch e.quire Euro --where id=7"),
             ["duckdb e.db \"create table euro as from read_csv('euro.csv',encoding='latin-1')\""],
             lambda out, run: "Dörfchen 7" in run("duckdb e.db 'from euro where id=7'"), ["duckdb"]),
        Task("Write a clean CSV file", ["quire fetch s.quire Customer --format csv --columns id,name,email,city,birthYear"],
             clean_csv, ["sqlite3 -csv -header s.db 'select id,name,email,city,birth_year from customers'"],
             uses=["sqlite3"]),
        Task("Add numbers up in jq", ["quire fetch s.quire Order --format json --numbers | jq 'map(.unitPrice)|add'"],
             close(data.price_sum()),
             ["sqlite3 -json s.db 'select * from orders' | jq 'map(.unit_price)|add'"], uses=["sqlite3", "jq"]),
        Task("Compare two files", ["quire diff s.quire t.quire"], has("~ Order", "77"),
             ["sqldiff s.db t.db"], has("UPDATE orders", "77"), ["sqldiff"], codes=(0, 1),
             set_up=["cp -r s.quire t.quire", "quire set t.quire Order quantity=77 --where id=5"],
             peer_set_up=["cp s.db t.db", "sqlite3 t.db 'update orders set quantity=77 where id=5'"]),
        Task("Merge the changes of two copies", ["quire merge s.quire a.quire b.quire --output m.quire"],
             lambda out, run: "2" in run("quire count m.quire Order --where 'quantity > 70'"),
             set_up=["cp -r s.quire a.quire", "cp -r s.quire b.quire", "quire set a.quire Order quantity=77 --where id=5",
                     "quire set b.quire Order quantity=78 --where id=6"]),
        Task("See the changed rows in git's log", ["quire git install", "git log -p -1 -- r.quire.zip"],
             has("lost"),
             ["git config diff.sqlite.textconv 'f(){ sqlite3 \"$1\" .dump;};f'", "echo '*.db diff=sqlite' >> .gitattributes",
              "git log -p -1 -- r.db"], has("lost"), ["git", "sqlite3"],
             set_up=git + ["quire git uninstall", change.format("lost", 7), "git commit -qam 2"],
             peer_set_up=git + [sql.format("lost", 7), "git commit -qam 2"], codes=(0,)),
        Task("Merge two branches in git", ["git merge -q --no-edit side"],
             lambda out, run: merged(out, run, "1"), set_up=branches),
        Task("End a conflict in git", ["quire git resolve r.quire.zip --theirs"],
             lambda out, run: merged(out, run, "1") and "U" not in run("git status --porcelain r.quire.zip"),
             ["git checkout -q --theirs r.db", "git add r.db"],
             lambda out, run: "1" in run("sqlite3 r.db \"select count(*) from orders where status='lost'\""),
             ["git"], set_up=conflict, peer_set_up=db_conflict),
        Task("Rename a column, and add a rule", ["quire model edit s.quire --yes"],
             lambda out, run: "amount: Int64" in run("quire model s.quire") and "min 0" in run("quire model s.quire"),
             ["sqlite3 s.db 'pragma foreign_keys=off; create table n(id integer primary key,customer_id integer references "
              "customers,product text references products,amount integer check(amount>=0),unit_price numeric,status text,"
              "ordered_at text); insert into n select * from orders; drop table orders; alter table n rename to orders'"],
             lambda out, run: "amount" in run("sqlite3 s.db .schema"), ["sqlite3"],
             typed="amountmin 0, was quantity", editor="s/quantity: Int64/amount: Int64, min 0, was quantity/"),
        Task("Make dates of a column of text", ["quire model edit v.quire --yes"],
             lambda out, run: "28" in run("quire count v.quire Visit --where 'YEAR(day) = 2025'"),
             ["duckdb v.db 'alter table visits alter day type date'"],
             lambda out, run: "28" in run("duckdb v.db 'select count(*) from visits where year(day)=2025'"), ["duckdb"],
             set_up=["quire new v.quire --from visits.csv --type day=String"],
             peer_set_up=["duckdb v.db \"create table visits as select * replace(day::text as day) from 'visits.csv'\""],
             typed="Date", editor="/day:/s/String/Date/"),
        Task("Make a page of the whole data to send", ["quire report s.quire --output s.html"],
             lambda out, run: "Order" in run("grep -o Order s.html | head -1"),
             ["sqlite3 -html s.db 'select * from customers;select * from products;select * from orders' > s.html"],
             lambda out, run: "SKU" in run("grep -o SKU s.html | head -1"), ["sqlite3"]),
        Task("Search for words", ["quire fetch s.quire Product --where 'name TEXT \"steel\"'"], has("steel", "part"),
             ["sqlite-utils enable-fts s.db products name", "sqlite-utils search s.db products steel"],
             has("steel part"), ["sqlite-utils"]),
        Task("Check every byte and every rule", ["quire validate s.quire"], has("valid"),
             ["sqlite3 s.db 'pragma integrity_check; pragma foreign_key_check'"], has("ok"), ["sqlite3"]),
        Task("Rescue a damaged file", ["quire recover s.quire --output n.quire"],
             lambda out, run: rescued(out, run, "quire count n.quire Order"),
             ["sqlite3 s.db .recover | sqlite3 n.db"],
             lambda out, run: rescued(out, run, "sqlite3 n.db 'select count(*) from orders'"), ["sqlite3"],
             set_up=[damage + "s.quire/stores/*.store"], peer_set_up=[damage + "s.db"], codes=(0, 1, 4)),
        Task("Notice the changes of another program", ["quire watch s.quire --once"], has("Order"),
             set_up=["(sleep 2; quire set s.quire Order quantity=77 --where id=5) > /dev/null 2>&1 &"]),
        Task("Read the database of an iPhone's app with names and links", [
            "quire fetch App.sqlite Visit --columns day,place"], has("Place 7", "2025-03-07"),
             ["sqlite3 App.sqlite .tables",
              "sqlite3 App.sqlite \"select datetime(ZDAY+978307200,'unixepoch'),ZPLACE from ZVISIT\""],
             has("Place 7", "2025-03-07"), ["sqlite3"], set_up=["cp ../base/App.sqlite ."],
             peer_set_up=["cp ../base/App.sqlite ."]),
        Task("Look into any SQLite file", ["quire fetch s.db Order --limit 5"], lambda out, run: out.count("\n") == 6,
             ["sqlite3 s.db 'select * from orders limit 5'"], first_rows, ["sqlite3"]),
    ]


class Runner:
    def __init__(self, tool, repeats):
        self.repeats = repeats
        self.root = tempfile.mkdtemp(prefix="quire-peers-")
        self.base = os.path.join(self.root, "base")
        os.mkdir(self.base)
        programs = os.path.join(self.root, "bin")
        os.mkdir(programs)
        os.symlink(os.path.realpath(tool), os.path.join(programs, "quire"))
        self.environment = dict(
            os.environ, PATH=programs + os.pathsep + os.environ["PATH"], HOME=self.root, GIT_CONFIG_NOSYSTEM="1",
            QUIRE_PLUGIN_PATH=os.path.join(os.path.dirname(os.path.realpath(tool)), "plugins"), LC_ALL="C.UTF-8")
        self.shim_duckdb(programs)

    def shim_duckdb(self, programs):
        """Makes the command `duckdb` of Python's module, if only the module is installed."""
        if shutil.which("duckdb"):
            return
        python = next((one for one in (sys.executable, shutil.which("python3")) if one and subprocess.run(
            [one, "-c", "import duckdb"], capture_output=True).returncode == 0), None)
        if python:
            path = os.path.join(programs, "duckdb")
            with open(path, "w") as file:
                file.write(
                    f"#!{python}\nimport duckdb, sys\nwords = [w for w in sys.argv[1:] if w != '-c']\n"
                    "base = duckdb.connect(words[0] if len(words) > 1 else ':memory:')\n"
                    "for row in base.execute(words[-1]).fetchall(): print('|'.join(map(str, row)))\n")
            os.chmod(path, 0o755)

    def has(self, program):
        return shutil.which(program, path=self.environment["PATH"]) is not None

    def shell(self, command, folder, codes=(0,), environment=None):
        run = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment or self.environment, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        if codes is not None and run.returncode not in codes:
            raise RuntimeError(f"{command}: exit code {run.returncode}: {run.stdout[-400:]}")
        return run.stdout

    def prepare(self, data):
        data.write(self.base)
        run = lambda command: self.shell(command, self.base)  # noqa: E731
        run("quire new s.quire --from customers.csv products.csv orders.csv")
        run("quire new v.quire --from visits.csv && quire convert v.quire App.sqlite --store SQLite && rm -r v.quire")
        with open(f"{self.base}/tables.sql", "w") as file:
            file.write(
                "create table customers(id integer primary key,name text,email text unique,city text,birth_year integer);\n"
                "create table products(sku text primary key,name text,price numeric);\n"
                "create table orders(id integer primary key,customer_id integer references customers,"
                "product text references products,quantity integer,unit_price numeric,status text,ordered_at text);\n"
                ".mode csv\n" + "".join(f".import --skip 1 {t}.csv {t}\n" for t in ("customers", "products", "orders")))
        run("sqlite3 s.db < tables.sql")

    def side(self, commands, set_up, check, codes, editor):
        """Returns the median time of the commands, or None with a reason if the answer is wrong."""
        times = []
        environment = dict(self.environment, EDITOR=f"sed -i -e '{editor}'") if editor else self.environment
        for _ in range(self.repeats):
            folder = os.path.join(self.root, "work")
            shutil.copytree(self.base, folder, symlinks=True)
            try:
                for command in set_up:
                    self.shell(command, folder)
                start = time.perf_counter()
                for command in commands:
                    out = self.shell(command, folder, codes, environment)
                times.append(time.perf_counter() - start)
                if not check(out, lambda command: self.shell(command, folder, None)):
                    return None, "wrong answer: " + out[:200]
            except (RuntimeError, subprocess.TimeoutExpired, IndexError) as error:
                return None, str(error)[:400]
            finally:
                shutil.rmtree(folder)
        return statistics.median(times), None


def count(commands):
    """Returns the number of programs, with those of pipes."""
    return sum(1 + re.sub(r"'[^']*'|\"[^\"]*\"", "", command).count("|") for command in commands)


def verdict(quire_time, peer_time, mine, theirs):
    if quire_time is None:
        return "worse"
    if peer_time is None:
        return "better"
    if mine[0] != theirs[0]:
        return "better" if mine[0] < theirs[0] else "worse"
    if mine[1] <= theirs[1] * 0.8:
        return "better"
    return "equal" if mine[1] < theirs[1] * 1.2 else "worse"


PAGE_HEAD = """# Beside other tools

{count} of 35 tasks are better or equal with Quire: {better} better, {equal} equal, {worse} worse{missing}. `./run peers --page
docs/beside-other-tools.md` runs all of them, checks every answer, and writes this page. Measured on {date}, {machine}, with {customers} customers, {products} products and {orders} orders.

A task is *better* if no other tool here does it, if Quire needs fewer commands, or if the same number of commands has at most four fifths
of the characters. It is *equal* if the characters differ by less than a fifth, and *worse* otherwise. A program in a pipe is a command, and the text that
a person types in an editor counts. Times are the median of {repeats} runs, and include the start of a program. A tool that fails, or gives another answer than the
script expects, has a *wrong answer*. The script `Tests/peers/tasks.py` contains the commands and the checks.

| # | Task | Quire: commands, characters, seconds | Other tool: commands, characters, seconds | Verdict |
|---:|---|---|---|---|
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--page")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--orders", type=int, default=200_000)
    options = parser.parse_args()
    only = {int(one) for one in options.only.split(",") if one}
    data = Data(orders=options.orders)
    runner = Runner(options.tool, options.repeats)
    rows, verdicts = [], []
    try:
        runner.prepare(data)
        for number, task in enumerate(tasks(data), 1):
            if only and number not in only:
                continue
            missing = [program for program in task.uses if not runner.has(program)]
            quire, reason = runner.side(task.quire, task.set_up, task.check, task.codes, task.editor)
            if reason:
                print(f"{number} quire: {reason}", file=sys.stderr)
            peer = None
            if task.peer and not missing:
                peer, reason = runner.side(task.peer, task.peer_set_up, task.peer_check, task.codes, None)
                if reason:
                    print(f"{number} {task.peer_name}: {reason}", file=sys.stderr)
            mine = (count(task.quire), sum(map(len, task.quire)) + len(task.typed))
            theirs = (count(task.peer), sum(map(len, task.peer)))
            found = verdict(quire, peer, mine, theirs)
            if missing and quire is not None:
                found = "missing"
            verdicts.append(found)
            ours = f"{mine[0]}, {mine[1]}, {quire:.2f}" if quire is not None else "cannot"
            other = (
                f"{', '.join(missing)}: not installed" if missing
                else f"{task.peer_name}: {theirs[0]}, {theirs[1]}, {peer:.2f}" if peer is not None
                else f"{task.peer_name}: wrong answer" if task.peer else "none")
            rows.append(f"| {number} | {task.title} | {ours} | {other} | {found} |")
            print(rows[-1], flush=True)
    finally:
        shutil.rmtree(runner.root, ignore_errors=True)
    tally = {word: verdicts.count(word) for word in ("better", "equal", "worse", "missing")}
    print(", ".join(f"{number} {word}" for word, number in tally.items() if number))
    if options.page:
        head = PAGE_HEAD.format(
            count=tally["better"] + tally["equal"], better=tally["better"], equal=tally["equal"], worse=tally["worse"],
            missing=f", {tally['missing']} without the other tool" if tally["missing"] else "",
            date=datetime.date.today().isoformat(), machine=f"{os.cpu_count()} cores of {platform.machine()}",
            customers=len(data.customers), products=len(data.products), orders=len(data.orders), repeats=options.repeats)
        with open(options.page, "w") as file:
            file.write(head + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
