#!/usr/bin/env python3
"""Judges GraphQL documents with graphql-core, for tests that compare the judgement with Tidemark's.

Reads lines of JSON from standard input and answers each with one line of JSON.

The first line is {"schema": SDL}. Each further line is {"text": T, "canonical": C, "minified": M}: a document, and what
Tidemark prints of it in both styles, left out where it finds an error of syntax. The answer:

    syntax   the text parses
    valid    it keeps the rules of the specification of October 2021; false where it does not parse
    same     both prints parse to the tree that the text parses to; null where there is none
    errors   messages, three at most
"""

import json
import sys

from graphql import GraphQLError, build_schema, parse, specified_rules, validate

# Rules of drafts after October 2021.
LATER = {
    "DeferStreamDirectiveLabel", "DeferStreamDirectiveOnRootField", "DeferStreamDirectiveOnValidOperationsRule",
    "StreamDirectiveOnListField", "MaxIntrospectionDepthRule",
}
# A rule of October 2021 that says more in later drafts.
LATER_WORDS = "must not use `@skip` or `@include`"
RULES = [rule for rule in specified_rules if rule.__name__ not in LATER]


def tree(text):
    return parse(text, no_location=True)


def judge(schema, line):
    try:
        document = parse(line["text"])
    except GraphQLError as error:
        return {"syntax": False, "valid": False, "same": None, "errors": [error.message]}
    errors = [error for error in validate(schema, document, RULES) if LATER_WORDS not in error.message]
    same = None
    if line.get("canonical") is not None:
        wanted = tree(line["text"])
        try:
            same = tree(line["canonical"]) == wanted and tree(line["minified"]) == wanted
        except GraphQLError:
            same = False
    return {"syntax": True, "valid": not errors, "same": same, "errors": [error.message for error in errors[:3]]}


def main():
    schema = build_schema(json.loads(sys.stdin.readline())["schema"], assume_valid=True)
    for text in sys.stdin:
        sys.stdout.write(json.dumps(judge(schema, json.loads(text))) + "\n")


if __name__ == "__main__":
    main()
