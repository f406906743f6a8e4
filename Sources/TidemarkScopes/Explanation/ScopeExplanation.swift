import TidemarkModel
import TidemarkViews

/// Whether the holder of certain claims sees an entity in a scope, and why.
///
/// For the person who writes the rules, never for the client: it contains values that the scope hides.
package enum ScopeExplanation: Hashable, Sendable {
    /// The scope shows the entity: what is sent of it, as JSON.
    case shown(sent: [UInt8])
    /// The address of the request is wrong: it is answered with 400 and this text.
    case badRequest(String)
    /// A parameter has no usable value in the claims: the request is answered with 403.
    ///
    /// - Parameters:
    ///   - at: The JSON Pointer to the parameter in the file.
    ///   - what: What is wrong with the value: the rest of a sentence that begins with the claim.
    case unusableClaim(at: String, what: String)
    /// A condition of `require` has no match: the request is answered with 403.
    ///
    /// - Parameters:
    ///   - at: The JSON Pointer to the condition in the file.
    ///   - condition: The condition as JSON.
    case forbidden(at: String, condition: [UInt8])
    /// The scope does not have the entity's type; it has these.
    case typeNotInScope([ByteString])
    /// The rules of the type do not let the entity in. `at` is a JSON Pointer into the file.
    case hidden(ViewFailure)

    /// True if the client sees the entity.
    package var isShown: Bool {
        if case .shown = self { true } else { false }
    }
}
