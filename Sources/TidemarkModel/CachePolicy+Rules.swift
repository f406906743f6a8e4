extension CachePolicy {
    /// The rules for one type in a policy that is made in code; nothing is inherited.
    ///
    /// - Source: Protocol/policy.md, effective rules: the same as a `type` with these directives and scalar fields.
    public struct Rules: Hashable, Sendable {
        /// The type's name on the wire.
        public var type: String
        /// The age in seconds at which the type's entities are stale; nil: never.
        public var maxAge: Int?
        /// The ages in seconds, by field, where they differ from the type's.
        public var fields: [String: Int]
        /// The types of the entities that are deleted by a cascade, by the field that refers to them.
        public var cascades: [String: String]

        /// - Parameters:
        ///   - maxAge: The age in seconds, from 0; 0 is always stale. nil: never.
        ///   - fields: The ages in seconds, by field; other fields have the age of the type.
        ///   - cascades: The types, by the field whose reference a delete follows.
        public init(
            _ type: String, maxAge: Int? = nil, fields: [String: Int] = [:], cascades: [String: String] = [:]
        ) {
            self.type = type
            self.maxAge = maxAge
            self.fields = fields
            self.cascades = cascades
        }
    }

    /// Makes a policy of the given rules, for programs without a schema.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.policy = CachePolicy([
    ///     CachePolicy.Rules("photo", maxAge: 3_600, fields: ["rating": 60], cascades: ["album": "album"])
    /// ])
    /// ```
    ///
    /// - Precondition: No type occurs twice, and no age is below 0 or above 2147483647.
    public init(_ rules: [Rules]) {
        let names = Set(rules.map(\.type))
        precondition(names.count == rules.count, "\(rules.count) rules of \(names.count) types: give each type once")
        self.init(types: rules.map(\.policy))
    }
}

extension CachePolicy.Rules {
    fileprivate var policy: TypePolicy {
        let names = Set(fields.keys).union(cascades.keys).sorted()
        let fields = names.map { name in
            FieldPolicy(
                name: ByteString(name),
                target: cascades[name].map { .composite(ByteString($0)) } ?? .scalar("String"),
                // A reference without an age of its own has the age limit of the entity that holds it.
                age: self.fields[name].map(rule) ?? (cascades[name] == nil ? nil : .inherited),
                cascades: cascades[name] != nil, source: .own)
        }
        return TypePolicy(
            name: ByteString(type), kind: .object, age: maxAge.map(rule), source: maxAge == nil ? .none : .own,
            fields: fields)
    }

    private func rule(_ seconds: Int) -> AgeRule {
        precondition(0...Int(Int32.max) ~= seconds, "an age of \(type) is \(seconds) s: give 0 to \(Int32.max)")
        return .seconds(seconds)
    }
}
