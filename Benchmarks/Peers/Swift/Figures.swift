import Foundation

/// The figures of one peer. nil is printed as null: the peer does not have the figure, or it was not measured.
struct Figures: Encodable {
    var name = ""
    var loadPerSecond: Double?
    var updatePerSecond: Double?
    var observers = 0
    var notifications: Int?
    var latencyP50Us: Double?
    var latencyP99Us: Double?
    var latencyRate: Double?
    var memoryBytes: Int?
    var diskBytes: Int?
    var listMs: Double?
    var listUnchangedMs: Double?
    var listDecodedMs: Double?
    var optimisticUs: Double?
    var optimisticDurableUs: Double?
    var coldStartMs: Double?
    var firstAnswerMs: Double?

    private enum CodingKeys: String, CodingKey {
        case name, observers, notifications
        case loadPerSecond = "load_per_second"
        case updatePerSecond = "update_per_second"
        case latencyP50Us = "latency_p50_us"
        case latencyP99Us = "latency_p99_us"
        case latencyRate = "latency_rate"
        case memoryBytes = "memory_bytes"
        case diskBytes = "disk_bytes"
        case listMs = "list_ms"
        case listUnchangedMs = "list_unchanged_ms"
        case listDecodedMs = "list_decoded_ms"
        case optimisticUs = "optimistic_us"
        case optimisticDurableUs = "optimistic_durable_us"
        case coldStartMs = "cold_start_ms"
        case firstAnswerMs = "first_answer_ms"
    }

    /// Encodes every key, with null for nil.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(observers, forKey: .observers)
        try container.encode(notifications, forKey: .notifications)
        try container.encode(memoryBytes, forKey: .memoryBytes)
        try container.encode(diskBytes, forKey: .diskBytes)
        let numbers: [(CodingKeys, Double?)] = [
            (.loadPerSecond, loadPerSecond), (.updatePerSecond, updatePerSecond), (.latencyP50Us, latencyP50Us),
            (.latencyP99Us, latencyP99Us), (.latencyRate, latencyRate), (.listMs, listMs),
            (.listUnchangedMs, listUnchangedMs), (.listDecodedMs, listDecodedMs), (.optimisticUs, optimisticUs),
            (.optimisticDurableUs, optimisticDurableUs), (.coldStartMs, coldStartMs), (.firstAnswerMs, firstAnswerMs),
        ]
        for (key, number) in numbers { try container.encode(number, forKey: key) }
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Sets p50 and p99 of durations in nanoseconds, in microseconds.
    mutating func setLatencies(_ nanoseconds: [Int64], rate: Double) {
        latencyRate = rate
        let sorted = nanoseconds.sorted()
        guard !sorted.isEmpty else { return }
        latencyP50Us = Double(sorted[sorted.count / 2]) / 1e3
        latencyP99Us = Double(sorted[sorted.count * 99 / 100]) / 1e3
    }

    /// Returns the rate at which single events are sent to a peer, from its best rate; the same as in `peer.py`.
    static func rate(updatePerSecond: Double) -> Double {
        min(10_000, updatePerSecond / 2)
    }
}

extension [Double] {
    var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}
