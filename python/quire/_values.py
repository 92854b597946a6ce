"""Python's values in the JSON forms of quire.h."""

import base64
import datetime
import decimal
import json
import math
import uuid

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


def moment(value):
    """Returns a date as ISO 8601 in UTC. A date without a time zone is one in UTC."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is not None:
        value = value.astimezone(UTC)
    # pandas has nanoseconds, and isoformat of its dates would show them.
    text = f"{value.year:04}-{value.month:02}-{value.day:02}T{value.hour:02}:{value.minute:02}:{value.second:02}"
    return text + (f".{value.microsecond:06}" if value.microsecond else "") + "Z"


def is_missing(value):
    """Returns whether a value stands for a missing one: None, or pandas's NA and NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def value_json(value):
    """Returns the value of a property as JSON."""
    from ._object import Object

    if is_missing(value):
        return None
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Object):
        return value.object_id
    if isinstance(value, (datetime.datetime, datetime.date)):
        return moment(value)
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, dict):
        return {name: value_json(part) for name, part in value.items()}
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return value_json(value.item())
    if hasattr(value, "__iter__"):
        return [value_json(part) for part in value]
    raise TypeError(f"{value!r} is not a value of a property.")


def argument_json(value):
    """Returns the argument of a predicate as JSON."""
    from ._object import Object

    if isinstance(value, Object):
        return {"object": value.object_id}
    if isinstance(value, (datetime.datetime, datetime.date)):
        return {"date": moment(value)}
    if isinstance(value, decimal.Decimal):
        return {"decimal": str(value)}
    if isinstance(value, uuid.UUID):
        return {"uuid": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"binary": base64.b64encode(bytes(value)).decode()}
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        return argument_json(value.item())
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return [argument_json(part) for part in value]
    return value_json(value)


def dumps(value):
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
