import Synchronization
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// Network faults that a person switches on to test how a client copes with them.
///
/// - Source: Protocol/sessions.md, network.disturb.
package final class NetworkDisturbance: Sendable {
    /// The faults that apply to the next requests.
    package struct Faults: Hashable, Sendable {
        /// If true, every request fails with `offline` before it is sent.
        package var isOffline = false
        /// How long each request is delayed, in milliseconds.
        package var delay: Int64 = 0
        /// The number of further requests that fail with `connectionLost`.
        package var failureCount: Int64 = 0

        /// Creates faults that change nothing.
        package init() {}
    }

    private let state = Mutex(Faults())

    /// Creates a state without faults.
    package init() {}

    /// The current faults.
    package var faults: Faults { state.withLock { $0 } }

    /// Changes the faults. Parts that are nil stay as they are.
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

    /// Returns the faults for one request, and counts one failure as used.
    fileprivate func take() -> Faults {
        state.withLock { faults in
            let taken = faults
            if !faults.isOffline, faults.failureCount > 0 { faults.failureCount -= 1 }
            return taken
        }
    }
}

/// A transport that applies the faults of a ``NetworkDisturbance`` to another transport.
package struct DisturbedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let disturbance: NetworkDisturbance
    private let clock: any CacheClock

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: Performs the exchanges that do not fail.
    ///   - disturbance: The faults to apply.
    ///   - clock: Measures delays.
    package init(_ transport: any HTTPTransport, _ disturbance: NetworkDisturbance, clock: any CacheClock) {
        self.transport = transport
        self.disturbance = disturbance
        self.clock = clock
    }

    /// Applies one request's faults, then sends it through the other transport.
    ///
    /// - Throws: ``ExchangeError`` of a fault or of the other transport.
    package func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
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
