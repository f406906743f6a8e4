#!/usr/bin/env python3
"""Writes the manual pages: one for the command and one for each of its subcommands.

Usage: tidemark --experimental-dump-help | manual.py VERSION DATE FOLDER

The pages contain the text of --help in the form of manual pages, so that no second text has to be maintained.
"""

import json
import pathlib
import re
import sys


def escaped(text):
    """Returns text in which the characters that roff would interpret are escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def discussion(text):
    """Converts a help text to roff. Lines of capitals become headings, and lines indented by two spaces examples."""
    lines = []
    is_example = False
    for line in text.split("\n"):
        if line.startswith("  ") != is_example and line:
            lines.append(".fi\n.RE" if is_example else ".PP\n.RS 4\n.nf")
            is_example = not is_example
        if re.fullmatch("[A-Z][A-Z ]+", line):
            lines.append(".SH " + line)
        elif not line:
            lines.append("" if is_example else ".PP")
        elif re.match("  [0-9]+ ", line):
            # This line lists numbers with their meanings. One per line is easier to read.
            lines += [escaped(part) for part in re.split(r", (?=[0-9])", line.strip())]
        else:
            lines.append(escaped(line.strip()))
    if is_example:
        lines.append(".fi\n.RE")
    # Remove paragraphs that are empty: before a heading or another paragraph, at the start and at the end.
    text = "\n".join(line for line in lines if line)
    text = re.sub(r"(\.PP\n)+(?=\.(SH|PP))", "", text)
    return re.sub(r"^\.PP\n", "", text).removesuffix("\n.PP")


def spelled(argument):
    """Returns an argument as it is written on a command line."""
    if argument["kind"] == "positional":
        return "\\fI" + escaped(argument["valueName"]) + "\\fR"
    names = []
    for name in sorted(argument["names"], key=lambda name: name["kind"] == "long"):
        names.append("\\fB" + escaped(("--" if name["kind"] == "long" else "-") + name["name"]) + "\\fR")
    value = "" if argument["kind"] == "flag" else " \\fI" + escaped(argument["valueName"]) + "\\fR"
    return ", ".join(names) + value


def in_synopsis(argument):
    text = spelled({**argument, "names": argument.get("names", [])[:1]})
    if argument["isRepeating"]:
        text += " ..."
    return "[" + text + "]" if argument["isOptional"] else text


def option(argument):
    abstract = argument.get("abstract", "").rstrip()
    if argument.get("allValues"):
        abstract += " Values: " + ", ".join(argument["allValues"]) + "."
    if argument.get("defaultValue"):
        abstract += " Default: " + argument["defaultValue"] + "."
    return ".TP\n" + spelled(argument) + "\n" + (escaped(abstract.strip()) or "\\&")


def pages(command, path, version, date):
    """Yields the page of a command, then those of its subcommands, each as a name and a text."""
    path = path + [command["commandName"]]
    name = "-".join(path)
    arguments = [
        argument for argument in command.get("arguments", [])
        if argument["shouldDisplay"] and (len(path) == 1 or argument["valueName"] not in ("help", "version"))
    ]
    below = [sub for sub in command.get("subcommands", []) if sub["shouldDisplay"] and sub["commandName"] != "help"]
    synopsis = "\\fB" + escaped(" ".join(path)) + "\\fR"
    if below:
        synopsis += " \\fIcommand\\fR ..."
    required = [argument for argument in arguments if not argument["isOptional"]]
    optional = [argument for argument in arguments if argument["isOptional"]]
    for argument in optional + required if not below else []:
        synopsis += "\n" + in_synopsis(argument)
    parts = [
        f'.TH {name.upper()} 1 "{date}" "Tidemark {version}" "Tidemark"',
        f".SH NAME\n{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}",
        f".SH SYNOPSIS\n.ad l\n{synopsis}\n.ad",
    ]
    text = discussion(command.get("discussion", ""))
    body, heading, rest = text.partition(".SH ")
    if body.strip():
        parts.append(".SH DESCRIPTION\n" + body.rstrip())
    if below:
        entries = [
            f".TP\n\\fB{escaped(' '.join(path + [sub['commandName']]))}\\fR\n{escaped(sub['abstract'])}" for sub in below
        ]
        parts.append(".SH COMMANDS\n" + "\n".join(entries))
    sections = {}
    for argument in arguments:
        sections.setdefault(argument.get("sectionTitle", "Options").upper(), []).append(option(argument))
    for title, entries in sorted(sections.items(), key=lambda section: section[0] != "OPTIONS"):
        parts.append(f".SH {title}\n" + "\n".join(entries))
    if heading:
        parts.append(heading + rest.rstrip())
    others = [name + "-" + sub["commandName"] for sub in below] or ["-".join(path[:-1])]
    if len(path) > 1 and below:
        others.insert(0, path[0])
    parts.append(".SH SEE ALSO\n" + ",\n".join(f".BR {escaped(other)} (1)" for other in others if other).replace(
        "(1),\n", "(1) ,\n"))
    yield name, "\n".join(parts) + "\n"
    for sub in below:
        yield from pages(sub, path, version, date)


def main():
    version, date, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(json.load(sys.stdin)["command"], [], version, date):
        (folder / (name + ".1")).write_text(text, encoding="utf-8")


main()
