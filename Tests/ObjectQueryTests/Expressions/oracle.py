#!/usr/bin/env python3
"""Writes expressions.table: predicates over the objects of Support/World.swift, and which they hold for.

    python3 oracle.py > expressions.table

A second opinion: each case gives the text of a predicate and, beside it, the same condition as a
Python function of an object. Nothing here reads predicates, and nothing is shared with the Swift code.
Where the language of NSPredicate and Python differ, the rule is spelled out in a helper below.
"""
import datetime
import decimal
import math
import re
import sys
import unicodedata
import zoneinfo
from decimal import Decimal as D


class Object(dict):
    def __getattr__(self, name):
        return self.get(name)


cities = {31: Object(id=31, name="Ålesund", population=67000),
          32: Object(id=32, name="Berlin", population=3700000)}
people = {21: Object(id=21, name="Grace", age=30, city=cities[31]),
          22: Object(id=22, name="Kurt", age=41, city=cities[32]),
          23: Object(id=23, name="Émilie"),
          24: Object(id=24, name="grace", age=30, city=cities[31]),
          25: Object(id=25, name="Nobody", age=99, city=cities[32])}
T = {n: bytes([n] + [0] * 14 + [n]) for n in (1, 2, 3, 4)}
samples = [
    Object(id=1, flag=True, small=-3, medium=0, large=10, real=1.5, ratio=0.5, money=D("19.99"), name="Ada",
           link="https://example.com/x", when=0.0, token=T[1], bytes=b"\1\2", owner=people[21]),
    Object(id=2, flag=False, small=0, medium=7, large=-10, real=-2.25, ratio=1.25, money=D(5), name="ada",
           link="https://example.com/y", when=791553600.0, token=T[2], bytes=b"", owner=people[21]),
    Object(id=3, flag=True, small=3, medium=7, large=9007199254740993, real=1e10, ratio=-0.5,
           money=D("-0.5"), name="Émile", when=816912000.0, token=T[3], bytes=b"\1\2", owner=people[22]),
    Object(id=4),
    Object(id=5, flag=False, small=32767, medium=-1, large=2**63 - 1, real=0.0, ratio=100.0,
           money=D(1000000), name="", link="", when=-978307200.0, token=T[1], bytes=b"\xff", owner=people[23]),
    Object(id=6, flag=True, small=-32768, medium=2147483647, large=-2**63, real=-0.0, ratio=0.25,
           money=D("0.1"), name="Zoë Smith", link="https://example.com/X", owner=people[22]),
    Object(id=7, flag=False, small=100, large=42, real=3.14159, money=D(42), name="smith", when=86400.0,
           token=T[4], owner=people[24], grade="A"),
    Object(id=8, small=3, medium=42, large=42, real=42.0, ratio=42.0, name="a*b?c\\d", when=0.5,
           owner=people[24]),
]
for person in people.values():
    person["samples"] = [s for s in samples if s.owner is person]
for city in cities.values():
    city["people"] = [p for p in people.values() if p.city is city]

lines = []
entities = {"Sample": samples, "Person": list(people.values()), "City": list(cities.values())}


def case(text, condition, entity="Sample"):
    found = [o.id for o in entities[entity] if condition(o)]
    assert "\t" not in text
    lines.append(f"{entity}\t{text}\t{' '.join(map(str, found))}")


# --- Rules ---------------------------------------------------------------------------------------

def exact(a):
    """Whole and binary numbers are compared exactly; Decimal does that for both."""
    return D(a) if isinstance(a, (int, float, bool)) else a


COMPARE = {
    "==": lambda a, b: a == b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "=<": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "=>": lambda a, b: a >= b,
}


def compare(op, a, b):
    """A comparison with nothing is false, != included."""
    if a is None or b is None:
        return False
    return COMPARE[op](a, b)


def number(op, a, b):
    if a is None or b is None:
        return False
    # A decimal number and a binary one are compared as binary numbers.
    if isinstance(a, D) and isinstance(b, float):
        a = float(a)
    if isinstance(b, D) and isinstance(a, float):
        b = float(b)
    return COMPARE[op](exact(a), exact(b))


def fold(text, options):
    if "c" in options:
        text = text.casefold()
    if "d" in options:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text


def glob(text, pattern):
    expression, place = "", 0
    while place < len(pattern):
        c = pattern[place]
        if c == "\\" and place + 1 < len(pattern):
            place += 1
            expression += re.escape(pattern[place])
        else:
            expression += {"*": ".*", "?": "."}.get(c, re.escape(c))
        place += 1
    return re.fullmatch(expression, text, re.S) is not None


TEXT = {
    "BEGINSWITH": lambda a, b: a.startswith(b), "ENDSWITH": lambda a, b: a.endswith(b),
    "CONTAINS": lambda a, b: b in a, "LIKE": glob,
    **{op: (lambda a, b, op=op: COMPARE[op](a.encode(), b.encode())) for op in COMPARE},
}


def text(op, a, b, options=""):
    if a is None or b is None:
        return False
    if op == "MATCHES":
        flags = re.I if "c" in options else 0
        if "d" in options:
            a, b = fold(a, "d"), fold(b, "d")
        return re.fullmatch(b, a, flags) is not None
    return TEXT[op](fold(a, options), fold(b, options))


# --- Numbers -------------------------------------------------------------------------------------

