/// The token of a feed: it is asked for once, and again when the server refuses it.
///
/// Streams, requests for missing lines and edits share it, so that one refusal renews it for all of them.
actor ScopeToken {
    private let renew: @Sendable () async throws -> String
    private var current: String?
    /// The renewal under way; nil without one.
    private var renewal: Task<String, any Error>?

    init(_ renew: @escaping @Sendable () async throws -> String) { self.renew = renew }

    /// Returns the token.
    ///
    /// - Parameter refused: The token that the server refused; nil at first. If another one is there already, it is
    ///   returned and none is asked for.
    /// - Throws: The error of the program's closure.
    func value(insteadOf refused: String? = nil) async throws -> String {
        if let current, current != refused { return current }
        let task = renewal ?? Task { [renew] in try await renew() }
        renewal = task
        defer { renewal = nil }
        let token = try await task.value
        current = token
        return token
    }
}
