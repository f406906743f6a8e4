import TidemarkModel
import TidemarkServer

/// The keys that verify tokens: a value, made once of a file.
package struct TokenKeySet: Sendable {
    private let keys: [TokenKey]
    /// The keys' ids, which differ.
    package let ids: Set<ScopeKeyID>

    /// The largest file: 1 MiB.
    package static let fileByteCountMax = 1 << 20
    /// The most keys of a file.
    static let keyCountMax = 100

    /// Parses a JWK Set.
    ///
    /// - Parameter json: The text of the file: `{"keys": […]}`.
    /// - Throws: ``TokenKeyError`` for the first key that cannot be used safely.
    /// - Source: RFC 7517, section 5.
    package init(json: [UInt8]) async throws(TokenKeyError) {
        var keys: [TokenKey] = []
        for entry in try KeyFileParser.entries(json) {
            do {
                keys.append(try await TokenKey(entry.value, name: entry.name))
            } catch {
                throw TokenKeyError(
                    entry.place, "is not a key: its numbers do not belong together; export it again")
            }
        }
        self.keys = keys
        ids = Set(keys.map(\.id))
    }

    /// Returns the key that has to have signed a token.
    ///
    /// - Throws: ``ScopeTokenError`` `.unknownKey` if no key has the token's `kid` and algorithm, or the token names
    ///   none of several.
    func key(for header: TokenHeader) throws(ScopeTokenError) -> TokenKey {
        // Each of several keys has a name, so a token without one finds none of them.
        let named = header.keyName == nil && keys.count == 1 ? keys.first : keys.first { $0.id.name == header.keyName }
        guard let key = named, key.algorithm == header.algorithm else { throw .unknownKey }
        return key
    }
}