numbers = {
    "small": [("3", 3), ("-32768", -32768), ("2.5", 2.5), ("40000", 40000)],
    "medium": [("7", 7), ("-0.5", -0.5), ("2147483648", 2147483648)],
    "large": [("42", 42), ("9007199254740992", 9007199254740992), ("9007199254740992.0", 9007199254740992.0),
              ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -2**63), ("1e300", 1e300)],
    "real": [("0", 0), ("1.5", 1.5), ("-2.25", -2.25), ("3", 3)],
    "ratio": [("0.5", 0.5), ("42", 42)],
    "money": [("5", 5), ("0.1", 0.1), ("CAST('0.1', 'NSDecimalNumber')", D("0.1"))],
}
for name, literals in numbers.items():
    for literal, value in literals:
        for op in ["==", "!=", "<", "<=", ">", ">="]:
            case(f"{name} {op} {literal}", lambda o: number(op, o.get(name), value))
    literal, value = literals[0]
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    for op in ["=", "<>", "=<", "=>", "<", ">"]:
        back = {"=": "==", "<>": "!=", "=<": ">=", "=>": "<=", "<": ">", ">": "<"}[op]
        case(f"{literal} {op} {name}", lambda o: number(back, o.get(name), value))
    case(f"{name} == nil", lambda o: o.get(name) is None)
    case(f"{name} != NULL", lambda o: o.get(name) is not None)
    case(f"NULL == {name}", lambda o: o.get(name) is None)
    case(f"NOT {name} == {literal}", lambda o: not number("==", o.get(name), value))
for name, low, high in [("small", 0, 100), ("medium", -1, 7), ("large", -10, 42), ("real", -1.5, 3.2),
                        ("ratio", 0.25, 1.25), ("money", 0, 42), ("small", 5, 1), ("small", 2.5, 3.5)]:
    case(f"{name} BETWEEN {{{low}, {high}}}",
         lambda o: number(">=", o.get(name), low) and number("<=", o.get(name), high))
for name, values in [("small", [3, 100, 5]), ("medium", [7.0, 0.5]), ("large", [42, 10]), ("real", [1.5, 42]),
                     ("ratio", [0.5]), ("money", [5, 42]), ("small", [])]:
    case(f"{name} IN {{{', '.join(map(str, values))}}}", lambda o: any(number("==", o.get(name), v) for v in values))
    case(f"NOT {name} IN {{{', '.join(map(str, values))}}}",
         lambda o: not any(number("==", o.get(name), v) for v in values))
case("small IN {3, NULL}", lambda o: o.small == 3)
case("small == medium", lambda o: number("==", o.small, o.medium))
case("small < medium", lambda o: number("<", o.small, o.medium))
case("large >= small", lambda o: number(">=", o.large, o.small))
case("medium != small", lambda o: number("!=", o.medium, o.small))
case("real == ratio", lambda o: number("==", o.real, o.ratio))
case("real > small", lambda o: number(">", o.real, o.small))
case("small <= real", lambda o: number("<=", o.small, o.real))
case("money > real", lambda o: number(">", o.money, o.real))
case("flag < small", lambda o: number("<", o.flag, o.small))

# --- Booleans ------------------------------------------------------------------------------------

for literal, value in [("YES", 1), ("NO", 0), ("TRUE", 1), ("false", 0), ("1", 1), ("0", 0), ("0.5", 0.5)]:
    for op in ["==", "!="]:
        case(f"flag {op} {literal}", lambda o: number(op, o.flag, value))
case("flag > NO", lambda o: number(">", o.flag, 0))
case("flag == nil", lambda o: o.flag is None)
case("flag IN {YES, NULL}", lambda o: o.flag is True)

# --- Text ----------------------------------------------------------------------------------------

patterns = {
    "==": ["Ada", "ADA", "emile", "zoe smith", ""], "!=": ["Ada", "ÉMILE"], "<": ["ada", "b"],
    "<=": ["Ada", "smith"], ">": ["Z", "a"], ">=": ["smith", "Émile"],
    "BEGINSWITH": ["a", "Zo", "zoe", "é", ""], "ENDSWITH": ["a", "Smith", "MILE", "\\\\d", ""],
    "CONTAINS": ["d", "smi", "SMITH", "oë", "oe", "*", ""],
    "LIKE": ["?da", "a*", "*smith", "*", "", "a\\*b\\?c*", "?mile", "Zo? Smith"],
    "MATCHES": ["[Aa]da", "a.*", ".*smith", "", "ada|smith", "Emile"],
}
for op, literals in patterns.items():
    for options in ["", "c", "d", "cd"]:
        for literal in literals:
            value = literal.replace("\\\\", "\\")
            bracket = f"[{options}]" if options else ""
            case(f"name {op}{bracket} \"{literal}\"", lambda o: text(op, o.name, value, options))
for op in ["BEGINSWITH", "CONTAINS", "=="]:
    for options in ["", "c"]:
        bracket = f"[{options}]" if options else ""
        case(f"link {op}{bracket} 'https://example.com/x'", lambda o: text(op, o.link, "https://example.com/x", options))
case("name ==[n] 'Ada'", lambda o: o.name == "Ada")
case("name CONTAINS [ DC] 'E'" .replace("[ DC]", "[DC]"), lambda o: text("CONTAINS", o.name, "E", "cd"))
case("name contains[c] 'SMITH'", lambda o: text("CONTAINS", o.name, "SMITH", "c"))
case("'smith' == name", lambda o: o.name == "smith")
case("'a' < name", lambda o: text(">", o.name, "a"))
case("'Ada and smith' CONTAINS name", lambda o: o.name is not None and o.name in "Ada and smith")
case("'smithy' BEGINSWITH name", lambda o: o.name is not None and "smithy".startswith(o.name))
case("name IN {'Ada', 'smith'}", lambda o: o.name in ("Ada", "smith"))
case("name IN[c] {'ADA', 'smith'}", lambda o: o.name is not None and o.name.casefold() in ("ada", "smith"))
case("name IN 'Ada smith'", lambda o: o.name is not None and o.name in "Ada smith")
case("NOT name IN {'Ada'}", lambda o: o.name != "Ada")
case("name BETWEEN {'A', 'a'}", lambda o: o.name is not None and "A" <= o.name <= "a")
case("name == nil", lambda o: o.name is None)
case("name != nil", lambda o: o.name is not None)
case("name == ''", lambda o: o.name == "")
case("name == \"\\u00c9mile\"", lambda o: o.name == "Émile")
case("name == 'a*b?c\\\\d'", lambda o: o.name == "a*b?c\\d")
case("name LIKE 'a\\*b\\?c\\\\\\\\d'", lambda o: o.name == "a*b?c\\d")

