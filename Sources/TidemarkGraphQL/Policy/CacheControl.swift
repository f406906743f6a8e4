import TidemarkModel

/// What one `@cacheControl` or `@cacheControlField` says.
struct CacheControl: Hashable {
    var age: AgeRule?
    var cascades = false
    /// Of its `@`.
    var place: SourcePlace

    /// The same rule, wherever it stands.
    func agrees(with other: CacheControl) -> Bool { age == other.age && cascades == other.cascades }

    /// As one would write it on a field.
    var words: String {
        var arguments: [String] = []
        switch age {
        case .seconds(let seconds): arguments.append("maxAge: \(seconds)")
        case .inherited: arguments.append("inheritMaxAge: true")
        case nil: break
        }
        if cascades { arguments.append("cascadeDeletion: true") }
        return arguments.isEmpty
            ? "a @cacheControl that sets nothing" : "@cacheControl(\(arguments.joined(separator: ", ")))"
    }
}
