import TestTraits
import Testing
import TidemarkModel
import TidemarkServer
import TidemarkTesting

@testable import TidemarkScopeTokens

/// Tokens of attackers: all are refused, each for its own reason, and the client hears no more than it may.
@Suite(.pooled) struct HostileTokenTests {
    private func outcome(
        _ token: String, _ authenticator: JWTAuthenticator
    ) -> Result<ScopeIdentity, ScopeTokenError> {
        Result { () throws(ScopeTokenError) in
            try authenticator.authenticate(bearer: token, now: TokenForge.now)
        }
    }

    @Test func `every hostile token is refused for its reason`() async throws {
        let forge = try await TokenForge()
        let authenticator = JWTAuthenticator(try await TokenKeySet(json: TestKeys.all))
        let tokens = try HostileToken.all(forge)
        #expect(tokens.count >= 200)
        #expect(Set(tokens.map(\.name)).count == tokens.count)
        for token in tokens {
            #expect(outcome(token.token, authenticator) == .failure(token.error), "\(token.name)")
        }
        #expect(try authenticator.authenticate(bearer: forge.token(), now: TokenForge.now).subject == "u1")
    }

    @Test func `a token with one other character is refused, at every position`() async throws {
        let forge = try await TokenForge()
        let authenticator = JWTAuthenticator(try await TokenKeySet(json: TestKeys.all))
        var random = SeededGenerator(seed: 1)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
        for algorithm in TokenAlgorithm.allCases {
            let token = Array(try forge.token(algorithm).utf8)
            for position in token.indices {
                var changed = token
                repeat {
                    changed[position] = alphabet[Int(random.next() % UInt64(alphabet.count))]
                } while changed == token
                let text = String(decoding: changed, as: UTF8.self)
                guard case .success = outcome(text, authenticator) else { continue }
                #expect(Bool(false), "\(algorithm.rawValue) accepts another character at \(position)")
            }
        }
    }

    @Test func `without a verified signature every refusal has one text`() {
        let unverified: [ScopeTokenError] = [.malformed, .unsupported, .unknownKey, .wrongSignature]
        #expect(Set(unverified.map(\.message)) == ["the token is refused"])
        #expect(ScopeTokenError.allCases.filter { $0.status != 401 } == [.tooLong])
        #expect(ScopeTokenError.tooLong.status == 431)
    }
}
