import TidemarkModel

/// Describes the rules of a policy in words.
enum PolicyText {
    /// Describes the rule of a type: `Song: stale after 3,600 s (own directive)`.
    static func line(of type: TypePolicy) -> String {
        "\(type.name): " + words(type.age, inherited: "as the entity that refers to it") + source(type.source)
    }

    /// Describes the rule of a field: `Song.artist: as type Artist, never stale; cascades to Artist (own directive)`.
    static func line(of field: FieldPolicy, in type: TypePolicy, of policy: CachePolicy) -> String {
        let parent = "as the \(type.name) it belongs to"
        var line = "\(type.name).\(field.name): "
        switch (field.age, field.target) {
        case (let age?, _): line += words(age, inherited: parent)
        case (nil, .scalar): line += parent
        case (nil, .composite(let name)):
            line += "as type \(name), " + words(policy.type(name)?.age, inherited: parent)
        }
        if field.cascades { line += "; cascades to \(field.target.typeName)" }
        return line + source(field.source)
    }

    private static func words(_ age: AgeRule?, inherited: String) -> String {
        switch age {
        case nil: "never stale"
        case .seconds(0): "always stale"
        case .seconds(let seconds): "stale after \(HumanText.count(seconds)) s"
        case .inherited: inherited
        }
    }

    private static func source(_ source: RuleSource) -> String {
        switch source {
        case .none: ""
        case .own: " (own directive)"
        case .interface(let name): " (from interface \(name))"
        }
    }
}