# --- Dates, UUIDs, bytes -------------------------------------------------------------------------

for literal, value in [("CAST(0, 'NSDate')", 0), ("'2026-01-31T12:00:00Z'", 791553600), ("'2001-01-02'", 86400),
                       ("now()", 816912000)]:
    for op in ["==", "!=", "<", "<=", ">", ">="]:
        case(f"when {op} {literal}", lambda o: compare(op, o.when, value))
case("when == nil", lambda o: o.when is None)
case("when BETWEEN {'2001-01-01', '2001-01-02'}", lambda o: o.when is not None and 0 <= o.when <= 86400)
case("when + 86400 > CAST(86400, 'NSDate')", lambda o: o.when is not None and o.when + 86400 > 86400)
case("when - CAST(0, 'NSDate') == 0.5", lambda o: o.when == 0.5)
case("now() - when > 800000000", lambda o: o.when is not None and 816912000 - o.when > 800000000)
case("when IN {CAST(0, 'NSDate'), '2001-01-02'}", lambda o: o.when in (0, 86400))
U = "01000000-0000-0000-0000-000000000001"
case(f"token == '{U}'", lambda o: o.token == T[1])
case(f"token != '{U}'", lambda o: o.token not in (None, T[1]))
case(f"token > '{U}'", lambda o: o.token is not None and o.token > T[1])
case(f"token IN {{'{U}', CAST('{U.replace('1', '4')}', 'NSUUID')}}", lambda o: o.token in (T[1], T[4]))
case("token == nil", lambda o: o.token is None)
case("bytes == CAST('AQI=', 'NSData')", lambda o: o.bytes == b"\1\2")
case("bytes != CAST('AQI=', 'NSData')", lambda o: o.bytes not in (None, b"\1\2"))
case("bytes == nil", lambda o: o.bytes is None)
case("length(bytes) == 1", lambda o: o.bytes is not None and len(o.bytes) == 1)

# --- Logic ---------------------------------------------------------------------------------------

A, B, C = (lambda o: o.flag is True), (lambda o: number(">", o.small, 0)), (lambda o: o.name == "ada")
a, b, c = "flag == YES", "small > 0", "name == 'ada'"
case(f"{a} AND {b}", lambda o: A(o) and B(o))
case(f"{a} && {b}", lambda o: A(o) and B(o))
case(f"{a} or {b}", lambda o: A(o) or B(o))
case(f"{a} || {b}", lambda o: A(o) or B(o))
case(f"{a} OR {b} AND {c}", lambda o: A(o) or (B(o) and C(o)))
case(f"{a} AND {b} OR {c}", lambda o: (A(o) and B(o)) or C(o))
case(f"({a} OR {b}) AND {c}", lambda o: (A(o) or B(o)) and C(o))
case(f"NOT {a} AND {b}", lambda o: not A(o) and B(o))
case(f"NOT ({a} AND {b})", lambda o: not (A(o) and B(o)))
case(f"!{a} OR {c}", lambda o: not A(o) or C(o))
case(f"NOT NOT {a}", A)
case(f"!!({b})", B)
case(f"(({a}))", A)
case("TRUEPREDICATE", lambda o: True)
case("FALSEPREDICATE", lambda o: False)
case(f"TRUEPREDICATE AND {a}", A)
case(f"FALSEPREDICATE OR {b}", B)
case(f"NOT FALSEPREDICATE AND {c}", C)
case("AND()", lambda o: True)
case("OR()", lambda o: False)
case(f"AND({a})", A)
case("1 == 1", lambda o: True)
case("1 > 2 OR 'a' == 'b'", lambda o: False)
case("nil == nil", lambda o: True)
case(f"{a} AND {a} AND {b} AND TRUEPREDICATE", lambda o: A(o) and B(o))
case(f"{c} OR {b} OR {a}", lambda o: A(o) or B(o) or C(o))
case("not (SMALL == 0)".replace("SMALL", "small"), lambda o: o.small != 0)

# --- Arithmetic ----------------------------------------------------------------------------------


def calc(f, *names):
    def condition(o):
        values = [o.get(n) for n in names]
        return None not in values and bool(f(*values))
    return condition


def cut(x, y):
    """Whole numbers are divided into whole numbers, towards zero; nothing comes of a division by 0."""
    return None if y == 0 else int(math.trunc(D(x) / D(y)))


