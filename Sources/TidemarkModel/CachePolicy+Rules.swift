extension CachePolicy {
    /// What a policy that is made in code says of one type; nothing is inherited from anywhere.
    ///
    /// - Source: Protocol/policy.md, effective rules: as a `type` with these directives and scalar fields would.
    public struct Rules: Hashable, Sendable {
        /// As on the wire.
        public var type: String
        /// Seconds at which the type's entities are stale; nil: never.
        public var maxAge: Int?
        /// Seconds by field, where they are others than the type's.
        public var fields: [String: Int]
        /// Fields that refer to entities which are deleted along, and those entities' type.
        public var cascades: [String: String]

        /// - Parameters:
        ///   - maxAge: Seconds, from 0; 0 is always stale. nil: never.
        ///   - fields: Seconds by field; others are as old as the type says.
        ///   - cascades: Types by the field whose reference a delete follows.
        public init(
            _ type: String, maxAge: Int? = nil, fields: [String: Int] = [:], cascades: [String: String] = [:]
        ) {
            self.type = type
            self.maxAge = maxAge
            self.fields = fields
            self.cascades = cascades
        }
    }

    /// A policy of the rules that are given, for programs that keep no schema.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.policy = CachePolicy([
    ///     CachePolicy.Rules("photo", maxAge: 3_600, fields: ["rating": 60], cascades: ["album": "album"])
    /// ])
    /// ```
    ///
    /// - Precondition: No type twice, and no age below 0 or above 2147483647.
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
                // A reference without an age of its own is as old as the entity that holds it.
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
