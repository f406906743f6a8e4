import ScopeTestKit
import Testing
import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// A server with the example of the protocol: two users in one project, one in another.
struct StreamFixture {
    let entities = OracleEntities()
    var scopes: ScopeSet
    var nonce: UInt64 = 0
    var now: Int64 = 0

    init(_ file: String = ScopeFiles.project, limits: ScopeLimits = ScopeLimits()) throws {
        scopes = ScopeSet(try ScopeFile(json: Array(file.utf8)), .test(), limits: limits)
        apply([
            ("membership:m1", #"{"id":"m1","user":"ann","project":"p1"}"#),
            ("membership:m2", #"{"id":"m2","user":"bob","project":"p1"}"#),
            ("project:p1", #"{"id":"p1","name":"One"}"#), ("project:p2", #"{"id":"p2","name":"Two"}"#),
            ("user:ann", #"{"id":"ann","name":"Ann","email":"hidden"}"#),
            ("issue:i1", #"{"id":"i1","project":"p1","internal_notes":"hidden"}"#),
            ("issue:i9", #"{"id":"i9","project":"p2"}"#),
        ])
    }

    /// Applies a unit: `type:id` and the resource, nil for a delete.
    mutating func apply(_ changes: [(String, String?)], by subject: ByteString? = nil, through: ScopeHandle? = nil) {
        var unit: [ViewChange] = []
        for (text, resource) in changes {
            let parts = text.split(separator: ":", maxSplits: 1).map { ByteString(String($0)) }
            let key = ViewKey(type: parts[0], id: parts[1])
            let new: ViewEntityState = resource.map { .present(Array($0.utf8)) } ?? .deleted
            unit.append(ViewChange(key, from: entities.state(of: key), to: new))
            entities.states[key] = new
        }
        let origin = subject.map { ScopeOrigin(ScopeEdit(subject: $0, mutationID: "edit"), through: through) }
        _ = scopes.apply(unit, settling: origin, now: now, entities)
    }

    mutating func open(_ user: String, _ project: ByteString? = "p1", name: ByteString = "project") throws
        -> ScopeHandle
    {
        let definition = try #require(scopes.file.scopes[name])
        let parameters = try ScopeParameters(
            definition, claims: Array(#"{"sub":"\#(user)"}"#.utf8),
            address: project.map { [(name: "project" as ByteString, value: $0)] } ?? [])
        let handle = try scopes.open(name, parameters)
        nonce += 1
        while !scopes.fill(handle, entities, countMax: 100, identity: ScopeSecret.bytes(nonce), now: now) {}
        return handle
    }

    /// The lines that a reader is sent, without library and epoch.
    mutating func read(_ handle: ScopeHandle, _ reader: inout ScopeReader, room: Int = 1 << 20) -> [String] {
        nonce += 1
        return scopes.decide(handle, for: &reader, room: room, nonce: nonce, entities).map { StreamFixture.text($0) }
    }

    /// A line without the names of its log.
    static func text(_ line: ScopeLine) -> String {
        let text = String(decoding: line.bytes, as: UTF8.self)
        let names = #/"library_id":"scope-[0-9a-f]{32}","epoch":"[0-9a-f]{48}",?/#
        return text.replacing(names, with: "")
    }
}