case("small + 1 == 4", calc(lambda s: s + 1 == 4, "small"))
case("small - 1 < 0", calc(lambda s: s - 1 < 0, "small"))
case("small * 2 > 6", calc(lambda s: s * 2 > 6, "small"))
case("small / 2 == 1", calc(lambda s: cut(s, 2) == 1, "small"))
case("small / 2.0 == 1.5", calc(lambda s: s / 2.0 == 1.5, "small"))
case("small ** 2 == 9", calc(lambda s: s ** 2 == 9, "small"))
case("2 ** 3 ** 2 == 512", lambda o: True)
case("(2 ** 3) ** 2 == 64", lambda o: True)
case("2 + 3 * 4 == 14", lambda o: True)
case("(2 + 3) * 4 == 20", lambda o: True)
case("10 - 3 - 2 == 5", lambda o: True)
case("100 / 10 / 2 == 5", lambda o: True)
case("7 / 2 == 3", lambda o: True)
case("-7 / 2 == -3", lambda o: True)
case("7.0 / 2 == 3.5", lambda o: True)
case("small / medium == 0", calc(lambda s, m: cut(s, m) == 0, "small", "medium"))
case("small == 10 / medium", calc(lambda s, m: s == cut(10, m), "small", "medium"))
case("NOT small == 10 / medium", lambda o: None in (o.small, o.medium) or o.small != cut(10, o.medium))
case("small / medium == nil", lambda o: None in (o.small, o.medium) or cut(o.small, o.medium) is None)
case("-small == 3", calc(lambda s: -s == 3, "small"))
case("- small == -100", calc(lambda s: -s == -100, "small"))
case("-(small + 1) == 2", calc(lambda s: -(s + 1) == 2, "small"))
case("small + medium == 10", calc(lambda s, m: s + m == 10, "small", "medium"))
case("small + medium > large", calc(lambda s, m, l: s + m > l, "small", "medium", "large"))
case("large + 1 > large", calc(lambda l: True, "large"))
case("large - 1 < 0", calc(lambda l: l - 1 < 0, "large"))
case("real * 2 == 3", calc(lambda r: r * 2 == 3, "real"))
case("money * 2 == 10", calc(lambda m: m * 2 == 10, "money"))
case("money + small == 142", calc(lambda m, s: m + s == 142, "money", "small"))
case("0x10 + 0b11 + 0o7 == 26", lambda o: True)
case("1e2 == 100", lambda o: True)
case("1.5E1 == 15", lambda o: True)
case(".5 == 0.5", lambda o: True)
case("small == 3 - 0", calc(lambda s: s == 3, "small"))
case("add:to:(small, 1) == 4", calc(lambda s: s + 1 == 4, "small"))
case("from:subtract:(small, 1) == 2", calc(lambda s: s - 1 == 2, "small"))
case("multiply:by:(small, 2) == 6", calc(lambda s: s * 2 == 6, "small"))
case("divide:by:(small, 2) == 1", calc(lambda s: cut(s, 2) == 1, "small"))
case("modulus:by:(small, 2) == 1", calc(lambda s: math.fmod(s, 2) == 1, "small"))
case("raise:toPower:(small, 2) == 9", calc(lambda s: s ** 2 == 9, "small"))
case("modulus:by:(small, 0) == 0", lambda o: False)

# --- Functions -----------------------------------------------------------------------------------

case("abs(small) == 3", calc(lambda s: abs(s) == 3, "small"))
case("abs:(real) > 2", calc(lambda r: abs(r) > 2, "real"))
case("floor(real) == 1", calc(lambda r: math.floor(r) == 1, "real"))
case("ceiling(real) == -2", calc(lambda r: math.ceil(r) == -2, "real"))
case("trunc(real) == -2", calc(lambda r: math.trunc(r) == -2, "real"))
case("floor(real) == -3", calc(lambda r: math.floor(r) == -3, "real"))
case("sqrt(ratio) == 10", calc(lambda r: r >= 0 and math.sqrt(r) == 10, "ratio"))
case("log(ratio) == 2", calc(lambda r: r > 0 and math.log10(r) == 2, "ratio"))
case("ln(1) == 0", lambda o: True)
case("exp(0) == 1", lambda o: True)
case("sqrt(-1) == 0", lambda o: False)
case("bitwiseAnd:with:(small, 1) == 1", calc(lambda s: s & 1 == 1, "small"))
case("bitwiseOr:with:(small, 1) == 101", calc(lambda s: s | 1 == 101, "small"))
case("bitwiseXor:with:(small, 3) == 0", calc(lambda s: s ^ 3 == 0, "small"))
case("leftshift:by:(small, 1) == 6", calc(lambda s: s << 1 == 6, "small"))
case("rightshift:by:(small, 1) == 1", calc(lambda s: s >> 1 == 1, "small"))
case("onesComplement:(small) == 2", calc(lambda s: ~s == 2, "small"))
case("uppercase(name) == 'ADA'", calc(lambda n: n.upper() == "ADA", "name"))
case("lowercase:(name) == 'ada'", calc(lambda n: n.lower() == "ada", "name"))
case("canonical(name) == 'emile'", calc(lambda n: fold(n, "cd") == "emile", "name"))
case("length(name) == 5", calc(lambda n: len(n) == 5, "name"))
case("length:(name) > 5", calc(lambda n: len(n) > 5, "name"))
case("sum({1, 2, 3}) == 6", lambda o: True)
case("sum(1, 2, 3) == 6", lambda o: True)
case("sum({small, medium}) == 10", calc(lambda s, m: s + m == 10, "small", "medium"))
case("average({1, 2}) == 1.5", lambda o: True)
case("max({small, medium}) == 7", lambda o: max([v for v in (o.small, o.medium) if v is not None], default=None) == 7)
case("min(small, 0) == 0", lambda o: min([v for v in (o.small, 0) if v is not None]) == 0)
case("median({3, 1, 2}) == 2", lambda o: True)
case("median({1, 2, 3, 4}) == 2.5", lambda o: True)
case("mode({1, 2, 2, 3})[FIRST] == 2", lambda o: True)
case("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", lambda o: True)
case("count({1, 2, 3}) == 3", lambda o: True)
case("sum({}) == 0", lambda o: True)
case("distinct({1, 1, 2})[SIZE] == 2", lambda o: True)
case("random() < 1", lambda o: True)
case("randomn(5) < 5", lambda o: True)
case("noindex(small) == 3", calc(lambda s: s == 3, "small"))
case("now() == '2026-11-21'", lambda o: True)
case("TERNARY(small > 0, 1, 2) == 1", lambda o: number(">", o.small, 0))
case("TERNARY(flag == YES, name, 'x') == 'x'", lambda o: o.flag is not True)
case("FUNCTION(name, 'uppercaseString') == 'SMITH'", calc(lambda n: n.upper() == "SMITH", "name"))
case("FUNCTION(name, 'length') == 3", calc(lambda n: len(n) == 3, "name"))
case("FUNCTION(name, 'substringFromIndex:', 1) == 'da'", calc(lambda n: len(n) >= 1 and n[1:] == "da", "name"))
case("FUNCTION(name, 'stringByAppendingString:', '!') == 'Ada!'", calc(lambda n: n == "Ada", "name"))
case("FUNCTION('12', 'intValue') == 12", lambda o: True)
case("FUNCTION(when, 'timeIntervalSinceReferenceDate') == 0.5", lambda o: o.when == 0.5)
case("CAST(small, 'NSString') == '3'", calc(lambda s: str(s) == "3", "small"))
case("CAST('3', 'NSNumber') == small", calc(lambda s: s == 3, "small"))
case("CAST(name, 'NSNumber') == 3", lambda o: False)

