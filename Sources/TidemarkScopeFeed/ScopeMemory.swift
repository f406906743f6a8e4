import Tidemark
import TidemarkJSON
import TidemarkModel

/// Which library of the cache each scope feeds, kept in the cache, so that a feed resumes after a restart.
///
/// It is a library of its own with one entity for each address. An entity that was evicted costs a state.
struct ScopeMemory {
    /// The library with the entities.
    static let library: ByteString = "tidemark.scopes"
    private static let type: ByteString = "scope"

    let cache: SyncCache
    let address: ScopeAddress

    private var id: String {
        SHA256Digest(of: address.text.bytes).bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// Returns the library that the scope fed last; nil if none is known.
    func read() async throws(StorageError) -> ByteString? {
        let key = EntityKey(library: ScopeMemory.library, type: ScopeMemory.type, id: ByteString(id))
        guard case .found(let resource) = try await cache.entity(key) else { return nil }
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: resource.bytes)["library_id"]?.string.map { ByteString($0) }
        } catch {
            // No input reaches it: a stored resource is JSON.
            preconditionFailure("a stored resource is no JSON: \(error)")
        }
    }

    /// Remembers the library.
    func write(_ library: ByteString) async throws(StorageError) {
        var line = JSONLine()
        line.object { line in
            line.member("library_id", Optional(ScopeMemory.library))
            line.name("event")
            line.object { line in
                line.name("ResourceChanged")
                line.object { line in
                    line.member("resource_type", Optional(ScopeMemory.type))
                    line.name("resource")
                    line.object { line in
                        line.member("id", Optional(ByteString(id)))
                        line.member("scope", Optional(ByteString(address.scope)))
                        line.member("library_id", Optional(library))
                    }
                }
            }
        }
        try await cache.ingest(line.bytes)
    }

    /// Removes everything of a library, as an empty state does: pending edits stay.
    func drop(_ library: ByteString) async throws(StorageError) {
        if await cache.status(of: library).epoch.bytes.starts(with: "dropped-".utf8) { return }
        let number = cache.configuration.random()
        func line(_ sequence: Int64, _ event: String) -> [UInt8] {
            var line = JSONLine()
            line.object { line in
                line.member("library_id", Optional(library))
                line.member("epoch", Optional(ByteString("dropped-\(number)")))
                line.member("sequence", sequence)
                line.member("event", json: Optional(Array(event.utf8)))
            }
            return line.bytes + [0x0A]
        }
        try await cache.ingest(
            line(0, #"{"Reset":{"state":true}}"#) + line(1, #"{"Heartbeat":{"last_sequence":1}}"#))
    }
}
