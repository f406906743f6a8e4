#!/usr/bin/env python3
"""Builds the documentation of the public declarations with DocC, as static files beside the pages.

Usage: docc.py FOLDER [BASE]

FOLDER is the site that build.py made, BASE the path under which a server will show it, `/` by default. Builds the
package as `swift build` does, takes the symbols of the libraries, and converts each library after those that it links
to, so that links between libraries are checked, too. Every warning of DocC, such as a link to a name that does not
exist or a parameter without a description, ends it with 1 after all of them are printed. Pages of DocC read their data
over HTTP: `python3 -m http.server -d FOLDER` shows them.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import symbols  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
# Printed for an extension of another library's type, which is a page of that library here.
EXPECTED = re.compile(r"can't be linked to in a partial documentation build")


def run(*command, may_fail=False):
    """Runs a command in the package and returns what it prints, which is shown if it fails."""
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 and not may_fail:
        sys.exit(done.stdout + f"\n{' '.join(map(str, command))} ended with {done.returncode}")
    return done.stdout


def symbol_graphs(names):
    """Builds the package and returns the folder with the public symbols of each library."""
    # It ends with 1 because of targets in C, which have no symbols of ours.
    printed = run("swift", "package", "dump-symbol-graph", "--minimum-access-level", "public",
                  "--skip-synthesized-members", "--emit-extension-block-symbols", may_fail=True)
    written = re.search(r"^Files written to (.*)", printed, re.M)
    folder = Path(written[1]) if written else None
    for name in names:
        graph = folder / f"{name}.symbols.json" if folder else None
        if graph is None or not graph.exists() or f"emit symbol graph for '{name}'" in printed:
            sys.exit(f"{printed}\nthe symbols of {name} are missing")
    return folder


def ordered(names):
    """Returns the libraries, each after those that it depends on, also through targets that are no libraries."""
    package = json.loads(run("swift", "package", "dump-package"))
    needs = {
        target["name"]: [each["byName"][0] for each in target["dependencies"] if "byName" in each]
        + [each["target"][0] for each in target["dependencies"] if "target" in each]
        for target in package["targets"]}
    found = []

    def visit(name):
        for each in needs.get(name, []):
            if each not in seen:
                seen.add(each)
                visit(each)
        found.append(name)

    seen = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            visit(name)
    return [name for name in found if name in names]


def convert(name, graphs, work, earlier):
    """Converts one library.

    Returns its warnings.
    """
    folder = work / "graphs" / name
    folder.mkdir(parents=True)
    for path in [graphs / f"{name}.symbols.json", *graphs.glob(f"{name}@*.symbols.json")]:
        shutil.copy(path, folder)
    catalog = ROOT / "Sources" / name / f"{name}.docc"
    command = ["docc", "convert", *([catalog] if catalog.exists() else []), "--fallback-display-name", name,
               "--fallback-bundle-identifier", name, "--additional-symbol-graph-dir", folder,
               "--output-path", work / f"{name}.doccarchive", "--enable-experimental-external-link-support",
               "--diagnostics-file", work / f"{name}.json"]
    for each in earlier:
        command += ["--dependency", work / f"{each}.doccarchive"]
    run(*command)
    found = json.loads((work / f"{name}.json").read_text())["diagnostics"]
    return [f"{name}: {each['summary']} ({place(each)})" for each in found
            if each["severity"] in ("warning", "error") and not EXPECTED.search(each["summary"])]


def place(diagnostic):
    source = diagnostic.get("source", "").removeprefix("file://").removeprefix(str(ROOT) + "/")
    line = diagnostic.get("range", {}).get("start", {}).get("line")
    return f"{source}:{line}" if line else source


def link(folder):
    """Links the page of the declarations to those of DocC."""
    page = folder / "symbols.html"
    words = 'Where a server shows these files, <a href="api/documentation/">DocC has them</a>, too.'
    page.write_text(page.read_text().replace("<!-- api -->", f"<p>{words}</p>"))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, base = Path(sys.argv[1]).resolve(), (sys.argv[2] if len(sys.argv) == 3 else "/").rstrip("/")
    if shutil.which("docc") is None:
        sys.exit("docc is not installed; it is a part of the Swift toolchain")
    print("Building the libraries, which takes minutes the first time …", flush=True)
    names = ordered(list(symbols.modules(ROOT)))
    graphs = symbol_graphs(names)
    findings = []
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for index, name in enumerate(names):
            print(f"{name} …", flush=True)
            findings += convert(name, graphs, work, names[:index])
        run("docc", "merge", *(work / f"{name}.doccarchive" for name in names), "--synthesized-landing-page-name",
            "Tidemark", "--synthesized-landing-page-kind", "Package", "--output-path", work / "all.doccarchive")
        shutil.rmtree(folder / "api", ignore_errors=True)
        run("docc", "process-archive", "transform-for-static-hosting", work / "all.doccarchive", "--output-path",
            folder / "api", "--hosting-base-path", f"{base}/api")
    link(folder)
    for finding in findings:
        print(finding, file=sys.stderr)
    pages = sum(1 for _ in (folder / "api" / "documentation").rglob("index.html"))
    print(f"{pages} pages of declarations of {len(names)} libraries, in {folder / 'api'}")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