# --- Parts of dates, rounding, changes of texts --------------------------------------------------

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


def moment(o, zone="UTC"):
    """The date of an object, as a clock of the zone shows it."""
    if o.when is None:
        return None
    utc = EPOCH + datetime.timedelta(seconds=math.floor(o.when))
    if zone[0] in "+-":
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        offset = datetime.timedelta(hours=hours, minutes=minutes)
        return utc.astimezone(datetime.timezone(-offset if zone[0] == "-" else offset))
    return utc.astimezone(zoneinfo.ZoneInfo(zone))


PARTS = {
    "YEAR": lambda t: t.year, "QUARTER": lambda t: (t.month + 2) // 3, "MONTH": lambda t: t.month,
    "WEEK": lambda t: t.isocalendar()[1], "DAY": lambda t: t.day, "WEEKDAY": lambda t: t.isoweekday(),
    "HOUR": lambda t: t.hour, "MINUTE": lambda t: t.minute, "SECOND": lambda t: t.second,
}
ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "-05:30", "+1400"]
for part, value in PARTS.items():
    found = sorted({value(moment(o)) for o in samples if o.when is not None})
    for number_ in found:
        case(f"{part}(when) == {number_}", lambda o: o.when is not None and value(moment(o)) == number_)
    case(f"{part}(when) != {found[0]}", lambda o: o.when is not None and value(moment(o)) != found[0])
    case(f"{part}(when) > {found[0]}", lambda o: o.when is not None and value(moment(o)) > found[0])
    case(f"{part}(when) == nil", lambda o: o.when is None)
    for zone in ZONES:
        for number_ in sorted({value(moment(o, zone)) for o in samples if o.when is not None}):
            case(f"{part.lower()}(when, '{zone}') == {number_}",
                 lambda o: o.when is not None and value(moment(o, zone)) == number_)


def start(t, unit):
    """The start of a unit of the calendar. No zone of the cases skips or repeats midnight."""
    zone = t.tzinfo
    t = t.replace(microsecond=0)
    if unit in ("year", "quarter", "month", "week", "day"):
        t = t.replace(hour=0, minute=0, second=0)
    if unit == "year":
        t = t.replace(month=1, day=1)
    elif unit == "quarter":
        t = t.replace(month=(t.month - 1) // 3 * 3 + 1, day=1)
    elif unit == "month":
        t = t.replace(day=1)
    elif unit == "week":
        t = t - datetime.timedelta(days=t.weekday())
    elif unit == "hour":
        t = t.replace(minute=0, second=0)
    elif unit == "minute":
        t = t.replace(second=0)
    return (t.replace(tzinfo=zone).astimezone(datetime.timezone.utc) - EPOCH).total_seconds()


for unit in ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]:
    for zone in ["UTC", "Europe/Berlin", "-05:30"]:
        argument = "" if zone == "UTC" else f", '{zone}'"
        for found in sorted({start(moment(o, zone), unit) for o in samples if o.when is not None}):
            case(f"TRUNC(when, '{unit}'{argument}) == CAST({int(found)}, 'NSDate')",
                 lambda o: o.when is not None and start(moment(o, zone), unit) == found)
    case(f"TRUNC(when, '{unit.upper()}') == when", lambda o: o.when is not None and start(moment(o), unit) == o.when)
    case(f"TRUNC(when, '{unit}') <= when", lambda o: o.when is not None)
case("when > now() - 30d", lambda o: o.when is not None and o.when > 816912000 - 30 * 86400)
case("when + 1d == CAST(172800, 'NSDate')", lambda o: o.when == 86400)
case("now() - when < 2w", lambda o: o.when is not None and 816912000 - o.when < 14 * 86400)
case("when - 12h < '2001-01-01T12:00:00Z'", lambda o: o.when is not None and o.when - 43200 < 43200)
case("1d + 2h + 3m + 4s == 93784", lambda o: True)
case("1.5h == 5400 AND 1w == 7d AND 2min == 120s", lambda o: True)
case("YEAR(when) == YEAR(now())", lambda o: o.when is not None and moment(o).year == 2026)


def rounded(value, places=0):
    """A floating-point number is rounded as the shortest decimal number that stands for it."""
    if value is None:
        return None
    exact = D(repr(value)) if isinstance(value, float) else D(value)
    with decimal.localcontext() as context:
        context.prec = 400
        result = exact.quantize(D(1).scaleb(-places), rounding=decimal.ROUND_HALF_UP)
    return float(result) if isinstance(value, float) else result


for name in ["small", "large", "real", "ratio", "money"]:
    for places in [0, 1, 2, -1, -2]:
        for found in sorted({rounded(o.get(name), places) for o in samples if o.get(name) is not None}):
            if abs(found) >= 2 ** 63:
                continue
            text_ = f"{found:f}" if isinstance(found, D) and name == "money" else repr(float(found))
            value_ = found
            if name in ("small", "large"):
                text_, value_ = str(int(found)), int(found)
            elif name == "money":
                text_ = f"CAST('{found:f}', 'NSDecimalNumber')"
            call = f"ROUND({name})" if places == 0 else f"ROUND({name}, {places})"
            case(f"{call} == {text_}", lambda o: rounded(o.get(name), places) == value_)
