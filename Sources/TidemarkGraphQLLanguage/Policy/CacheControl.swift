import TidemarkModel

/// The rule in one `@cacheControl` or `@cacheControlField`.
struct CacheControl: Hashable {
    var age: AgeRule?
    var cascades = false
    /// The place of the `@`.
    var place: SourcePlace

    /// True if another directive has the same rule, whatever its place.
    func agrees(with other: CacheControl) -> Bool { age == other.age && cascades == other.cascades }

    /// The rule in the notation of a field's directive.
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
