#!/usr/bin/env python3
"""Judges GraphQL documents with graphql-core, for tests that compare the judgement with Tidemark's.

Reads lines of JSON from standard input and answers each with one line of JSON.

The first line is {"schema": SDL}. Each further line is {"text": T, "canonical": C, "minified": M}: a document, and what
Tidemark prints of it in both styles, left out where it finds an error of syntax. The answer:

    syntax   the text parses
    valid    it keeps the rules of the specification of October 2021; false where it does not parse; null where
             graphql-core cannot say
    same     both prints parse to the tree that the text parses to; null where there is none
    errors   messages, three at most
"""

import json
import sys

from graphql import GraphQLError, build_schema, parse, specified_rules, validate

# A rule of drafts after October 2021.
LATER = {"MaxIntrospectionDepthRule"}
RULES = [rule for rule in specified_rules if rule.__name__ not in LATER]


def tree(text):
    return parse(text, no_location=True)


def has_description(document):
    """Descriptions of operations, fragments and variables came after October 2021."""
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
        # Its rule for subscriptions asks for the value of a variable, which a validation does not have.
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