case("ROUND(2.675, 2) == 2.68 AND ROUND(-2.5) == -3 AND ROUND(2.5) == 3", lambda o: True)
case("ROUND(0.5) == 1 AND ROUND(1.005, 2) == 1.01 AND ROUND(-0.4) == 0", lambda o: True)
case("ROUND(1e300, 2) == 1e300 AND ROUND(123456, -7) == 0 AND ROUND(5e-324, 2) == 0", lambda o: True)
case("ROUND(9223372036854775807, -1) == 9223372036854775810.0", lambda o: True)

SPACE = "".join(chr(c) for c in [9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029,
                                 0x202F, 0x205F, 0x3000])
for name in ["Ada", "Émile", "Zoë Smith", ""]:
    case(f"TRIM(' \\t' + name + '\\u3000 ') == '{name}'", lambda o: o.name == name)
    case(f"UPPER(name) == '{name.upper()}'", lambda o: o.name is not None and o.name.upper() == name.upper())
    case(f"LOWER(name) == '{name.lower()}'", lambda o: o.name is not None and o.name.lower() == name.lower())
    case(f"REPLACE(name, 'a', '') == '{name.replace('a', '')}'",
         lambda o: o.name is not None and o.name.replace("a", "") == name.replace("a", ""))
    case(f"REPLACE(name, 'm', '<>') == '{name.replace('m', '<>')}'",
         lambda o: o.name is not None and o.name.replace("m", "<>") == name.replace("m", "<>"))
    case(f"CONCAT(name, '-', small) == '{name}-3'", lambda o: o.name == name and o.small == 3)
    case(f"CONCAT(name, '|', name) == '{name}|{name}'", lambda o: o.name == name)
    for start_, count_ in [(1, 3), (2, 1), (0, 2), (-1, 3), (2, 0), (4, 100), (100, 1)]:
        def cut_(text):
            return "".join(c for i, c in enumerate(text, 1) if start_ <= i < start_ + count_)
        case(f"SUBSTRING(name, {start_}, {count_}) == '{cut_(name)}'",
             lambda o: o.name is not None and cut_(o.name) == cut_(name))
    case(f"SUBSTRING(name, 2) == '{name[1:]}'", lambda o: o.name is not None and o.name[1:] == name[1:])
case("SUBSTRING(name, 1, -1) == nil", lambda o: True)
case("TRIM(name) == name", lambda o: o.name is not None and o.name.strip(SPACE) == o.name)
case("REPLACE(name, '', 'x') == name", lambda o: o.name is not None)
case("LEN(name) == 3", calc(lambda n: len(n) == 3, "name"))
case("COALESCE(small, 7) == 7", lambda o: o.small is None)
case("COALESCE(small, medium, 0) == 3", lambda o: o.small == 3)
case("COALESCE(name, link, 'none') == 'none'", lambda o: o.name is None and o.link is None)
case("COALESCE(when, CAST(5, 'NSDate')) == CAST(5, 'NSDate')", lambda o: o.when is None)
case("COALESCE(NULL, small) == 3", lambda o: o.small == 3)
case("IFNULL(owner.city.name, 'nowhere') == 'nowhere'",
     lambda o: o.owner is None or o.owner.city is None)

# --- Collections ---------------------------------------------------------------------------------

case("small IN {1, 2, 3} UNION {100}", calc(lambda s: s in (1, 2, 3, 100), "small"))
case("small IN {3, 100} INTERSECT {100, 0}", calc(lambda s: s == 100, "small"))
case("small IN {3, 100} MINUS {100}", calc(lambda s: s == 3, "small"))
case("{1, 2, 3} CONTAINS small", calc(lambda s: s in (1, 2, 3), "small"))
case("{small, medium}[FIRST] == 3", lambda o: o.small == 3)
case("{small, medium}[LAST] == 7", lambda o: o.medium == 7)
case("{1, 2}[SIZE] == 2", lambda o: True)
case("{10, 20, 30}[1] == 20", lambda o: True)
case("{small, medium}[5] == nil", lambda o: True)
case("small == {medium, 1}[2]", lambda o: False)
case("small & 1 == 1", calc(lambda s: s & 1 == 1, "small"))
case("small | 4 == 7", calc(lambda s: s | 4 == 7, "small"))
case("small ^ 1 == 2", calc(lambda s: s ^ 1 == 2, "small"))
case("small << 2 == 12", calc(lambda s: s << 2 == 12, "small"))
case("small >> 1 == -2", calc(lambda s: s >> 1 == -2, "small"))
case("1 == small & 1", calc(lambda s: s & 1 == 1, "small"))
case("small & medium != 0", calc(lambda s, m: s & m != 0, "small", "medium"))
case("small & 1 << 1 == 2", calc(lambda s: s & (1 << 1) == 2, "small"))
case("small & 1 + 1 == 2", calc(lambda s: s & 2 == 2, "small"))
case("1 | 2 ^ 3 & 6 == 1", lambda o: (1 | (2 ^ (3 & 6))) == 1)
case("1 | 2 ^ 3 & 6 == 0", lambda o: (1 | (2 ^ (3 & 6))) == 0)
case("1 << 2 << 1 == 8", lambda o: True)
case("64 >> 2 + 1 == 8", lambda o: True)
case("(small & 1) * 2 == 2", calc(lambda s: (s & 1) * 2 == 2, "small"))
case("flag & 1 == 1", lambda o: o.flag is True)
case("small & 3 IN {1, 2}", calc(lambda s: s & 3 in (1, 2), "small"))
case("small NOT IN {3, 100}", lambda o: o.small not in (3, 100))
case("small not in {3, 100}", lambda o: o.small not in (3, 100))
case("NOT small NOT IN {3, 100}", lambda o: o.small in (3, 100))
case("small NOT BETWEEN {0, 100}", lambda o: o.small is None or not 0 <= o.small <= 100)
case("name NOT BEGINSWITH[c] 'a'", lambda o: o.name is None or not o.name.lower().startswith("a"))
case("name NOT CONTAINS 'd' AND small > 0", lambda o: o.small is not None and o.small > 0 and "d" not in o.name)
case("name NOT LIKE 'a*'", lambda o: o.name is None or not o.name.startswith("a"))
case("name NOT MATCHES '[Aa]da'", lambda o: o.name not in ("Ada", "ada"))
case("{1, 2, 3}.@sum == 6", lambda o: True)
case("{1, 2, 3}.@max == 3", lambda o: True)
case("{1, 2} == {1, 2}", lambda o: True)
case("ANY {1, 2, 3} == small", calc(lambda s: s in (1, 2, 3), "small"))
case("ALL {3, 100} <= small", calc(lambda s: s >= 100, "small"))
case("NONE {1, 2, 3} == small", lambda o: o.small not in (1, 2, 3))
case("ANY {} == small", lambda o: False)
case("ALL {} == small", lambda o: True)
case("NONE {} == small", lambda o: True)

