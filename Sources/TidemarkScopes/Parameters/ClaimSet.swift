import TidemarkModel
import TidemarkViews

/// The claims of a token, by name and by path.
struct ClaimSet {
    private let claims: RuleNode

    /// Reads claims; nil if they are not one JSON object, or repeat a member.
    init?(_ json: [UInt8]) {
        do {
            claims = try RuleNode(text: json, name: "the claims")
        } catch {
            // Who signed such claims meant one of two values; neither opens a scope.
            return nil
        }
        guard case .object = claims else { return nil }
    }

    /// Returns the value of a claim as JSON without white space; nil if it is absent, null or an object.
    func value(of source: ScopeParameter.Source) -> [UInt8]? {
        let found: RuleNode? =
            switch source {
            case .claim(let name): claims.child(name.bytes) ?? value(at: ClaimSet.path(name))
            case .claimPath(let names): value(at: names.map(\.bytes))
            case .text, .integer, .fixed: nil
            }
        switch found {
        case nil, .object?: return nil
        case .word(let word)? where word == Array("null".utf8): return nil
        case .some(let node): return node.canonical
        }
    }

    private static func path(_ name: ByteString) -> [[UInt8]] {
        name.bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
    }

    private func value(at path: [[UInt8]]) -> RuleNode? {
        var node = claims
        for name in path {
            guard let child = node.child(name) else { return nil }
            node = child
        }
        return node
    }
}

extension RuleNode {
    /// The value of a member of an object, null included; nil without one.
    fileprivate func child(_ name: [UInt8]) -> RuleNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
