import Metrics

/// Records a feed's statistics in the program's metrics backend, after each read from the stream.
///
/// | name | kind |
/// |---|---|
/// | `tidemark_stream_messages_total`, `tidemark_stream_bytes_total` | counter |
/// | `tidemark_stream_redeliveries_total`, `tidemark_stream_reconnects_total` | counter |
/// | `tidemark_stream_consumers_total`, `tidemark_stream_errors_total` | counter |
/// | `tidemark_stream_lag`, `tidemark_stream_sequence`, `tidemark_stream_connected` | gauge |
struct FeedMetrics: Sendable {
    private let counters: [(counter: Counter, count: any KeyPath<FeedStatistics, Int64> & Sendable)]
    private let lag: Gauge
    private let sequence: Gauge
    private let connected: Gauge
    /// The statistics recorded last; counters are incremented by the differences to them.
    private var recorded = FeedStatistics()

    private static let prefix = "tidemark_stream_"

    /// - Parameters:
    ///   - stream: The stream's name, the label of each metric.
    ///   - factory: The backend; nil for the one that the program has bootstrapped.
    init(stream: String, factory: (any MetricsFactory)? = nil) {
        let labels = [("stream", stream)]
        func counter(_ name: String) -> Counter {
            let label = "\(FeedMetrics.prefix)\(name)_total"
            return factory.map { Counter(label: label, dimensions: labels, factory: $0) }
                ?? Counter(label: label, dimensions: labels)
        }
        func gauge(_ name: String) -> Gauge {
            let label = FeedMetrics.prefix + name
            return factory.map { Gauge(label: label, dimensions: labels, factory: $0) }
                ?? Gauge(label: label, dimensions: labels)
        }
        counters = [
            (counter("messages"), \.messageCount), (counter("bytes"), \.byteCount),
            (counter("redeliveries"), \.redeliveryCount), (counter("reconnects"), \.reconnectCount),
            (counter("consumers"), \.consumerCount), (counter("errors"), \.errorCount),
        ]
        lag = gauge("lag")
        sequence = gauge("sequence")
        connected = gauge("connected")
    }

    /// Records the statistics if they differ from those recorded last.
    mutating func record(_ statistics: FeedStatistics) {
        guard statistics != recorded else { return }
        for (counter, count) in counters {
            let increment = statistics[keyPath: count] - recorded[keyPath: count]
            if increment > 0 { counter.increment(by: increment) }
        }
        lag.record(statistics.lag)
        sequence.record(statistics.sequence)
        connected.record(statistics.isConnected ? 1 : 0)
        recorded = statistics
    }
}
