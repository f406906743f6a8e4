extension CachePolicy {
    /// The rules for one type, for a policy that is made in code. Nothing is inherited.
    ///
    /// - Source: Protocol/policy.md, effective rules: the same as a `type` with these directives and scalar fields.
    public struct Rules: Hashable, Sendable {
        /// The type's name on the wire.
        public var type: String
        /// The age at which the type's entities are stale, in seconds; nil for never.
        public var maxAge: Int?
        /// The ages of fields, in seconds, where they differ from ``maxAge``.
        public var fields: [String: Int]
        /// The fields whose references a delete follows, each with the type of the entity that is then deleted too.
        public var cascades: [String: String]

        /// Makes the rules of one type.
        ///
        /// - Parameters:
        ///   - type: The type's name on the wire.
        ///   - maxAge: The age at which entities are stale, 0 … 2147483647 seconds; 0 is always stale, nil never.
        ///   - fields: The ages of fields, in seconds; other fields have the age of the type.
        ///   - cascades: The fields whose references a delete follows, each with the type of the referenced entity.
        public init(
            _ type: String, maxAge: Int? = nil, fields: [String: Int] = [:], cascades: [String: String] = [:]
        ) {
            self.type = type
            self.maxAge = maxAge
            self.fields = fields
            self.cascades = cascades
        }
    }

    /// Makes a policy of rules, for programs without a schema.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.policy = CachePolicy([
    ///     CachePolicy.Rules("photo", maxAge: 3_600, fields: ["rating": 60], cascades: ["album": "album"])
    /// ])
    /// ```
    ///
    /// - Precondition: No type occurs twice, and every age is 0 … 2147483647.
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
                // A reference without an age of its own has the limit of the entity that contains it.
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
