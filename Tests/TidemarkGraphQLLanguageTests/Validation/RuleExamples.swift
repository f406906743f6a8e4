@testable import TidemarkGraphQLLanguage

/// A document, and the rules that it breaks; none when it is a good one.
struct RuleExample: Sendable, CustomStringConvertible {
    var text: String
    var rules: [DocumentRule]
    /// `line:column` of the first finding.
    var place: String?

    init(_ text: String, _ rules: DocumentRule..., at place: String? = nil) {
        self.text = text
        self.rules = rules
        self.place = place
    }

    var description: String { "\(rules.map(\.rawValue)): \(text)" }
}

/// Examples for each rule, good ones and bad ones, on ``MusicSchema``.
enum RuleExamples {
    static let operations = [
        RuleExample("{ count }"),
        RuleExample("query A { count } query B { count }"),
        RuleExample("query A { count } mutation A { rename(id: 1) { id } }", .duplicateOperation, at: "1:28"),
        RuleExample("{ count } query B { count }", .unnamedOperation, at: "1:1"),
        RuleExample("{ count } { count }", .unnamedOperation, .unnamedOperation),
        RuleExample("subscription { songAdded { title } }"),
        RuleExample("subscription { songAdded { title } ...F } fragment F on Subscription { songAdded { id } }"),
        RuleExample("subscription { songAdded { title } played { title } }", .subscriptionRoot, at: "1:36"),
        RuleExample("subscription { a: songAdded { title } songAdded { title } }", .subscriptionRoot),
        RuleExample(
            "subscription { ...F } fragment F on Subscription { songAdded { id } played { id } }", .subscriptionRoot),
        RuleExample("subscription { __typename }", .subscriptionRoot),
        RuleExample(
            "subscription { songAdded { id } played @skip(if: true) { id } ... @include(if: false) { played { id } } }"),
        RuleExample("fragment F on Song { id }", .noOperation, .unusedFragment),
    ]

    static let fields = [
        RuleExample("{ hero { id name genre __typename } __schema { types { name } } __type(name: \"a\") { kind } }"),
        RuleExample("{ hero { title } }", .unknownField, at: "1:10"),
        RuleExample("{ hero { a: nam } }", .unknownField, at: "1:13"),
        RuleExample("{ hero { __schema { types { name } } } }", .unknownField),
        RuleExample("{ thing { title } }", .unknownField),
        RuleExample("{ thing { __typename ... on Song { title } } }"),
        RuleExample("{ node(id: 1) { name } }", .unknownField),
        RuleExample("{ node(id: 1) { id ... on Named { name } } }"),
        RuleExample("{ hero }", .missingSelection, at: "1:3"),
        RuleExample("{ thing }", .missingSelection),
        RuleExample("{ count { a } }", .unexpectedSelection, at: "1:3"),
        RuleExample("{ hero { genre { a } } }", .unexpectedSelection),
    ]

