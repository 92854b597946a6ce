"""Finds places in Swift source where one expression or statement can be changed, and rewrites their lines.

A mutant is one change in one line. All mutants are compiled into one program: the changed line contains both versions, and
`mutant(17)` selects the changed version at run time. For example, `if a < b {` becomes `if (mutant(17) ? a <= b : a < b) {`. Only
simple lines are changed: the line contains the whole statement, and its brackets are balanced. The lines keep their numbers.
"""

import hashlib
import re

TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"|`\w+`|\$\d+|#?@?[A-Za-z_]\w*|\d[\w.]*|\.\.\.|\.\.<|[-+*/<>=!&|^~%?]+|\s+|.')
PREFIX = re.compile(r"(?:(?:try[?!]?|unsafe|await)\s+)+")
# Operators between spaces, and the operators that replace them.
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "<<": ">>", ">>": "<<", "&>>": "&<<",
    "&<<": "&>>", "&": "|", "|": "&", "&+": "&-", "&-": "&+", "&*": "&+", "%": "+"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "&+=": "&-=", "|=": "&=", "&=": "|=", "*=": "+="}
WORDS = {"true": "false", "false": "true", "min": "max", "max": "min"}
# Lines that change nothing when they are changed: checks of the caller's mistakes, and hints about memory.
SKIPPED = re.compile(
    r"\b(precondition|assert|preconditionFailure|assertionFailure|fatalError|reserveCapacity|withExtendedLifetime)\b"
    r"|keepingCapacity|@inline|#if|#available|\bsuper\.init|\bself\.init|MARK")
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|while|guard)\s+)(.*?)(\s+(?:else )?\{)(?: (.*) \})?$")
LOOP = re.compile(r"^(\s*for .*? in )(.*?)( \{)$")
LOOP_WHERE = re.compile(r"^(.*\bwhere )(.*?)( \{)$")
BODY = re.compile(r"^(\s*(?:[\w@()]+ )*(?:var|func|subscript)\b.* \{ )(.*)( \})$")
LET = re.compile(r"^((?:(?:private|fileprivate|package|public|static|private\(set\)) )*(?:let|var) [^=]*? = )(.*)$")
CASE = re.compile(r"^(\s*(?:case .*?|default):\s+)(\S.*)$")
ASSIGN = re.compile(r"^((?:unsafe )?[A-Za-z_][\w.!?]*(?:\[[^\]]*\])?[\w.!?]*) (=|[-+*&|]+=) (.*)$")
CALL = re.compile(r"^(?:(?:try|unsafe|await) )*[a-z_][\w.!?]*(?:\[[^\]]*\][\w.!?]*)?\(.*\)$")
CONTINUATION = re.compile(r"(?!//)[.?:&|+\-*/<>=!^]|where\b")
INITIALIZATION = re.compile(r"\s*(?:unsafe )?self\.(\w+) = (?:unsafe )?\1")
EXIT = re.compile(r"^(?:continue|break|return)$|^throw ")
KEYWORDS = re.compile(
    r"^(?:if|guard|while|for|switch|case|default|let|var|return|throw|func|struct|enum|class|extension|protocol|import|defer|do|"
    r"init|deinit|repeat|catch|else|continue|break|fallthrough|typealias|subscript|get|set|static|private|public|package|"
    r"fileprivate|internal|mutating|@\w+)\b")


class Mutant:
    """One change in one line of a file."""

    def __init__(self, path, number, line, kind, changed, switched):
        self.path, self.number, self.line = path, number, line
        # The line with the change alone, and the line with both versions, in which NUMBER stands for the mutant's number.
        self.kind, self.changed, self.switched = kind, changed, switched
        self.occurrence = 0

    @property
    def key(self):
        """A text that identifies the mutant as long as its line stays the same."""
        again = f" ({self.occurrence + 1})" if self.occurrence else ""
        return f"{self.path}{again}: {self.line.strip()} -> {self.changed.strip() or 'nothing'}"

    @property
    def rank(self):
        """A number that selects mutants evenly, and in the same way each time."""
        return hashlib.sha256(self.key.removesuffix("nothing").encode()).hexdigest()


