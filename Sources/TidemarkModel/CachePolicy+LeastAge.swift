extension CachePolicy {
    /// The least age that is met in an object of a type or in what is nested in it.
    ///
    /// Ages go up from field to type, the least first, so that each type is settled by the first that reaches it.
    ///
    /// - Returns: Types that meet none are left out.
    /// - Complexity: O(fields + types · log types).
    static func leastAges(of types: [TypePolicy]) -> [ByteString: Int] {
        /// Types that have a field of a type.
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