    static let merging = [
        RuleExample("{ hero { name name } hero { name id } }"),
        RuleExample("{ hero { a: name a: id } }", .conflictingFields, at: "1:18"),
        RuleExample("{ a: artist(id: 1) { id } a: artist(id: 1) { name } }"),
        RuleExample("{ artist(id: 1) { id } artist(id: 2) { name } }", .conflictingFields),
        RuleExample("{ artist(id: 1) { id } artist(id: \"1\") { name } }", .conflictingFields),
        RuleExample("query($a: ID!) { artist(id: $a) { id } artist(id: $a) { name } }"),
        RuleExample("query($a: ID!, $b: ID!) { artist(id: $a) { id } artist(id: $b) { name } }", .conflictingFields),
        RuleExample("{ search(text: \"a\", limit: 1) { __typename } search(limit: 1, text: \"a\") { __typename } }"),
        RuleExample("{ hero { name(upper: true) } ...F } fragment F on Query { hero { name } }", .conflictingFields),
        RuleExample("{ thing { ... on Song { a: title } ... on Place { a: name } } }"),
        RuleExample("{ thing { ... on Song { a: title } ... on Book { a: title } } }", .conflictingFields),
        RuleExample("{ thing { ... on Song { a: seconds } ... on Book { a: id } } }"),
        RuleExample("{ thing { ... on Song { a: seconds } ... on Book { a: title } } }", .conflictingFields),
        RuleExample("{ thing { ... on Song { a: artist { b: name } } ... on Book { a: author { b: last } } } }"),
        RuleExample(
            "{ thing { ... on Song { a: artist { b: name } } ... on Book { a: author { b: id } } } }",
            .conflictingFields),
        RuleExample("{ node(id: 1) { ... on Named { a: name } ... on Song { a: title } } }", .conflictingFields),
        RuleExample("{ node(id: 1) { ... on Named { a: name } ... on Artist { a: name } } }"),
        RuleExample(
            "{ node(id: 1) { ...A ...B } } fragment A on Artist { x: id } fragment B on Song { x: title }",
            .conflictingFields),
        RuleExample("{ node(id: 1) { ...A ...B } } fragment A on Artist { x: id } fragment B on Song { x: id }"),
        RuleExample("{ place { position p: position } count p: count }"),
        RuleExample("{ hero { s: songs { a: title } } hero { s: songs { a: id } } }", .conflictingFields),
        RuleExample(
            "{ node(id: 1) { ... on Named { s: id } ... on Song { a: artist { n: name } } ... on Artist { s: genre } } }",
            .conflictingFields),
    ]

    static let arguments = [
        RuleExample("{ artist(id: 1) { id } }"),
        RuleExample("{ artist(id: 1, of: 2) { id } }", .unknownArgument, at: "1:17"),
        RuleExample("{ count(a: 1) }", .unknownArgument),
        RuleExample("{ artist(id: 1, id: 1) { id } }", .duplicateArgument, at: "1:17"),
        RuleExample("{ count @include(if: true, if: true) }", .duplicateArgument),
        RuleExample("{ artist { id } }", .missingArgument, at: "1:3"),
        RuleExample("{ search(text: \"a\") { __typename } }"),
        RuleExample("{ search(text: \"a\", limit: null) { __typename } }", .badValue),
        RuleExample("{ count @include }", .missingArgument),
        RuleExample("{ count @include(if: true, unless: false) }", .unknownArgument),
        RuleExample("{ count @upper }"),
    ]

    static let fragments = [
        RuleExample("{ hero { ...F } } fragment F on Artist { id }"),
        RuleExample("{ hero { ...F } } fragment F on Artist { id } fragment F on Artist { name }", .duplicateFragment),
        RuleExample("{ hero { ... on Nobody { id } } }", .unknownType, at: "1:17"),
        RuleExample("{ hero { ...F } } fragment F on Nobody { id }", .unknownType),
        RuleExample("{ hero { ... on Genre { id } } }", .fragmentOnLeaf),
        RuleExample("{ hero { ...F } } fragment F on SongInput { id }", .fragmentOnLeaf),
        RuleExample("{ count } fragment F on Artist { id }", .unusedFragment, at: "1:20"),
        RuleExample(
            "{ count } fragment F on Artist { ...G } fragment G on Artist { id }", .unusedFragment, .unusedFragment),
        RuleExample("{ hero { ...G } }", .unknownFragment, at: "1:13"),
        RuleExample("{ hero { ...F } } fragment F on Artist { ...F }", .fragmentCycle, at: "1:42"),
        RuleExample(
            "{ hero { ...F } } fragment F on Artist { friends { ...G } } fragment G on Artist { friends { ...F } }",
            .fragmentCycle),
        RuleExample("{ hero { ... on Song { id } } }", .impossibleFragment, at: "1:10"),
        RuleExample("{ hero { ... on Named { id } ... on Node { id } } }"),
        RuleExample("{ hero { ... on Thing { __typename } } }", .impossibleFragment),
        RuleExample("{ thing { ... on Node { id } ...F } } fragment F on Song { id }"),
        RuleExample("{ thing { ...F } } fragment F on Artist { id }", .impossibleFragment),
        RuleExample("{ thing { ... on Named { id } } }", .impossibleFragment),
        RuleExample("{ hero { ... { id } ... @include(if: true) { name } } }"),
    ]

