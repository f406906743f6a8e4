#!/usr/bin/env python3
"""Validates GraphQL documents with graphql-core, for tests that compare the results with Tidemark's.

Reads lines of JSON from standard input and writes one line of JSON for each document.

The first line is {"schema": SDL}. Each further line is {"text": T, "canonical": C, "minified": M}: a document, and its
text as printed by Tidemark in both styles, both absent if Tidemark finds a syntax error. The result:

    syntax   true if the text parses
    valid    true if it follows the specification of October 2021; false if it does not parse; null if graphql-core
             cannot tell
    same     true if both printed texts parse to the same tree as the text; null if there are none
    errors   at most three messages
"""

import json
import sys

from graphql import GraphQLError, build_schema, parse, specified_rules, validate

# Rules of drafts later than October 2021.
LATER = {"MaxIntrospectionDepthRule"}
RULES = [rule for rule in specified_rules if rule.__name__ not in LATER]


def tree(text):
    return parse(text, no_location=True)


def has_description(document):
    """Returns whether an operation, fragment or variable has a description, which October 2021 does not allow."""
    nodes = [*document.definitions]
    for definition in document.definitions:
        nodes += getattr(definition, "variable_definitions", None) or []
    return any(getattr(node, "description", None) for node in nodes)


def judge(schema, line):
    try:
        document = parse(line["text"])
        if has_description(document):
            raise GraphQLError("A description stands in an executable document.")
    except GraphQLError as error:
        return {"syntax": False, "valid": False, "same": None, "errors": [error.message]}
    try:
        errors = validate(schema, document, RULES)
    except GraphQLError:
        # The rule for subscriptions needs the value of a variable, which is unknown during validation.
        errors = None
    same = None
    if line.get("canonical") is not None:
        wanted = tree(line["text"])
        try:
            same = tree(line["canonical"]) == wanted and tree(line["minified"]) == wanted
        except GraphQLError:
            same = False
    messages = [error.message for error in (errors or [])[:3]]
    return {"syntax": True, "valid": None if errors is None else not errors, "same": same, "errors": messages}


def main():
    schema = build_schema(json.loads(sys.stdin.readline())["schema"], assume_valid=True)
    for text in sys.stdin:
        sys.stdout.write(json.dumps(judge(schema, json.loads(text))) + "\n")


if __name__ == "__main__":
    main()
