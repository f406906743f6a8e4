import Tidemark
import TidemarkModel

/// One method of a session: its name, its parameters, and how it is performed.
package struct SessionMethod: Sendable {
    /// Performs a request whose parameters were checked for unknown names.
    package typealias Perform = @Sendable (MethodCall) async throws(CacheError) -> MethodOutcome

    /// How a server treats a method while another process writes the database.
    package enum BesideWriter: Sendable {
        /// Refused: the method changes something, fetches or observes.
        case refused
        /// Performed.
        case performed
        /// Performed with the policy `cacheOnly`; other policies may fetch.
        case performedWithoutFetch
    }

    /// The name, such as `entity.get`.
    package let name: ByteString
    /// The names of the parameters, without `library_id`. nil accepts unknown ones, for methods in which a misspelt
    /// parameter cannot widen a change.
    package let params: [String]?
    /// True if the method creates an observer, which needs a receiver for its notifications.
    package let observes: Bool
    /// What happens to the method while another process writes the database.
    package let besideWriter: BesideWriter
    /// Performs a request.
    package let perform: Perform

    /// Creates a method.
    ///
    /// - Parameters:
    ///   - name: The name; no other method of a session may have it.
    ///   - params: The names of the parameters, without `library_id`; nil accepts unknown ones.
    ///   - observes: True if the method creates an observer.
    ///   - besideWriter: What happens to the method while another process writes the database.
    ///   - perform: Performs a request.
    package init(
        _ name: ByteString, params: [String]? = nil, observes: Bool = false, besideWriter: BesideWriter = .refused,
        perform: @escaping Perform
    ) {
        self.name = name
        self.params = params
        self.observes = observes
        self.besideWriter = besideWriter
        self.perform = perform
    }
}

/// What a method has done when it returns.
package enum MethodOutcome: Sendable {
    /// The request is answered with this result, a JSON object.
    case answered([UInt8])
    /// The method answers through the call's responder, now or later.
    case later
}