    static let values = [
        RuleExample("{ songs(filter: {title: \"a\", seconds: 1, genre: ROCK, tags: [\"x\"]}) { id } }"),
        RuleExample("{ songs(filter: {title: \"a\", tags: \"x\"}, genres: JAZZ) { id } }"),
        RuleExample("{ songs(filter: {title: 1}) { id } }", .badValue, at: "1:25"),
        RuleExample("{ songs(filter: {title: null}) { id } }", .badValue),
        RuleExample("{ songs(filter: {title: \"a\", seconds: 2147483648}) { id } }", .badValue),
        RuleExample("{ songs(filter: {title: \"a\", seconds: 1.0}) { id } }", .badValue),
        RuleExample("{ songs(filter: {title: \"a\", seconds: -2147483648}) { id } }"),
        RuleExample("{ songs(filter: {title: \"a\", genre: \"ROCK\"}) { id } }", .badValue),
        RuleExample("{ songs(filter: {title: \"a\", genre: POP}) { id } }", .badValue),
        RuleExample("{ songs(filter: [\"a\"]) { id } }", .badValue),
        RuleExample("{ songs(filter: {title: \"a\", length: 1}) { id } }", .unknownInputField, at: "1:30"),
        RuleExample("{ songs(filter: {title: \"a\", title: \"b\"}) { id } }", .duplicateInputField),
        RuleExample("{ songs(filter: {genre: ROCK}) { id } }", .missingInputField, at: "1:17"),
        RuleExample("{ songs(filter: {title: \"a\", artist: {}}) { id } }", .missingInputField),
        RuleExample("{ songs(filter: null, genres: null) { id } }"),
        RuleExample("{ songs(genres: [ROCK, null]) { id } }", .badValue),
        RuleExample("{ at(date: {year: 1, month: [1]}) b: at(date: 5) c: at(date: NOW) }"),
        RuleExample("{ at(date: {year: 1, year: 2}) }", .duplicateInputField),
        RuleExample("{ artist(id: 1.5) { id } }", .badValue),
        RuleExample("{ artist(id: true) { id } }", .badValue),
        RuleExample("{ hero { name(upper: 1) } }", .badValue),
        RuleExample("{ named(ids: [1, \"b\"]) { id } }"),
        RuleExample("{ named(ids: 1) { id } }"),
    ]

    static let directives = [
        RuleExample("{ count @include(if: true) @skip(if: false) @tag(name: \"a\") @tag(name: \"b\") }"),
        RuleExample("{ count @nobody }", .unknownDirective, at: "1:9"),
        RuleExample("query @include(if: true) { count }", .misplacedDirective),
        RuleExample("query @upper { count }"),
        RuleExample("mutation @upper { rename(id: 1) { id } }", .misplacedDirective),
        RuleExample("query($a: Int @tag(name: \"x\")) { hero { songs(first: $a) { id } } }", .misplacedDirective),
        RuleExample("query($a: Int @upper) { hero { songs(first: $a) { id } } }"),
        RuleExample("{ count @include(if: true) @include(if: false) }", .duplicateDirective, at: "1:28"),
        RuleExample("{ hero { ... @defer { id } ...F @defer(if: false, label: \"a\") } } fragment F on Artist { id }"),
        RuleExample("{ hero @defer { id } }", .misplacedDirective),
        RuleExample(
            "{ hero { ... @defer(label: \"a\") { id } ... @defer(label: \"b\") { name } ... @defer { genre } ... @defer { id } } }"
        ),
        RuleExample(
            "{ hero { ... @defer(label: \"a\") { id } ... @defer(label: \"a\") { name } } }", .duplicateLabel,
            at: "1:58"),
        RuleExample(
            "query A { hero { ...F @defer(label: \"a\") } } query B { hero { ...F @defer(label: \"a\") } } fragment F on Artist { id }",
            .duplicateLabel),
        RuleExample(
            "query($l: String) { hero { ... @defer(label: $l) { id } } }", .variableLabel, at: "1:46"),
        RuleExample(
            "query @cacheControl(maxAge: 1) { count @cacheControl(maxAge: 2) hero @cacheControl(inheritMaxAge: true) { id } }"
        ),
        RuleExample("{ hero { ... @cacheControl(maxAge: 1) { id } } }", .misplacedDirective),
        RuleExample("{ hero { songs @connection(key: \"s\", filter: [\"first\"]) { id } } }"),
        RuleExample("{ hero { songs @connection { id } } }", .missingArgument),
        RuleExample("{ count @deprecated }", .misplacedDirective),
    ]

