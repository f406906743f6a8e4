import TidemarkTesting

/// Generates lines that must go to quarantine, for every reason but `too_many_libraries` and `too_large`.
package struct BadLineGenerator: Sendable {
    private let options: GeneratedStreamOptions

    /// Creates a generator.
    package init(options: GeneratedStreamOptions) { self.options = options }

    /// Returns a random bad line.
    ///
    /// - Parameter head: Envelope members as JSON text with a comma at the end, or empty. They stay readable unless the
    ///   reason for the quarantine prevents that.
    package func line(head: String, _ random: inout SeededGenerator) -> [UInt8] {
        let long = String(repeating: "x", count: 1_025)
        func event(_ kind: String) -> [UInt8] { Array("{\(head)\"event\":\(kind)}".utf8) }
        switch random.below(13) {
        case 0: return Array("{\(head)\"event\":{\"ResourceChanged\":{\"resource\":{\"id\":".utf8)
        case 1: return Array("{\(head)\"note\":nope}".utf8)
        case 2: return Array("{\(head)\"event\":{\"Custom\":\"".utf8) + [0xC3, 0x28] + Array("\"}}".utf8)
        case 3:
            let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
            return event("{\"Custom\":\(deep)}")
        case 4: return event("{\"ResourceChanged\":{\"resource_type\":\"bad type\",\"resource\":{\"id\":\"a\"}}}")
        case 5: return event("{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":[]}}")
        case 6: return event("{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":{\"id\":1.5}}}")
        case 7: return event("{\"ResourceDeleted\":{\"resource_type\":\"file\",\"resource_id\":\"\(long)\"}}")
        case 8: return Array("{\(head)\"prev\":-1,\"event\":\"Refresh\"}".utf8)
        case 9: return Array(random.pick(["{}", "[1]", "17", "null", "{\"a\":1,\"b\":2}", "{\"event\":null}"]).utf8)
        case 10: return event("{\"Heartbeat\":{}}")
        case 11:
            guard let limit = options.lineByteCountMax else { return event("5") }
            return Array("{\(head)\"pad\":\"".utf8) + Array(repeating: 0x20, count: limit) + Array("\"}".utf8)
        default:
            guard let limit = options.batchCountMax else { return event("{\"BatchChanged\":{}}") }
            let members = Array(repeating: "{\"id\":\"m\"}", count: limit + 1).joined(separator: ",")
            return event("{\"BatchChanged\":{\"resource_type\":\"file\",\"resources\":[\(members)]}}")
        }
    }
}
