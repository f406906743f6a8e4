import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Methods for looking at a cache. Those that read the disk delay no other line.
///
/// - Source: Protocol/sessions.md, looking at a cache.
struct InspectionMethods: MethodFamily {
    var methods: [SessionMethod] {
        [
            SessionMethod("entity.find", besideWriter: .performed, perform: InspectionMethods.find),
            SessionMethod("query.list", besideWriter: .performed, perform: InspectionMethods.queries),
            SessionMethod("quarantine.list", besideWriter: .performed, perform: InspectionMethods.quarantine),
            SessionMethod("quarantine.retry", params: ["numbers", "all"], perform: InspectionMethods.retry),
            SessionMethod("log.observe", observes: true, perform: InspectionMethods.observeLog),
            SessionMethod("log.list", perform: InspectionMethods.events),
            SessionMethod("doctor.findings", besideWriter: .performed, perform: InspectionMethods.findings),
            SessionMethod("facets", besideWriter: .performed, perform: InspectionMethods.facets),
        ]
    }

    private static func queries(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let page = try await call.cache.queries(
            library: try call.reader.optionalLibrary(call.params),
            type: call.params.value("resource_type") == nil
                ? nil : try call.params.resourceType(limits: call.reader.limits),
            after: try call.params.integer("after", in: 0...Int64.max) ?? 0,
            countMax: try call.reader.pageCount(call.params))
        return .answered(Answer.queries(page.queries, next: page.next))
    }

    private static func retry(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        .answered(Answer.retried(try await call.cache.retryQuarantine(try call.reader.retried(call.params))))
    }

    private static func observeLog(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let filter = try call.reader.logFilter(call.params)
        await call.cache.observeLog(filter, sink: call.session.output) { [responder = call.responder] result in
            responder.answer(
                result.map { subscription in Answer.object { $0.member("subscription", subscription.rawValue) } }
                    .mapError { MessageError($0) })
        }
        return .later
    }

    private static func find(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let finding = try call.reader.finding(call.params)
        return try call.answerLater { [cache = call.cache] () throws(CacheError) in
            Answer.found(try await cache.find(finding))
        }
    }

    private static func quarantine(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let selection = try call.reader.records(call.params)
        return try call.answerLater { [cache = call.cache] () throws(CacheError) in
            var more = selection
            // One more record than requested shows whether there is another page.
            more.countMax += 1
            let records = try await cache.quarantine(more)
            let page = Array(records.prefix(selection.countMax))
            return Answer.quarantine(page, next: records.count > page.count ? page.last?.number : nil)
        }
    }

    private static func events(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let selection = try call.reader.keptEvents(call.params)
        return try call.answerLater { [cache = call.cache] () throws(CacheError) in
            let kept = await cache.keptEvents()
            return Answer.events(kept.select(selection), of: kept)
        }
    }

    private static func findings(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        try call.answerLater { [cache = call.cache] () throws(CacheError) in Answer.findings(await cache.findings()) }
    }

    private static func facets(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.optionalLibrary(call.params)
        return try call.answerLater { [cache = call.cache] () throws(CacheError) in
            let counts = try await cache.typeCounts(library: library)
            let statuses = await cache.libraries().filter { library == nil || $0.library == library }
            return Answer.facets(counts, statuses.sorted { $0.library < $1.library }, await cache.counts())
        }
    }
}
