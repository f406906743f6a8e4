import Synchronization
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import ViewOracle

/// Folds the notifications of views, and can be full.
final class ViewSink: ObserverSink {
    /// What an observer was told.
    struct Shown {
        var rows: ReferenceJSON
        var total: ReferenceJSON?
        var stale: Bool
        var pending: Bool
        var missing: Int
        var asOf: ReferenceJSON
    }

    private struct State {
        var shown: [Int64: Shown] = [:]
        var ended: [Int64: String] = [:]
        var isFull = false
        var toldCount = 0
        var missedCount = 0
    }

    private let state = Mutex(State())

    func offer(_ notification: CacheNotification) -> Bool {
        guard !state.withLock({ $0.isFull }) else { return false }
        deliver(notification)
        return true
    }

    func deliver(_ notification: CacheNotification) {
        guard case .document(let document) = notification else { return }
        do {
            let params = try ReferenceJSONParser.parse(document.params)
            let number = try ViewSink.integer(params, "subscription")
            state.withLock { state in
                state.toldCount += 1
                if document.method == "view.ended" {
                    state.ended[number] = params.member("reason").map { "\($0)" } ?? ""
                    state.shown[number] = nil
                    return
                }
                #expect(document.method == "view.changed")
                guard let shown = state.shown[number] else {
                    Issue.record("subscription \(number) is told before its answer, or after its end")
                    return
                }
                state.missedCount += (try? Int(ViewSink.integer(params, "missed"))) ?? 0
                do {
                    state.shown[number] = try ViewSink.fold(params, into: shown)
                } catch {
                    Issue.record("\(error) in \(params) over \(shown.rows)")
                }
            }
        } catch {
            Issue.record("\(error) in \(String(decoding: document.params, as: UTF8.self))")
        }
    }

    private static func fold(_ params: ReferenceJSON, into shown: Shown) throws -> Shown {
        let patch = try #require(params.member("patch"))
        for operation in patch.elements ?? [] {
            let name = operation.member("op").map { "\($0)" } ?? ""
            #expect([#""add""#, #""remove""#, #""replace""#, #""move""#].contains(name))
        }
        return Shown(
            rows: try NaivePatch.apply(patch, to: shown.rows), total: params.member("total"),
            stale: params.member("stale") == .bool(true), pending: params.member("pending") == .bool(true),
            missing: Int(try integer(params, "missing")), asOf: params.member("as_of") ?? .null)
    }

    private static func integer(_ object: ReferenceJSON, _ name: String) throws -> Int64 {
        try #require(object.member(name)?.integerText.flatMap { Int64(String(decoding: $0, as: UTF8.self)) })
    }

    func waitForRoom() async {}

    func begin(_ subscription: SubscriptionID, _ shown: Shown) {
        state.withLock { $0.shown[subscription.rawValue] = shown }
    }

    func shown(_ subscription: SubscriptionID) -> Shown? { state.withLock { $0.shown[subscription.rawValue] } }

    func reason(_ subscription: SubscriptionID) -> String? { state.withLock { $0.ended[subscription.rawValue] } }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    var toldCount: Int { state.withLock { $0.toldCount } }
    var missedCount: Int { state.withLock { $0.missedCount } }
}
