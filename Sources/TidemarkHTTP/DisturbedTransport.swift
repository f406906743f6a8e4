import Synchronization
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// Faults that a person puts into a network, to see what a client makes of them.
///
/// - Source: Protocol/sessions.md, network.disturb.
package final class NetworkDisturbance: Sendable {
    /// The faults of the next requests.
    package struct Faults: Hashable, Sendable {
        /// No request is sent.
        package var isOffline = false
        /// The time for which each answer is held back, in milliseconds.
        package var delay: Int64 = 0
        /// The number of requests that fail before the next one is sent.
        package var failureCount: Int64 = 0

        package init() {}
    }

    private let state = Mutex(Faults())

    package init() {}

    package var faults: Faults { state.withLock { $0 } }

    /// Sets faults. Parts that are nil stay as they are.
    ///
    /// - Returns: The faults from now on.
    package func set(isOffline: Bool?, delay: Int64?, failureCount: Int64?) -> Faults {
        state.withLock { faults in
            if let isOffline { faults.isOffline = isOffline }
            if let delay { faults.delay = delay }
            if let failureCount { faults.failureCount = failureCount }
            return faults
        }
    }

    /// Returns the faults of one request, which uses up one failure.
    fileprivate func take() -> Faults {
        state.withLock { faults in
            let taken = faults
            if !faults.isOffline, faults.failureCount > 0 { faults.failureCount -= 1 }
            return taken
        }
    }
}

/// A transport with the faults that somebody chose.
package struct DisturbedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let disturbance: NetworkDisturbance
    private let clock: any CacheClock

    /// - Parameter clock: Measures delays.
    package init(_ transport: any HTTPTransport, _ disturbance: NetworkDisturbance, clock: any CacheClock) {
        self.transport = transport
        self.disturbance = disturbance
        self.clock = clock
    }

    /// - Throws: ``ExchangeError`` of the fault, or of the transport.
    package func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeAnswer {
        let faults = disturbance.take()
        guard !faults.isOffline else { throw ExchangeError(.offline, "the network was switched off for a test") }
        if faults.delay > 0 {
            do {
                try await clock.sleep(milliseconds: faults.delay)
            } catch {
                throw ExchangeError(.connectionLost, "the exchange was cancelled")
            }
        }
        guard faults.failureCount == 0 else { throw ExchangeError(.connectionLost, "the request failed for a test") }
        return try await transport.exchange(exchange)
    }
}
