import Tidemark
import TidemarkJSON
import TidemarkModel

/// Methods that belong together, such as those of HTTP responses. A session has a list of families.
///
/// The smallest family has one method:
///
/// ```swift
/// struct NothingMethods: MethodFamily {
///     var methods: [SessionMethod] {
///         [SessionMethod("nothing.do", params: [], perform: NothingMethods.perform)]
///     }
///
///     private static func perform(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
///         .answered(Answer.empty)
///     }
/// }
/// ```
///
/// A family is shared by all sessions of a process, so it has no state of a single session.
///
/// - Source: Protocol/sessions.md; CONTRIBUTING.md, a family of methods.
package protocol MethodFamily: Sendable {
    /// The methods, in any order.
    var methods: [SessionMethod] { get }
    /// What `cache.clear` also removes with a flag of this family; nil if there is no such flag.
    var clearing: ClearingFlag? { get }

    /// Ends a subscription that a method of this family created.
    ///
    /// - Returns: False if there is no such subscription.
    func cancel(_ subscription: SubscriptionID) async -> Bool
    /// Ends all subscriptions that methods of this family created for an output.
    func endSubscriptions(of output: any SessionOutput) async
    /// Returns a function that writes this family's members of `cache.stats`.
    func statistics(of cache: SyncCache) async -> @Sendable (inout JSONLine) -> Void
    /// Returns the upstream for the requests of pending edits.
    ///
    /// - Parameter other: The upstream without this family, to pass on what this family does not send.
    func mutationUpstream(
        over other: (any MutationUpstream)?, in session: SessionContext
    ) async -> (any MutationUpstream)?
    /// Finishes or fails pending work. Called once, after the last request and before the cache is closed.
    func close() async
}

extension MethodFamily {
    /// nil: `cache.clear` removes nothing of this family.
    package var clearing: ClearingFlag? { nil }

    /// False: methods of this family create observers of the cache itself, or none.
    package func cancel(_ subscription: SubscriptionID) async -> Bool { false }

    /// Does nothing.
    package func endSubscriptions(of output: any SessionOutput) async {}

    /// Returns a function that writes nothing.
    package func statistics(of cache: SyncCache) async -> @Sendable (inout JSONLine) -> Void { { _ in } }

    /// Returns `other`: this family sends nothing.
    package func mutationUpstream(
        over other: (any MutationUpstream)?, in session: SessionContext
    ) async -> (any MutationUpstream)? { other }

    /// Does nothing.
    package func close() async {}
}

/// A flag of `cache.clear`, which removes what a family stores besides entities and queries.
package struct ClearingFlag: Sendable {
    /// The name of the parameter.
    package var name: String
    /// Called before the cache is cleared, in line order, with the library, or nil for all libraries.
    package var begin: @Sendable (_ library: ByteString?) -> Void
    /// Called after the cache was cleared.
    package var finish: @Sendable (_ library: ByteString?) async throws(CacheError) -> Void

    /// Creates a flag.
    package init(
        name: String, begin: @escaping @Sendable (ByteString?) -> Void,
        finish: @escaping @Sendable (ByteString?) async throws(CacheError) -> Void
    ) {
        self.name = name
        self.begin = begin
        self.finish = finish
    }
}
