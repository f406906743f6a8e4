import Synchronization
import TestTraits
import Testing
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

/// Faults that a person puts into the network.
@Suite(.pooled) struct DisturbedTransportTests {
    /// A network that only counts.
    private final class Counter: HTTPTransport {
        private let count = Mutex(0)

        var exchangeCount: Int { count.withLock { $0 } }

        func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
            count.withLock { $0 += 1 }
            throw ExchangeError(.tlsFailed, "it was sent")
        }
    }

    private func outcome(of transport: DisturbedTransport) async throws -> ExchangeCode? {
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL("http://localhost/"), fields: HeaderFields(), timeout: .seconds(1))
        do throws(ExchangeError) {
            _ = try await transport.exchange(exchange)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the next requests fail, then all are sent; offline none is, and uses up no failure`() async throws {
        let network = Counter()
        let disturbance = NetworkDisturbance()
        let clock = ManualClock()
        let transport = DisturbedTransport(network, disturbance, clock: clock)
        #expect(try await outcome(of: transport) == .tlsFailed)
        #expect(disturbance.set(isOffline: true, delay: nil, failureCount: 2).failureCount == 2)
        #expect(try await outcome(of: transport) == .offline)
        _ = disturbance.set(isOffline: false, delay: 0, failureCount: nil)
        #expect(try await outcome(of: transport) == .connectionLost)
        #expect(try await outcome(of: transport) == .connectionLost)
        #expect(network.exchangeCount == 1)
        #expect(try await outcome(of: transport) == .tlsFailed)
        #expect(network.exchangeCount == 2 && disturbance.faults.failureCount == 0)
    }

    @Test func `a cancelled exchange ends its delay`() async throws {
        let disturbance = NetworkDisturbance()
        _ = disturbance.set(isOffline: nil, delay: 3_600_000, failureCount: nil)
        let task = Task { try await outcome(of: DisturbedTransport(Counter(), disturbance, clock: ManualClock())) }
        task.cancel()
        #expect(try await task.value == .connectionLost)
    }
}