def tokens(text):
    return TOKEN.findall(text)


def is_balanced(text):
    """Returns whether each bracket in a text is closed, and no string continues on the next line."""
    open_brackets = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for token in tokens(text):
        if token in "([{" and len(token) == 1:
            open_brackets.append(token)
        elif token in pairs and (not open_brackets or open_brackets.pop() != pairs[token]):
            return False
        elif token == '"':
            return False
    return not open_brackets


def split_at_commas(text):
    """Returns the parts of a text between the commas outside of brackets."""
    parts, depth = [""], 0
    for token in tokens(text):
        depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def changes(expression):
    """Yields pairs of a kind and a changed expression."""
    parts = tokens(expression)

    def with_part(index, part):
        return "".join(parts[:index] + [part] + parts[index + 1:])

    for index, part in enumerate(parts):
        before = parts[index - 1] if index else ""
        after = parts[index + 1] if index + 1 < len(parts) else ""
        if part in SWAPS and before.isspace() and after.isspace():
            yield "operator", with_part(index, SWAPS[part])
        elif part in ("true", "false"):
            yield "word", with_part(index, WORDS[part])
        elif part in ("min", "max") and after == "(" and before != ".":
            yield "word", with_part(index, WORDS[part])
        elif re.fullmatch(r"\d+|0x[0-9A-Fa-f]+", part) and before != ".":
            yield "constant", with_part(index, str(int(part, 0) + 1))


def switched_expression(expression, changed):
    """Returns an expression that is the changed one while the mutant is active. Markers such as `try` move to the front."""
    found = PREFIX.match(expression)
    prefix = found.group() if found else ""
    if prefix and changed.startswith(prefix):
        expression, changed = expression[len(prefix):], changed[len(prefix):]
    return f"{prefix}(mutant(NUMBER) ? ({changed}) : ({expression}))"


def statement_changes(text):
    """Yields the kind, the changed text and the switched text for one statement on one line."""
    if not is_balanced(text) or text.endswith((",", "=", "(", "{", ":")):
        return
    if text.startswith("return "):
        expression = text[len("return "):]
        for kind, changed in changes(expression):
            yield kind, f"return {changed}", f"if mutant(NUMBER) {{ return {changed} }}; return {expression}"
        return
    if EXIT.match(text):
        yield "statement", "", f"if !mutant(NUMBER) {{ {text} }}"
        return
    found = LET.match(text)
    if found:
        head, expression = found.groups()
        for kind, changed in changes(expression):
            yield kind, head + changed, head + switched_expression(expression, changed)
        return
    if KEYWORDS.match(text):
        return
    found = ASSIGN.match(text)
    if found:
        target, sign, expression = found.groups()
        yield "statement", "", f"if !mutant(NUMBER) {{ {text} }}"
        if sign in ASSIGNMENTS:
            changed = f"{target} {ASSIGNMENTS[sign]} {expression}"
            yield "operator", changed, f"if mutant(NUMBER) {{ {changed} }} else {{ {text} }}"
        for kind, changed in changes(expression):
            changed = f"{target} {sign} {changed}"
            yield kind, changed, f"if mutant(NUMBER) {{ {changed} }} else {{ {text} }}"
        return
    if CALL.match(text):
        yield "statement", "", f"if !mutant(NUMBER) {{ {text} }}"
        for kind, changed in changes(text):
            yield kind, changed, f"if mutant(NUMBER) {{ {changed} }} else {{ {text} }}"


