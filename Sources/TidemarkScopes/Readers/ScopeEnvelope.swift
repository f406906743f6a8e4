import TidemarkJSON
import TidemarkModel

/// Writes lines: the envelope of one client around what all clients of a scope are sent.
///
/// - Source: Protocol/scopes.md, what is new in events.
struct ScopeEnvelope {
    /// The most bytes of an envelope, its names and the end of the line: 8 KiB, with a `mutation_id` whose every byte
    /// is escaped.
    static let byteCountMax = 8 << 10

    let library: ByteString
    let epoch: ByteString

    /// Returns a line.
    ///
    /// - Parameters:
    ///   - number: The line's own; nil for a heartbeat that only repeats the last one.
    ///   - previous: The number of the client's line before; nil for the first one of a state.
    ///   - hasMore: True if the unit goes on in the next line.
    func line(
        _ event: [UInt8], number: ScopeNumber?, previous: ScopeNumber?, hasMore: Bool = false,
        mutationID: ByteString? = nil
    ) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("envelope")
            line.object { line in
                line.member("library_id", Optional(library))
                line.member("epoch", Optional(epoch))
                if let number { line.member("sequence", number.rawValue) }
                if let previous { line.member("prev", previous.rawValue) }
                if hasMore { line.member("more", true) }
                if let mutationID { line.member("mutation_id", Optional(mutationID)) }
            }
            line.member("event", json: Optional(event))
        }
        return line.bytes
    }

    /// The event that begins a state: the reader drops what it is not sent again before the next heartbeat.
    static let reset = Array(#"{"Reset":{"state":true}}"#.utf8)

    /// The event that ends a state, and that shows between changes that the stream is alive.
    static func heartbeat(_ last: ScopeNumber, isStale: Bool = false) -> [UInt8] {
        Array(#"{"Heartbeat":{"last_sequence":\#(last.rawValue)\#(isStale ? #","stale":true"# : "")}}"#.utf8)
    }

    /// The event of an entity that left.
    static func deleted(_ type: ByteString, _ id: ByteString, _ reason: DepartureReason) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("ResourceDeleted")
            line.object { line in
                line.member("resource_type", Optional(type))
                line.member("resource_id", Optional(id))
                if reason == .scope { line.member("reason", Optional("scope" as ByteString)) }
            }
        }
        return line.bytes
    }

    /// The event of entities of one type: several as a batch, also none.
    static func changed(_ type: ByteString, _ resources: [[UInt8]]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name(resources.count == 1 ? "ResourceChanged" : "ResourceBatchChanged")
            line.object { line in
                line.member("resource_type", Optional(type))
                if resources.count == 1 {
                    line.member("resource", json: Optional(resources[0]))
                } else {
                    line.name("resources")
                    line.array { line in
                        for resource in resources { line.value(json: resource) }
                    }
                }
            }
        }
        return line.bytes
    }
}
