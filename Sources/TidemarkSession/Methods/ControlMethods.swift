import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

/// Methods about the session and the cache as a whole: the greeting, subscriptions, and waiting for the disk or for a
/// position in the log.
///
/// - Source: Protocol/sessions.md, methods.
struct ControlMethods: MethodFamily {
    /// The other families of the session.
    let families: [any MethodFamily]

    var methods: [SessionMethod] {
        [
            SessionMethod("initialize", besideWriter: .performed, perform: initialize),
            SessionMethod("observe.cancel", perform: cancel),
            SessionMethod("cache.stats", besideWriter: .performed, perform: statistics),
            SessionMethod("cache.explain", besideWriter: .performed, perform: ControlMethods.explain),
            SessionMethod("cache.flush", perform: ControlMethods.flush),
            SessionMethod("cache.caught_up", perform: ControlMethods.reach),
        ]
    }

    private func initialize(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        if let host = call.params.value("host"), host.kind != .string {
            throw call.params.wrong("host", "the host's name")
        }
        let known = TidemarkVersion.sessionProtocol
        if let asked = try call.params.integer("protocol", in: 1...Int64.max), asked > known {
            throw CacheError(
                .invalidParams,
                "protocol is \(asked): this version serves protocol \(known); update tidemark, or pass \(known)")
        }
        let names = (families.flatMap(\.methods) + methods).map(\.name).sorted()
        return .answered(
            Answer.object { line in
                line.member("protocol", TidemarkVersion.sessionProtocol)
                line.member("version", ByteString(TidemarkVersion.text))
                line.name("methods")
                line.array { line in
                    for name in names { line.value(name) }
                }
            })
    }

    private func cancel(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let subscription = try call.reader.subscription(
            call.params, wanted: "the number in the answer to the observe request")
        for family in families where await family.cancel(subscription) { return .answered(Answer.empty) }
        try await call.cache.cancel(subscription)
        return .answered(Answer.empty)
    }

    private func statistics(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        var writers: [@Sendable (inout JSONLine) -> Void] = []
        for family in families { writers.append(await family.statistics(of: call.cache)) }
        return .answered(
            Answer.statistics(await call.cache.statistics()) { line in
                for write in writers { write(&line) }
            })
    }

    private static func explain(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let explanation = try await call.cache.explain(
            try call.reader.key(call.params), maxAges: try call.reader.maxAges(call.params))
        return .answered(Answer.explanation(explanation))
    }

    private static func flush(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        try call.answerLater { [cache = call.cache, place = call.place] () throws(CacheError) in
            do throws(StorageError) {
                if let place {
                    // Lines before the request's own are enough: its own line changes nothing.
                    try await cache.flush(through: place.line - 1, of: place.input)
                } else {
                    try await cache.flush()
                }
                return Answer.empty
            } catch {
                throw CacheError(
                    .storageFailed, "nothing is written: \(error.message); it is tried again, so ask again later")
            }
        }
    }

    /// Answers with the position once the library has reached a sequence.
    private static func reach(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        guard let sequence = try call.params.sequence("sequence") else {
            throw call.params.wrong("sequence", "the sequence to wait for")
        }
        let library = try call.reader.library(call.params)
        let status = await call.cache.status(of: library)
        if let cursor = status.cursor, cursor >= sequence { return .answered(Answer.place(status)) }
        return try call.answerLater(untilCaughtUp: library) { [cache = call.cache] () throws(CacheError) in
            Answer.place(await cache.caughtUp(to: sequence, library: library))
        }
    }
}