# --- Relationships -------------------------------------------------------------------------------


def owner(f):
    return lambda o: o.owner is not None and f(o.owner)


case("ANY owner.samples.small > 3", owner(lambda p: any(number(">", s.small, 3) for s in p.samples)))
case("ALL owner.samples.small > 0",
     lambda o: o.owner is None or all(number(">", s.small, 0) for s in o.owner.samples))
case("NONE owner.samples.small > 3",
     lambda o: o.owner is None or not any(number(">", s.small, 3) for s in o.owner.samples))
case("ANY owner.city.people.age > 40", lambda o: o.owner is not None and o.owner.city is cities[32])
case("ALL owner.city.people.age >= 41",
     lambda o: o.owner is None or o.owner.city is None or o.owner.city is cities[32])
case("owner.samples.@max.small > 3", owner(lambda p: max(s.small for s in p.samples) > 3))
case("owner.samples.@min.small == nil", lambda o: o.owner is None)
case("count(owner.samples) == 0", lambda o: o.owner is None)
case("sum(owner.samples.small) >= 0", lambda o: o.owner is None or sum(s.small for s in o.owner.samples) >= 0)
case("sum(owner.samples.small) == nil", lambda o: False)
case("min(owner.samples.small) == nil", lambda o: o.owner is None)
case("average(owner.samples.small) < 0", owner(lambda p: sum(s.small for s in p.samples) < 0))
case("max(owner.samples.small) > 3", owner(lambda p: max(s.small for s in p.samples) > 3))
case("ANY owner.samples.small > medium",
     lambda o: None not in (o.owner, o.medium) and any(s.small > o.medium for s in o.owner.samples))
case("SUBQUERY(owner.samples, $s, $s.small > 3).@count > 0", owner(lambda p: any(s.small > 3 for s in p.samples)))
case("SUBQUERY(owner.samples, $s, $s.small > 3).@count == 0",
     lambda o: o.owner is None or not any(s.small > 3 for s in o.owner.samples))
case("owner == nil", lambda o: o.owner is None)
case("owner != nil", lambda o: o.owner is not None)
case("owner.name == 'Grace'", owner(lambda p: p.name == "Grace"))
case("owner.name ==[c] 'GRACE'", owner(lambda p: p.name.lower() == "grace"))
case("owner.name != 'Grace'", owner(lambda p: p.name != "Grace"))
case("NOT owner.name == 'Grace'", lambda o: not (o.owner and o.owner.name == "Grace"))
case("owner.age > 35", owner(lambda p: compare(">", p.age, 35)))
case("owner.age == nil", lambda o: o.owner is None or o.owner.age is None)
case("owner.age != nil", owner(lambda p: p.age is not None))
case("owner.city.name == 'Berlin'", owner(lambda p: p.city is cities[32]))
case("owner.city == nil", lambda o: o.owner is None or o.owner.city is None)
case("owner.city.population > 100000", owner(lambda p: p.city is not None and p.city.population > 100000))
case("owner.city.name BEGINSWITH[d] 'A'", owner(lambda p: p.city is cities[31]))
case("owner.samples.@count == 2", owner(lambda p: len(p.samples) == 2))
case("ANY owner.samples.small > 50", owner(lambda p: any(number(">", s.small, 50) for s in p.samples)))
case("owner.name == name", owner(lambda p: False))
case("owner.age > small", lambda o: o.owner is not None and number(">", o.owner.age, o.small))
case("owner == CAST('x-quire://0123456789abcdef/2/p21', 'NSManagedObjectID')", lambda o: o.owner is people[21])
case("owner IN {CAST('x-quire://0123456789abcdef/2/p22', 'NSManagedObjectID')}", lambda o: o.owner is people[22])
case("owner == CAST('x-quire://ffffffffffffffff/2/p21', 'NSManagedObjectID')", lambda o: False)
case("SELF == CAST('x-quire://0123456789abcdef/3/p5', 'NSManagedObjectID')", lambda o: o.id == 5)
case("SELF.small == 3", calc(lambda s: s == 3, "small"))
case("#name == 'Ada'", lambda o: o.name == "Ada")
case("length(owner.name) == 6", owner(lambda p: len(p.name) == 6))