    static let variables = [
        RuleExample("query($a: ID!) { artist(id: $a) { id } }"),
        RuleExample("query($a: ID!, $a: ID!) { artist(id: $a) { id } }", .duplicateVariable, at: "1:16"),
        RuleExample("query($a: Artist) { artist(id: $a) { id } }", .variableNotInput),
        RuleExample("query($a: Nobody) { artist(id: $a) { id } }", .unknownType),
        RuleExample("{ artist(id: $a) { id } }", .undefinedVariable, at: "1:14"),
        RuleExample("query { ...F } fragment F on Query { artist(id: $a) { id } }", .undefinedVariable),
        RuleExample(
            "query A($a: ID!) { ...F } query B { ...F } fragment F on Query { artist(id: $a) { id } }",
            .undefinedVariable),
        RuleExample("query($a: ID!) { count }", .unusedVariable, at: "1:7"),
        RuleExample("query($a: Boolean!) { count @include(if: $a) }"),
        RuleExample("query($a: ID) { artist(id: $a) { id } }", .variableMismatch, at: "1:28"),
        RuleExample("query($a: ID = 1) { artist(id: $a) { id } }"),
        RuleExample("query($a: ID = null) { artist(id: $a) { id } }", .variableMismatch),
        RuleExample("query($a: Int) { search(text: \"a\", limit: $a) { __typename } }"),
        RuleExample("query($a: String) { artist(id: $a) { id } }", .variableMismatch),
        RuleExample("query($a: [ID!]!) { named(ids: $a) { id } }"),
        RuleExample("query($a: ID!) { named(ids: $a) { id } }", .variableMismatch),
        RuleExample("query($a: ID!) { named(ids: [$a]) { id } }"),
        RuleExample("query($a: [ID]!) { named(ids: $a) { id } }", .variableMismatch),
        RuleExample("query($a: [Genre!]!) { songs(genres: $a) { id } }"),
        RuleExample("query($a: Int) { songs(filter: {title: \"a\", seconds: $a}) { id } }"),
        RuleExample("query($a: String) { songs(filter: {title: $a}) { id } }", .variableMismatch),
        RuleExample("query($a: Int = \"x\") { songs(filter: {title: \"a\", seconds: $a}) { id } }", .badValue),
        RuleExample("query($a: Int! = null) { songs(filter: {title: \"a\", seconds: $a}) { id } }", .badValue),
        RuleExample("query($a: Int) { at(date: {year: [$a]}) }"),
    ]

    static let all = operations + fields + merging + arguments + fragments + values + directives + variables

    /// Rules that are checked without a schema.
    static let withoutSchema: Set<DocumentRule> = [
        .noOperation, .unnamedOperation, .duplicateOperation, .duplicateArgument, .duplicateFragment, .unusedFragment,
        .unknownFragment, .fragmentCycle, .duplicateVariable, .undefinedVariable, .duplicateLabel, .variableLabel,
    ]
}
