/// A schema of more than 10,000 lines with a document that reaches into it, written by rule: every kind of type, words
/// that Swift reserves, names that differ in case only, and types that refer to each other in circles.
struct LargeSchema {
    /// Object types; each takes 19 lines.
    static let typeCount = 540

    private static let words = [
        "self", "Type", "init", "class", "protocol", "default", "in", "let", "where", "description", "hashValue",
        "data", "Data", "string", "fragments", "document", "switch", "operator", "error", "return",
    ]

    private static func name(_ index: Int) -> String {
        // Some types differ from their neighbour in the case of letters only.
        index % 9 == 1 ? "THING_\(index - 1)" : "Thing_\(index)"
    }

    static let schema: String = {
        var lines = [
            "scalar Moment", "interface Node {", "  id: ID!", "  label: String", "}",
            "union Anything = \((0..<typeCount / 2).map { name($0 * 2) }.joined(separator: " | "))",
        ]
        for index in 0..<typeCount / 10 {
            lines += ["\"Kinds of number \(index).\"", "enum Kind_\(index) {"]
            lines += words.prefix(10).map { "  \($0)" } + ["  K\(index)", "}"]
            lines += ["input Filter_\(index) {", "  kind: Kind_\(index) = K\(index)", "  not: [Filter_\(index)!]"]
            lines += ["  \(words[index % words.count]): Int! = \(index)", "  since: Moment", "}"]
        }
        for index in 0..<typeCount {
            let next = name((index * 7 + 1) % typeCount)
            lines += [
                "\"\"\"", "Number \(index) of many, with a *star*, a `tick` and a \\\\ in its text.", "\"\"\"",
                "type \(name(index)) implements Node {", "  id: ID!", "  label: String",
                "  \"The next one, in a circle.\"", "  next: \(next)!",
                "  others(filter: Filter_\(index / 10)): [\(next)!]!",
                "  kind: Kind_\(index / 10)!", "  kinds: [[Kind_\(index / 10)!]]", "  any: Anything", "  node: Node",
                "  at: Moment", "  count: Int", "  \(words[index % words.count]): Float",
                "  \(words[(index + 7) % words.count])_\(index): Boolean!", "  _\(index)x: String", "}",
            ]
        }
        lines += ["type Query {", "  node(id: ID!): Node"]
        lines += (0..<typeCount).map { "  thing\($0)(filter: Filter_\($0 / 10)): \(name($0))" } + ["}"]
        return lines.joined(separator: "\n") + "\n"
    }()

    /// A fragment and a query for each of the first types.
    static func documents(of count: Int) -> String {
        (0..<count).map { index in
            let other = (index + 1) % count
            return """
                fragment Bits\(index) on \(name(index)) {
                  id label kind kinds at count \(words[index % words.count]) \(words[(index + 7) % words.count])_\(index)
                  any { ... on Node { label } ...on \(name(0)) { count kind } }
                  node { ...Other\(index) @defer id }
                }
                fragment Other\(index) on \(name(other)) { label next { id next { id label } } }
                query Ask\(index)($filter: Filter_\(index / 10), $document: Boolean! = true) {
                  thing\(index)(filter: $filter) {
                    ...Bits\(index)
                    others { id ... @include(if: $document) { label } next { id node { ...Other\(index) } } }
                  }
                }

                """
        }.joined()
    }
}
