import TidemarkJSON

/// Makes Swift names of GraphQL names.
package enum SwiftName {
    /// The words that need backticks as the name of a property, a parameter or a case.
    private static let keywords: Set<String> = [
        "Any", "Self", "Type", "Protocol", "actor", "any", "as", "associatedtype", "await", "borrowing", "break",
        "case",
        "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal",
        "is", "let", "nil", "nonisolated", "operator", "package", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "some", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The contextual keywords, which need no backticks as names of members.
    private static let contextual: Set<String> = [
        "actor", "any", "await", "borrowing", "consuming", "nonisolated", "package", "some",
    ]

    /// The names that a property cannot have, even in backticks, or that generated code uses itself.
    package static let reservedMembers: Set<String> = ["self", "Type", "init", "hashValue", "typename", "fragments"]

    /// The names of types that generated code uses without a module, or that Swift does not allow for a nested type.
    package static let reservedTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Codable", "Data", "Date", "Decodable", "Decoder", "Deferred",
        "Dictionary",
        "Double", "Encodable", "Encoder", "Error", "FieldAge", "Float", "Foundation", "Fragments", "GraphQLNullable",
        "GraphQLOperation",
        "Hashable", "Hasher", "InputWriter", "Int", "JSONValue", "Never", "OperationKind", "Optional", "Protocol",
        "Result", "Self",
        "SelectionError", "SelectionReader", "SelectionSet", "SelectionWriter", "Sendable", "Set", "String", "Swift",
        "TidemarkGraphQLTypes", "Type", "TypedEnumeration", "TypedFragment", "TypedInput", "TypedMutation",
        "TypedOperation", "TypedQuery", "TypedSubscription", "URL", "UUID", "Variables", "Void",
    ]

    /// Returns a name in the form for code, with backticks if it needs them.
    package static func escaped(_ name: String) -> String {
        keywords.contains(name) && !contextual.contains(name) ? "`\(name)`" : name
    }

    /// Returns a name in the form for the label of an argument, with backticks if it needs them.
    package static func label(_ name: String) -> String {
        ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }

    /// Returns the name of a property: `hero_name`, `HERO_NAME` and `HeroName` all become `heroName`.
    package static func member(_ name: String) -> String {
        let words = words(of: name)
        guard let first = words.first else { return "underscore" }
        return ([first.lowercased()] + words.dropFirst().map(capitalized)).joined().leadingLetter("value")
    }

    /// Returns the name of a type: `hero_name` and `heroName` become `HeroName`.
    package static func type(_ name: String) -> String {
        let words = words(of: name)
        return words.isEmpty ? "Underscore" : words.map(capitalized).joined().leadingLetter("Value")
    }

    /// Returns the name for one element of a list: `friends` becomes `friend`. Only endings that are certainly plural
    /// are removed.
    package static func singular(_ name: String) -> String {
        if ["movies", "series", "species", "cookies"].contains(where: { name.lowercased().hasSuffix($0) }) {
            return name
        }
        if name.hasSuffix("ies"), name.utf8.count > 4 { return name.dropLast(3) + "y" }
        if name.hasSuffix("ss") || name.hasSuffix("us") || name.hasSuffix("is") || !name.hasSuffix("s") { return name }
        if ["sses", "shes", "ches", "xes"].contains(where: { name.hasSuffix($0) }) { return String(name.dropLast(2)) }
        return name.utf8.count > 2 ? String(name.dropLast()) : name
    }

    /// Splits a name into words: at underscores, and where an uppercase letter follows a lowercase one.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        for part in name.split(separator: "_") {
            let letters = Array(part)
            var word = ""
            for (index, letter) in letters.enumerated() {
                let next = index + 1 < letters.count ? letters[index + 1] : nil
                let startsWord =
                    letter.isUppercase && !word.isEmpty
                    && (word.last?.isUppercase == false || next?.isLowercase == true)
                if startsWord {
                    words.append(word)
                    word = ""
                }
                word.append(letter)
            }
            if !word.isEmpty { words.append(word) }
        }
        return words
    }

    /// Returns a word with an uppercase first letter. Words in uppercase become lowercase, so that `NEW_HOPE` becomes
    /// `NewHope`; a short word such as `URL` in the middle of a name stays.
    private static func capitalized(_ word: String) -> String {
        guard let first = word.first else { return "" }
        let isLoud = word.utf8.count > 3 && word.allSatisfy { !$0.isLowercase }
        return first.uppercased() + (isLoud ? word.dropFirst().lowercased() : String(word.dropFirst()))
    }
}

extension String {
    /// Returns the name, preceded by a word if it begins with a digit.
    fileprivate func leadingLetter(_ word: String) -> String {
        first?.isNumber == true ? word + self : self
    }
}
