import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Tidemark
import TidemarkJSON
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkViews

/// `/scopes`, for the person who runs the server: what is served, and why a client sees an entity or not.
extension CacheServer {
    /// Answers with all scopes, or with an explanation if the address names an entity.
    func inspectScopes(_ request: Request) async throws(Refusal) -> Response {
        guard let scopes = configuration.scopes else { throw Refusal(.notFound, "this server has no scopes") }
        let items = try QueryItems(path: request.head.path ?? "", known: ["scope", "entity", "claims", "params"])
        let explainers = await scopes.service.explainers()
        guard let entity = items["entity"] else {
            return CacheServer.json(CacheServer.listing(explainers, await scopes.service.tallies()))
        }
        guard let name = items["scope"].map({ ByteString($0) }),
            let explainer = explainers.first(where: { $0.name == name })?.explainer
        else { throw Refusal(.notFound, "the file has no such scope: name one in the parameter scope") }
        guard let colon = entity.firstIndex(of: ":"), colon != entity.startIndex else {
            throw Refusal(.badRequest, "entity is not a type, a colon and an id")
        }
        let key = ViewKey(
            type: ByteString(String(entity[..<colon])), id: ByteString(String(entity[colon...].dropFirst())))
        let claims = items["claims"] ?? "{}"
        let address = try CacheServer.members(of: items["params"] ?? "{}", "params")
        _ = try CacheServer.node(claims, "claims")
        do throws(CacheError) {
            let explanation = try await scopes.service.explain(
                explainer, key, claims: Array(claims.utf8), address: address)
            return CacheServer.json(explanation.answer(scope: name, entity: ByteString(entity)) + [0x0A])
        } catch {
            throw Refusal(error.code == .limitExceeded ? .tooLarge : .storageFailed, error.message)
        }
    }

    // MARK: The address

    private static func node(_ text: String, _ name: String) throws(Refusal) -> RuleNode {
        do throws(ViewRuleError) {
            let node = try RuleNode(text: Array(text.utf8), name: name)
            if case .object = node { return node }
        } catch {
            throw Refusal(.badRequest, "\(name): \(error.what)")
        }
        throw Refusal(.badRequest, "\(name) is not one JSON object")
    }

    private static func members(
        of text: String, _ name: String
    ) throws(Refusal) -> [(name: ByteString, value: ByteString)] {
        guard case .object(let members) = try node(text, name) else { return [] }
        return members.map { member in
            if case .string(let text) = member.value { return (ByteString(member.name), ByteString(text)) }
            return (ByteString(member.name), ByteString(member.value.canonical))
        }
    }

    // MARK: The list

    private static func listing(
        _ explainers: [(name: ByteString, explainer: ScopeExplainer)], _ tallies: [ByteString: ScopeTally]
    ) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("scopes")
            line.array { line in
                for (name, explainer) in explainers {
                    line.object { scope(name, explainer, tallies[name] ?? ScopeTally(), &$0) }
                }
            }
        }
        return line.bytes + [0x0A]
    }

    private static func scope(
        _ name: ByteString, _ explainer: ScopeExplainer, _ tally: ScopeTally, _ line: inout JSONLine
    ) {
        line.member("name", Optional(name))
        line.member("library_id", explainer.library)
        for (member, names) in [("types", explainer.typesShown), ("params", explainer.addressNames)] {
            line.name(ByteString(member))
            line.array { line in
                for name in names { line.value(name) }
            }
        }
        let counts: [(ByteString, Int64)] = [
            ("clients", Int64(tally.streamCount)), ("instances", Int64(tally.scopeCount)),
            ("entities", Int64(tally.entityCount)), ("lines", tally.lineCount), ("bytes", tally.byteCount),
            ("states", tally.stateCount), ("cut", tally.cutCount), ("waiting_bytes", Int64(tally.waitingByteCount)),
            ("lag", Int64(tally.lagCount)),
        ]
        for (name, count) in counts { line.member(name, Int(count)) }
    }
}
