import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// A cache whose policy cascades, with short helpers: library `a`, names as `type:id`.
///
///     type file { parts: [part] @cascade  next: file @cascade  friend: file }
///     type part { whole: file @cascade  leaf: part @cascade }
struct CascadeFixture {
    static let policy = CachePolicy(types: [
        type("file", [("parts", "part", true), ("next", "file", true), ("friend", "file", false)]),
        type("part", [("whole", "file", true), ("leaf", "part", true)]),
    ])

    static func type(_ name: ByteString, _ fields: [(ByteString, ByteString, Bool)]) -> TypePolicy {
        TypePolicy(
            name: name, kind: .object, age: nil, source: .none,
            fields: fields.map { name, target, cascades in
                FieldPolicy(
                    name: name, target: .composite(target), age: nil, cascades: cascades,
                    source: cascades ? .own : .none)
            })
    }

    let fixture: OptimisticFixture
    var cache: SyncCache { fixture.fixture.cache }

    static func open(
        _ journal: any Journal = MemoryJournal(), policy: CachePolicy = CascadeFixture.policy,
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> CascadeFixture {
        CascadeFixture(
            fixture: try await OptimisticFixture.open(journal) {
                $0.policy = policy
                configure(&$0)
            })
    }

    static func key(_ name: String) throws -> EntityKey {
        try #require(EntityKey(text: ByteString(name), library: "a"))
    }

    static func change(_ sequence: Int, _ type: String, _ resource: String) -> String {
        EventLine.change(resource, type: type, library: "a", sequence: Int64(sequence))
    }

    static func delete(_ sequence: Int, _ name: String, mutation: String? = nil) -> String {
        let parts = name.split(separator: ":").map(String.init)
        return EventLine.delete(
            parts[1], type: parts[0], library: "a", sequence: Int64(sequence), mutation: mutation)
    }

    func feed(_ lines: String...) async throws { try await fixture.fixture.input.feed(lines) }

    func delete(_ sequence: Int, _ name: String, mutation: String? = nil) async throws {
        try await feed(CascadeFixture.delete(sequence, name, mutation: mutation))
    }

    /// Writes resources in order, from sequence 1 on.
    func fill(_ resources: (String, String)...) async throws {
        for (index, (type, resource)) in resources.enumerated() {
            try await feed(CascadeFixture.change(index + 1, type, resource))
        }
    }

    /// Makes everything durable, which with a limit of 0 also empties memory.
    func flush() async throws { try await cache.flush() }

    /// Returns those of some entities that are visible.
    func seen(_ names: String...) async throws -> String {
        var seen: [String] = []
        for name in names where try await cache.read(try CascadeFixture.key(name), fields: nil).entity != nil {
            seen.append(name)
        }
        return seen.joined(separator: " ")
    }
}