def condition_changes(text):
    """Yields the kind, the changed text and the switched text for the conditions of an `if`, a `guard` or a loop."""
    parts = split_at_commas(text)
    for index, part in enumerate(parts):
        expression = part.strip()
        if re.match(r"(let|var|case|#|unsafe let)\b", expression) or not is_balanced(expression):
            continue
        space = part[:len(part) - len(part.lstrip())]

        def whole(new, index=index, space=space):
            return ",".join(parts[:index] + [space + new] + parts[index + 1:])

        found = PREFIX.match(expression)
        prefix = found.group() if found else ""
        negated = f"{prefix}!({expression[len(prefix):]})"
        for kind, changed in [("condition", negated), *changes(expression)]:
            yield kind, whole(changed), whole(switched_expression(expression, changed))


def line_changes(line):
    """Yields the kind, the changed line and the switched line for one line without a comment."""
    found = CONDITION.match(line)
    if found and not re.search(r"\b(let|var|case)\b[^,]*\{", found.group(2)):
        head, text, brace, inner = found.groups()
        tail = brace + (f" {inner} }}" if inner else "")
        for kind, changed, switched in condition_changes(text):
            yield kind, head + changed + tail, head + switched + tail
        if inner:
            for kind, changed, switched in statement_changes(inner):
                if head.lstrip().startswith("guard") and kind == "statement":
                    continue
                yield kind, f"{head}{text}{brace} {changed} }}", f"{head}{text}{brace} {switched} }}"
        return
    for pattern in (LOOP, LOOP_WHERE):
        found = pattern.match(line)
        if found and is_balanced(found.group(2)) and line.lstrip().startswith(("for ", "where ")):
            head, expression, tail = found.groups()
            if " where " in expression:
                continue
            for kind, changed in changes(expression):
                yield kind, head + changed + tail, head + switched_expression(expression, changed) + tail
            return
    found = BODY.match(line)
    if found and is_balanced(found.group(2)) and not KEYWORDS.match(found.group(2)):
        head, expression, tail = found.groups()
        for kind, changed in changes(expression):
            yield kind, head + changed + tail, head + switched_expression(expression, changed) + tail
        return
    found = CASE.match(line)
    head, text = found.groups() if found and is_balanced(found.group(1)) else re.match(r"(\s*)(.*)", line).groups()
    for kind, changed, switched in statement_changes(text):
        # A case needs a statement.
        yield kind, head + (changed or "break" if found else changed), head + switched


def mutants_of_file(path, text):
    """Returns at most one mutant of each line of a Swift file."""
    lines = text.split("\n")
    found, seen, in_text = [], {}, False
    for index, line in enumerate(lines):
        if line.count('"""') % 2:
            in_text = not in_text
            continue
        code = re.sub(r"\s+// .*$", "", line)
        following = lines[index + 1].strip() if index + 1 < len(lines) else ""
        previous = lines[index - 1].rstrip() if index else ""
        start = code.lstrip()
        if in_text or SKIPPED.search(code) or start.startswith(("//", "@", "/*")):
            continue
        if start.startswith("}") and not start.startswith("} else if"):
            continue
        # A statement that continues on the next line, or that began on the line before.
        if CONTINUATION.match(following) or previous.endswith(("=", "(", ",", "?", "[", "&&", "||")):
            continue
        # A guard must leave its scope, and an initializer must set the properties.
        if EXIT.match(code.strip()) and previous.endswith("else {") or INITIALIZATION.fullmatch(code):
            continue
        choices = {}
        for kind, changed, switched in line_changes(code):
            choices.setdefault(kind, []).append(Mutant(path, index + 1, line, kind, changed, switched))
        if not choices:
            continue
        # Each kind is equally likely, so that constants and negations do not displace the other kinds.
        occurrence = seen.setdefault(code.strip(), 0)
        seen[code.strip()] += 1
        for mutants in choices.values():
            for mutant in mutants:
                mutant.occurrence = occurrence
        kind = min(choices, key=lambda kind: hashlib.sha256(f"{path}{occurrence}{code}{kind}".encode()).digest())
        found.append(min(choices[kind], key=lambda mutant: mutant.rank))
    return found
