#!/usr/bin/env python3
"""Plants every defect of canaries.json, each behind a switch, in a copy of the sources, builds it, and searches for the
first simulation seed that finds each defect. Exits with 1 if a defect is not found.

    Tests/Canaries/canaries.py [--seeds 200] [--only NAME …] [--release] [--plant FILE]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
copy = root / ".build-canaries" / "tree"


def plant(canaries):
    """Writes a copy of the sources with every defect in it, all switched off."""
    copy.mkdir(parents=True, exist_ok=True)
    for name in ["Sources", "Tests", "Benchmarks", "Plugins", "Package.swift"]:
        source, target = root / name, copy / name
        if source.is_dir():
            sync(source, target)
        else:
            write(target, source.read_text())
    texts = {}
    for canary in canaries:
        path = canary["file"]
        text = texts.get(path) or (root / path).read_text()
        find = "\n".join(canary["find"])
        if text.count(find) != 1:
            sys.exit(f"{canary['name']}: {path} has its text {text.count(find)} times, not once")
        text = text.replace(find, "\n".join(canary["plant"]))
        if "import TidemarkModel" not in text:
            text = "import TidemarkModel\n" + text
        texts[path] = text
    for path, text in texts.items():
        write(copy / path, text)
    write(copy / "Sources/TidemarkModel/Canary.swift", (root / "Tests/Canaries/Canary.swift.txt").read_text())


def sync(source, target):
    """Copies only files that differ, so that a second build is short."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = {entry.name for entry in source.iterdir()}
    for entry in target.iterdir():
        if entry.name not in wanted and entry.name != "Canary.swift":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for entry in source.iterdir():
        if entry.is_dir():
            sync(entry, target / entry.name)
        elif not (target / entry.name).exists() or entry.stat().st_mtime > (target / entry.name).stat().st_mtime:
            shutil.copy2(entry, target / entry.name)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def first_seed(command, canary, seeds):
    """Returns the first seed that finds a defect, with the failure message; None if no seed finds it."""
    environment = dict(os.environ, TIDEMARK_CANARY=canary["name"], SWIFT_BACKTRACE="enable=no")
    result = subprocess.run(
        [command, "simulate", "--seed", "1", "--count", str(seeds), "--stop"],
        env=environment, capture_output=True, text=True, errors="replace")
    begun, failure = None, None
    # Not splitlines, because the output may contain U+2028.
    for line in result.stdout.split("\n"):
        if not line:
            continue
        entry = json.loads(line)
        if "begin" in entry:
            begun = entry["begin"]
            continue
        if "failure" in entry:
            failure = entry["failure"]
            break
        begun = None
    if begun is None:
        return None
    if failure is None:
        fatal = [line for line in result.stderr.splitlines() if "Fatal error" in line]
        failure = "trap: " + (fatal[-1].split("Fatal error: ")[-1] if fatal else "no word")
    return begun, failure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these defects alone")
    parser.add_argument("--plant", metavar="FILE", help="only plant the defects of this list, for tests that find them")
    parser.add_argument("--release", action="store_true", help="a release build: longer to build, and seeds take a tenth")
    arguments = parser.parse_args()
    if arguments.plant:
        plant(json.loads(pathlib.Path(arguments.plant).read_text()))
        return print(copy)
    canaries = json.loads((root / "Tests/Canaries/canaries.json").read_text())
    plant(canaries)
    build = ["swift", "build", "--package-path", str(copy), "--scratch-path", str(root / ".build-canaries" / "build"),
             *(["-c", "release", "--static-swift-stdlib"] if arguments.release else []), "--product", "tidemark"]
    subprocess.run(build, check=True)
    folder = subprocess.run(build[:-2] + ["--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
    chosen = [canary for canary in canaries if arguments.only is None or canary["name"] in arguments.only]
    unfound = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda canary: (canary, first_seed(f"{folder}/tidemark", canary, arguments.seeds)), chosen)
        for canary, answer in found:
            unfound += answer is None
            seed, words = answer or ("none", "not found")
            print(f"| `{canary['name']}` | {canary['law']} | {canary['what']} | {seed} |", flush=True)
            print(f"    {words[:200]}", file=sys.stderr, flush=True)
    if unfound:
        sys.exit(f"{unfound} of {len(chosen)} defects stayed unfound")


main()
