import Tidemark
import TidemarkJSON
import TidemarkMessages

/// Simulates network faults, for whoever tests how a client copes with them.
///
/// - Source: Protocol/sessions.md, network.disturb.
package struct NetworkMethods: MethodFamily {
    /// The maximum delay of a request in milliseconds: 10 minutes.
    private static let delayMax: Int64 = 600_000
    /// The maximum number of consecutive requests that can be made to fail.
    private static let failureCountMax: Int64 = 1_000

    private let disturbance: NetworkDisturbance?

    /// Creates the family.
    ///
    /// - Parameter disturbance: The faults of the cache's own requests; nil if the cache sends none.
    package init(_ disturbance: NetworkDisturbance?) { self.disturbance = disturbance }

    /// `network.disturb`.
    package var methods: [SessionMethod] {
        [SessionMethod("network.disturb", params: ["offline", "delay", "fail_next"], perform: disturb)]
    }

    /// Sets the faults that are given, and answers with all of them.
    private func disturb(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let params = call.params
        let delay = try params.milliseconds("delay")
        if let delay, delay > NetworkMethods.delayMax {
            throw CacheError(.invalidParams, "delay is more than 600: pass seconds, from 0 to 600")
        }
        let isOffline = params.value("offline") == nil ? nil : try params.flag("offline")
        let failureCount = try params.integer("fail_next", in: 0...NetworkMethods.failureCountMax)
        guard let disturbance else {
            guard isOffline != nil || delay != nil || failureCount != nil else {
                return .answered(NetworkMethods.answer(NetworkDisturbance.Faults(), areSettable: false))
            }
            throw CacheError(
                .invalidParams, "this cache's host has the network: a server sends requests of its own")
        }
        let faults = disturbance.set(isOffline: isOffline, delay: delay, failureCount: failureCount)
        return .answered(NetworkMethods.answer(faults, areSettable: true))
    }

    private static func answer(_ faults: NetworkDisturbance.Faults, areSettable: Bool) -> [UInt8] {
        Answer.object { line in
            line.member("offline", faults.isOffline)
            line.member("delay", json: Array(JSONLine.seconds(faults.delay).utf8))
            line.member("fail_next", faults.failureCount)
            line.member("settable", areSettable)
        }
    }
}
