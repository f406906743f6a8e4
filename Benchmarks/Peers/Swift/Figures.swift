import Foundation

/// The figures of one peer. nil is printed as null: the peer does not have the figure, or the figure was not measured.
struct Figures: Encodable {
    /// The name of the peer.
    var name = ""
    /// The new entities per second.
    var loadPerSecond: Double?
    /// The updates and deletions per second, with observers.
    var updatePerSecond: Double?
    /// The number of observers.
    var observers = 0
    /// The number of notifications in the phase of updates and deletions.
    var notifications: Int?
    /// The median latency from a due change to its observer, in microseconds.
    var latencyP50Us: Double?
    /// The 99th percentile of the latency, in microseconds.
    var latencyP99Us: Double?
    /// The changes per second while the latency was measured.
    var latencyRate: Double?
    /// The peak resident memory until the end of the phase of updates and deletions, in bytes.
    var memoryBytes: Int?
    /// The total size of the files, in bytes.
    var diskBytes: Int?
    /// The time to read a list after a change, in milliseconds.
    var listMs: Double?
    /// The time to read an unchanged list again, in milliseconds.
    var listUnchangedMs: Double?
    /// The time to read a list as Swift values, in milliseconds.
    var listDecodedMs: Double?
    /// The time of an optimistic edit and its rollback until both are visible, in microseconds.
    var optimisticUs: Double?
    /// The time of an optimistic edit and its rollback until both are on the disk, in microseconds.
    var optimisticDurableUs: Double?
    /// The time from the start of a process to its answer with one entity, in milliseconds.
    var coldStartMs: Double?
    /// The time from the start of a process to its answer with the first list, in milliseconds.
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

    /// The figures as one JSON object with sorted keys.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// Sets the median and the 99th percentile of latencies that are given in nanoseconds.
    mutating func setLatencies(_ nanoseconds: [Int64], rate: Double) {
        latencyRate = rate
        let sorted = nanoseconds.sorted()
        guard !sorted.isEmpty else { return }
        latencyP50Us = Double(sorted[sorted.count / 2]) / 1e3
        latencyP99Us = Double(sorted[sorted.count * 99 / 100]) / 1e3
    }

    /// Returns the number of single events a second for a peer with this best rate: half of it, at most 10,000.
    /// `peer.py` computes the same.
    static func rate(updatePerSecond: Double) -> Double {
        min(10_000, updatePerSecond / 2)
    }
}

extension [Double] {
    /// The median; for an even number of values, the upper one of the two in the middle. nil if there are none.
    var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}
