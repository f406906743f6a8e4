extension CachePolicy {
    /// Computes, for each type, the least age of an object of that type and everything nested in it.
    ///
    /// Ages move up from field to type, least first, so that the first age that reaches a type is its least.
    ///
    /// - Returns: The least ages by type; types without an age are left out.
    /// - Complexity: O(fields + types · log types).
    static func leastAges(of types: [TypePolicy]) -> [ByteString: Int] {
        /// The types that have a field of each type.
        var holders: [ByteString: [ByteString]] = [:]
        var own: [(type: ByteString, seconds: Int)] = []
        for type in types {
            for field in type.fields {
                if case .composite(let target) = field.target { holders[target, default: []].append(type.name) }
            }
            let ages = ([type.age] + type.fields.map(\.age)).compactMap { age -> Int? in
                if case .seconds(let seconds) = age { seconds } else { nil }
            }
            if let least = ages.min() { own.append((type.name, least)) }
        }
        own.sort { ($0.seconds, $0.type) < ($1.seconds, $1.type) }
        var least: [ByteString: Int] = [:]
        for (type, seconds) in own {
            var reached = [type]
            while let type = reached.popLast() {
                guard least[type] == nil else { continue }
                least[type] = seconds
                reached += holders[type] ?? []
            }
        }
        return least
    }
}
