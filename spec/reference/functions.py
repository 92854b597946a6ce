"""Chapter 17: the functions of predicates for dates, numbers and texts.

A value is None, or a pair of a kind (`integer`, `real`, `decimal`, `date`, `text`) and an int, a float, a Decimal, a float of seconds, or a str.
The standard library has no grapheme clusters, so a character here is a scalar with the combining marks behind it, which is less than 17.4.1 says.
"""

import datetime
import decimal
import json
import math
import re
import unicodedata
import zoneinfo
from decimal import Decimal

DAY = 86_400
DAYS_TO_2001 = 730_791  # from 0000-03-01
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
LIMIT = 2 ** 53
WHITE_SPACE = "".join(map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]))


# --- The calendar (17.2.1). The module datetime ends at the years 1 and 9999, so days are counted here.

def civil(number):
    """The year, month and day of a number of days since 2001-01-01."""
    era, day = divmod(number + DAYS_TO_2001, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    return year + era * 400 + (month >= 10), month + (3 if month < 10 else -9), day - (153 * month + 2) // 5 + 1


def number_of(year, month, day=1):
    """The number of days from 2001-01-01 to a day."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - DAYS_TO_2001


def offset(zone, second):
    """The difference of a zone to UTC at a second; None for an unknown zone (17.2.2)."""
    if zone is None or zone in ("UTC", "Z"):
        return 0
    match = re.fullmatch(r"(?:GMT|UTC)?([+-])([0-9]{2}):?([0-9]{2})", zone)
    if match:
        hours, minutes = int(match[2]), int(match[3])
        if hours > 23 or minutes > 59:
            return None
        return (hours * 3600 + minutes * 60) * (-1 if match[1] == "-" else 1)
    if "/" not in zone and zone != "GMT":
        return None
    try:
        place = zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
    # The rules of a zone do not change with the years beyond those of the module.
    clamped = min(max(second, -62_000_000_000), 250_000_000_000)
    moment = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=clamped)
    return int(moment.astimezone(place).utcoffset().total_seconds())


def second_of(date):
    if date is None or date[0] != "date" or math.isnan(date[1]) or not -LIMIT <= date[1] <= LIMIT:
        return None
    return math.floor(date[1])


def week(days):
    """The number of the week of a day: that of its Thursday in the year (17.2.3)."""
    thursday = days - days % 7 + 3
    return (thursday - number_of(civil(thursday)[0], 1)) // 7 + 1


PARTS = {
    "year": lambda days, rest: civil(days)[0],
    "quarter": lambda days, rest: (civil(days)[1] + 2) // 3,
    "month": lambda days, rest: civil(days)[1],
    "week": lambda days, rest: week(days),
    "day": lambda days, rest: civil(days)[2],
    "weekday": lambda days, rest: days % 7 + 1,
    "hour": lambda days, rest: rest // 3600,
    "minute": lambda days, rest: rest // 60 % 60,
    "second": lambda days, rest: rest % 60,
}


def zone_in(arguments, place):
    """Whether the arguments have a text, or nothing at all, at the place of a zone; and the zone."""
    if len(arguments) <= place:
        return True, None
    zone = arguments[place]
    return (zone is not None and zone[0] == "text"), zone and zone[1]


def part(name, arguments):
    second = second_of(arguments[0])
    is_right, zone = zone_in(arguments, 1)
    if second is None or not is_right:
        return None
    difference = offset(zone, second)
    if difference is None:
        return None
    return "integer", PARTS[name](*divmod(second + difference, DAY))


def start(unit, shown):
    """The first shown second of a unit."""
    days, rest = divmod(shown, DAY)
    year, month, _ = civil(days)
    return {
        "year": lambda: number_of(year, 1) * DAY, "quarter": lambda: number_of(year, (month - 1) // 3 * 3 + 1) * DAY,
        "month": lambda: number_of(year, month) * DAY, "week": lambda: (days - days % 7) * DAY, "day": lambda: days * DAY,
        "hour": lambda: shown - rest % 3600, "minute": lambda: shown - rest % 60, "second": lambda: shown,
    }[unit]()


def truncated(arguments):
    second = second_of(arguments[0])
    is_right, zone = zone_in(arguments, 2)
    unit = arguments[1]
    if second is None or not is_right or unit is None or unit[0] != "text" or unit[1].lower() not in UNITS:
        return None
    here = offset(zone, second)
    if here is None:
        return None
    first = start(unit[1].lower(), second + here)
    there = offset(zone, first - here)
    if there == here:
        return "date", float(first - here)
    if offset(zone, first - there) == there:
        return "date", float(first - there)
    return "date", float(max(first - here, first - there))


# --- Numbers (17.3)

NUMBERS = ("integer", "real", "decimal")
WIDE = decimal.Context(prec=1000, Emin=-999999, Emax=999999)


def rounded(arguments):
    value = arguments[0]
    places = 0
    if len(arguments) > 1:
        if arguments[1] is None or arguments[1][0] not in NUMBERS:
            return None
        places = int(arguments[1][1])
    if value is None or value[0] not in NUMBERS:
        return None
    kind, number = value
    if kind == "real":
        if not math.isfinite(number):
            return value
        number = Decimal(repr(number))
    exact = Decimal(number)
    if places >= -exact.as_tuple().exponent:
        return value
    # Halves go away from zero.
    result = exact.quantize(Decimal((0, (1,), -places)), rounding=decimal.ROUND_HALF_UP, context=WIDE)
    if kind == "integer":
        whole = int(result)
        return ("integer", whole) if -2 ** 63 <= whole < 2 ** 63 else ("real", float(whole))
    return (kind, float(result)) if kind == "real" else (kind, result)


def whole(rule):
    """A function that rounds to a whole number and keeps the type."""
    def compute(arguments):
        value = arguments[0]
        if value is None or value[0] not in NUMBERS:
            return None
        kind, number = value
        if kind == "integer" or kind == "real" and not math.isfinite(number):
            return value
        return (kind, float(rule(number))) if kind == "real" else (kind, Decimal(rule(number)))
    return compute


def absolute(arguments):
    value = arguments[0]
    if value is None or value[0] not in NUMBERS:
        return None
    if value == ("integer", -2 ** 63):
        return "real", 2.0 ** 63
    return value[0], abs(value[1])


# --- Texts (17.4)

def characters(text):
    """The characters of a text."""
    found = []
    for scalar in text:
        if found and unicodedata.combining(scalar):
            found[-1] += scalar
        else:
            found.append(scalar)
    return found


def of_texts(compute):
    """A function whose arguments are texts."""
    def checked(arguments):
        if any(value is None or value[0] != "text" for value in arguments):
            return None
        return compute(*(value[1] for value in arguments))
    return checked


def substring(arguments):
    text, *numbers = arguments
    if text is None or text[0] != "text" or any(value is None or value[0] not in NUMBERS for value in numbers):
        return None
    first, *count = (int(value[1]) for value in numbers)
    if count and count[0] < 0:
        return None
    end = first + count[0] if count else math.inf
    return "text", "".join(one for place, one in enumerate(characters(text[1]), 1) if first <= place < end)


def concat(arguments):
    if any(value is None or value[0] not in ("text", "integer") for value in arguments):
        return None
    return "text", "".join(str(value[1]) for value in arguments)


FUNCTIONS = {
    **{name: (lambda arguments, name=name: part(name, arguments)) for name in PARTS},
    "trunc": lambda arguments: whole(math.trunc)(arguments) if len(arguments) == 1 else truncated(arguments),
    "round": rounded, "abs": absolute, "floor": whole(math.floor), "ceiling": whole(math.ceil), "ceil": whole(math.ceil),
    "length": of_texts(lambda text: ("integer", len(characters(text)))),
    "substring": substring, "substr": substring,
    "replace": of_texts(lambda text, old, new: ("text", text.replace(old, new) if old else text)),
    "trim": of_texts(lambda text: ("text", text.strip(WHITE_SPACE))),
    "upper": of_texts(lambda text: ("text", text.upper())), "lower": of_texts(lambda text: ("text", text.lower())),
    "concat": concat,
    "coalesce": lambda arguments: next((value for value in arguments if value is not None), None),
    "ifnull": lambda arguments: next((value for value in arguments if value is not None), None),
}


def evaluate(name, arguments):
    """The value of a function."""
    return FUNCTIONS[name.lower()](arguments)


# --- Vectors (17.5)

READERS = {"integer": int, "real": float, "decimal": Decimal, "date": float, "text": json.loads}


def value(text):
    """The value that a part of a case stands for."""
    if text == "nothing":
        return None
    kind, _, rest = text.partition(" ")
    return kind, READERS[kind](rest)


def case(text):
    """The name, the arguments and the result of a case."""
    call, _, result = text.rpartition(" -> ")
    name, *arguments = call.split("; ")
    return name, [value(argument) for argument in arguments], value(result)