some = [
    ("ANY samples.small > 0", lambda p: any(number(">", s.small, 0) for s in p.samples)),
    ("SOME samples.small > 0", lambda p: any(number(">", s.small, 0) for s in p.samples)),
    ("ALL samples.small > 0", lambda p: all(number(">", s.small, 0) for s in p.samples)),
    ("NONE samples.small > 0", lambda p: not any(number(">", s.small, 0) for s in p.samples)),
    ("NOT ANY samples.flag == YES", lambda p: not any(s.flag is True for s in p.samples)),
    ("ANY samples.name ==[c] 'ADA'", lambda p: any(s.name.lower() == "ada" for s in p.samples)),
    ("ALL samples.name CONTAINS 'a'", lambda p: all("a" in s.name for s in p.samples)),
    ("ANY samples.flag == nil", lambda p: any(s.flag is None for s in p.samples)),
    ("ANY samples.small IN {3, 100}", lambda p: any(s.small in (3, 100) for s in p.samples)),
    ("ANY samples.small BETWEEN {1, 5}", lambda p: any(1 <= s.small <= 5 for s in p.samples)),
    ("ANY samples.small NOT IN {3, 100}", lambda p: any(s.small not in (3, 100) for s in p.samples)),
    ("ALL samples.small NOT IN {3, 100}", lambda p: all(s.small not in (3, 100) for s in p.samples)),
    ("NONE samples.small NOT IN {3, 100}", lambda p: not any(s.small not in (3, 100) for s in p.samples)),
    ("ANY samples.owner.samples.small == 3", lambda p: any(s.small == 3 for s in p.samples)),
    ("ANY samples.owner.city.people.age == nil", lambda p: False),
    ("ANY samples.owner.city.name == nil", lambda p: bool(p.samples) and p.city is None),
    ("ALL samples.owner.city.people.age == 30", lambda p: not p.samples or p.city in (None, cities[31])),
    ("samples.owner.city.people.@count == 0", lambda p: not p.samples or p.city is None),
    ("samples.@count == 0", lambda p: len(p.samples) == 0),
    ("samples.@count > 1", lambda p: len(p.samples) > 1),
    ("samples.@count != 2", lambda p: len(p.samples) != 2),
    ("samples[SIZE] == 1", lambda p: len(p.samples) == 1),
    ("count(samples) >= 1", lambda p: len(p.samples) >= 1),
    ("samples.@sum.small == -3", lambda p: sum(s.small for s in p.samples) == -3),
    ("samples.@sum.small == 0", lambda p: sum(s.small for s in p.samples) == 0),
    ("sum(samples.small) > 0", lambda p: sum(s.small for s in p.samples) > 0),
    ("samples.@avg.small == 51.5", lambda p: bool(p.samples) and sum(s.small for s in p.samples) / len(p.samples) == 51.5),
    ("samples.@min.small < -3", lambda p: bool(p.samples) and min(s.small for s in p.samples) < -3),
    ("samples.@max.small >= 100", lambda p: bool(p.samples) and max(s.small for s in p.samples) >= 100),
    ("samples.small.@max >= 100", lambda p: bool(p.samples) and max(s.small for s in p.samples) >= 100),
    ("max(samples.name) == 'ada'", lambda p: bool(p.samples) and max(s.name for s in p.samples) == "ada"),
    ("samples.@unionOfObjects.small CONTAINS 3", lambda p: 3 in [s.small for s in p.samples]),
    ("count(samples.@distinctUnionOfObjects.owner) == 1", lambda p: bool(p.samples)),
    ("SUBQUERY(samples, $s, $s.small > 0).@count > 0", lambda p: any(number(">", s.small, 0) for s in p.samples)),
    ("SUBQUERY(samples, $s, $s.small > 0).@count == 0", lambda p: not any(number(">", s.small, 0) for s in p.samples)),
    ("SUBQUERY(samples, $s, $s.small > 0 AND $s.flag == NO).@count == 1",
     lambda p: sum(1 for s in p.samples if s.small > 0 and s.flag is False) == 1),
    ("SUBQUERY(samples, $s, $s.owner.age == age).@count == 2", lambda p: p.age is not None and len(p.samples) == 2),
    ("SUBQUERY(samples, $s, $s.name == $s.owner.name).@count > 0", lambda p: False),
    ("SUBQUERY(samples, $a, SUBQUERY(samples, $b, $b.small > $a.small).@count == 1).@count == 1",
     lambda p: sum(1 for x in p.samples if sum(1 for y in p.samples if y.small > x.small) == 1) == 1),
    ("SUBQUERY(samples, $s, $s.small > 0)[SIZE] == 2", lambda p: sum(1 for s in p.samples if s.small > 0) == 2),
    ("city.people.@count == 2", lambda p: p.city is not None and len(p.city.people) == 2),
    ("city.people.@avg.age == 70", lambda p: p.city is cities[32]),
    ("ANY city.people.name == 'Nobody'", lambda p: p.city is cities[32]),
    ("ANY city.people.samples.small == 100", lambda p: p.city is cities[31]),
    ("city.name == 'Ålesund' AND ANY samples.small == 100", lambda p: p.id == 24),
    ("FETCH('City', population > 1000000, YES) == 1", lambda p: True),
    ("city IN FETCH('City', population > 1000000, NO)", lambda p: p.city is cities[32]),
    ("FETCH('Sample', small == 3, YES) == 2 AND age == 30", lambda p: p.age == 30),
    ("ANY samples == CAST('x-quire://0123456789abcdef/3/p5', 'NSManagedObjectID')", lambda p: p.id == 23),
    ("samples CONTAINS CAST('x-quire://0123456789abcdef/3/p6', 'NSManagedObjectID')", lambda p: p.id == 22),
    ("CAST('x-quire://0123456789abcdef/3/p6', 'NSManagedObjectID') IN samples", lambda p: p.id == 22),
]
for one in some:
    if one:
        case(one[0], one[1], "Person")
for one in [
    ("ANY people.samples.name == 'smith'", lambda c: c.id == 31),
    ("ALL people.age > 35", lambda c: c.id == 32),
    ("ALL people.samples.small >= -3", lambda c: c.id == 31),
    ("NONE people.name BEGINSWITH 'N'", lambda c: c.id == 31),
    ("people.@sum.age == 140", lambda c: c.id == 32),
    ("people.samples.@count == 4", lambda c: c.id == 31),
    ("people.samples.@sum.small == 100", lambda c: c.id == 31),
    ("people.@max.age == 30 OR people.@count == 0", lambda c: c.id == 31),
]:
    case(one[0], one[1], "City")

print("# Written by oracle.py, which see. Entity, predicate, and the objects it holds for.")
for line in lines:
    print(line)
print(f"{len(lines)} cases", file=sys.stderr)
