"""The public declarations of the library products, with their doc comments, read from the sources."""
import re

DECLARATION = re.compile(
    r"^(?P<indent> *)(?:@\w+(?:\([^)]*\))? +)*(?P<access>public|open|package|private|fileprivate|internal)?\s*"
    r"(?:nonisolated |static |final |mutating |class (?=func|var)|indirect |override |convenience |consuming |borrowing "
    r"|isolated |async )*(?P<kind>actor|class|struct|enum|protocol|extension|func|var|let|init|subscript|typealias|case"
    r"|associatedtype|macro)\b(?P<rest>.*)$")
CONTAINERS = ("actor", "class", "struct", "enum", "protocol", "extension")


class Symbol:
    """A declaration: its name with its types, its line of code, its comment as Markdown, and its file."""

    def __init__(self, name, kind, code, comment, path):
        self.name, self.kind, self.code, self.comment, self.path = name, kind, code, comment, path


def name_of(kind, rest):
    if kind == "init":
        return "init" + labels(rest)
    if kind == "subscript":
        return "subscript" + labels(rest)
    match = re.match(r"\s*`?([\w.]+|[^\s(<]+)`?", rest)
    name = match[1] if match else rest.strip()
    return name + labels(rest[match.end():]) if kind == "func" and match else name


def labels(rest):
    """Returns the argument labels of a function as Swift writes them: `(of:in:)`."""
    start = rest.find("(")
    if start < 0:
        return ""
    depth, parts, part = 0, [], ""
    for letter in rest[start + 1:]:
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or letter == ">" and not part.endswith("-"):
            depth -= 1
            if depth < 0:
                break
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    parts.append(part)
    names = [match[1] for part in parts if (match := re.match(r"\s*(?:@\w+\s+)*(\w+)[^:]*:", part))]
    return f"({''.join(name + ':' for name in names)})"


def read(path, shown):
    """Returns the public symbols of one file."""
    lines = path.read_text().split("\n")
    symbols, comment, scopes, index = [], [], [], 0
    while index < len(lines):
        line = lines[index]
        text = line.strip()
        if text.startswith("///"):
            comment.append(text[3:].removeprefix(" "))
            index += 1
            continue
        match = DECLARATION.match(line)
        if text and not text.startswith("@") and not match:
            comment = [] if not text.startswith("#") else comment
        if match:
            code = line
            # A head may take several lines, up to its body.
            while code.count("(") > code.count(")") and index + 1 < len(lines):
                index += 1
                code += " " + lines[index].strip()
            indent, kind = len(match["indent"]), match["kind"]
            scopes = [scope for scope in scopes if scope[0] < indent]
            rest = code[match.start("rest"):] if code == line else code.split(kind, 1)[1]
            name = name_of(kind, rest)
            outer = scopes[-1] if scopes else None
            in_public = outer is None or outer[2]
            is_public = match["access"] in ("public", "open") or (
                match["access"] is None and outer is not None and in_public
                and (kind == "case" or outer[3] == "protocol"))
            full = ".".join([scope[1] for scope in scopes] + [name])
            if is_public and in_public and kind != "extension" and comment:
                head = re.sub(r"\s*\{.*$", "", code.strip()) if kind != "case" else code.strip()
                symbols.append(Symbol(full, kind, head, "\n".join(comment), shown))
            if kind in CONTAINERS:
                # What is in an extension is judged by its own words.
                scopes.append((indent, name, in_public and (is_public or kind == "extension"), kind))
            comment = []
        index += 1
    return symbols


def modules(root):
    """Returns the public symbols of each module that is a library, by the module's name."""
    names = re.findall(r"- (Tidemark\w*)", (root / ".spi.yml").read_text())
    found = {}
    for name in names:
        symbols = []
        for path in sorted((root / "Sources" / name).rglob("*.swift")):
            symbols += read(path, path.relative_to(root).as_posix())
        found[name] = sorted(symbols, key=lambda symbol: symbol.name.lower())
    return found
