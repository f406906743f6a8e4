import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Reads the parameters of the methods that look at a cache.
///
/// - Source: Protocol/sessions.md, looking at a cache.
extension RequestReader {
    /// The maximum number of entities, queries, records or events per page, and the number without `limit`.
    private static let pageCountMax: Int64 = 1_000
    private static let pageCountDefault = 100
    /// The maximum number of records in one request: as many as the quarantine holds by default.
    private static let recordCountMax = 10_000
    /// The maximum number of types or bins in one filter.
    private static let filterCountMax = 1_000

    func pageCount(_ params: Params) throws(CacheError) -> Int {
        let limit = try params.integer("limit", in: 1...RequestReader.pageCountMax)
        return limit.map { Int($0) } ?? RequestReader.pageCountDefault
    }

    func finding(_ params: Params) throws(CacheError) -> EntityFinding {
        let library = try library(params)
        let type = try params.resourceType(limits: limits)
        var finding = EntityFinding(
            library: library, rule: try rule(params, type: type), countMax: try pageCount(params))
        finding.after = try place(params, type: type, library: library)
        finding.matching = try part(params)
        return finding
    }

    /// Reads `where` and `order` as a membership rule.
    private func rule(_ params: Params, type: ByteString) throws(CacheError) -> Membership {
        let order = params.value("order")
        if let order, order.kind != .array { throw params.wrong("order", "an array of {path, direction}") }
        var line = JSONLine()
        line.object { line in
            line.member("resource_type", Optional(type))
            if let predicate = params.value("where") { line.member("where", json: Array(predicate.bytes)) }
            if let order { line.member("order", json: Array(order.bytes)) }
        }
        do throws(MembershipError) {
            return try Membership(json: line.bytes)
        } catch {
            throw CacheError(.invalidParams, "\(error.message): see Protocol/queries.md for where and order")
        }
    }

    func records(_ params: Params) throws(CacheError) -> QuarantineSelection {
        var selection = QuarantineSelection(countMax: try pageCount(params))
        selection.after = try params.integer("after", in: 0...Int64.max) ?? 0
        selection.library = try optionalLibrary(params)
        guard let code = try params.text("reason") else { return selection }
        selection.reason = QuarantineReason(code: code.description)
        guard selection.reason != nil else {
            let codes = QuarantineReason.allCases.map(\.code).joined(separator: ", ")
            throw CacheError(.invalidParams, "reason is '\(code)': pass one of \(codes)")
        }
        return selection
    }

    func retried(_ params: Params) throws(CacheError) -> [Int64]? {
        let isForAll = try params.flag("all")
        let elements = try params.elements("numbers", countMax: RequestReader.recordCountMax)
        guard isForAll == (elements == nil) else {
            throw CacheError(.invalidParams, "numbers and all: pass the numbers of the records, or all: true")
        }
        guard let elements else { return nil }
        guard !elements.isEmpty else { throw CacheError(.invalidParams, "numbers is empty: pass at least one") }
        var numbers: [Int64] = []
        for (index, element) in elements.enumerated() {
            guard let number = element.integer, number >= 1 else {
                throw CacheError(
                    .invalidParams, "numbers[\(index)] is \(element.kind.rawValue): pass numbers from quarantine.list")
            }
            numbers.append(number)
        }
        return numbers
    }

    func logFilter(_ params: Params) throws(CacheError) -> EventLog.Filter {
        var filter = EventLog.Filter(library: try optionalLibrary(params))
        filter.types = Set(try params.texts("types", countMax: RequestReader.filterCountMax) ?? [])
        filter.bins = try bins(params)
        filter.part = try part(params).map { KeyFragment($0) }
        return filter
    }

    private func bins(_ params: Params) throws(CacheError) -> Set<LoggedEvent.Bin> {
        var bins: Set<LoggedEvent.Bin> = []
        for (index, name) in (try params.texts("bins", countMax: RequestReader.filterCountMax) ?? []).enumerated() {
            guard let bin = LoggedEvent.Bin(rawValue: name.description) else {
                let names = LoggedEvent.Bin.allCases.map(\.rawValue).joined(separator: ", ")
                throw CacheError(.invalidParams, "bins[\(index)] is '\(name)': pass some of \(names)")
            }
            bins.insert(bin)
        }
        return bins
    }

    private var keyByteCountMax: Int { limits.typeByteCountMax + 1 + limits.idByteCountMax }

    /// Reads `matching`, a part of a key; nil if absent.
    private func part(_ params: Params) throws(CacheError) -> ByteString? {
        try params.text("matching", byteCountMax: keyByteCountMax)
    }

    func keptEvents(_ params: Params) throws(CacheError) -> KeptEvents.Selection {
        var selection = KeptEvents.Selection(countMax: try pageCount(params))
        selection.library = try optionalLibrary(params)
        selection.types = Set(try params.texts("types", countMax: RequestReader.filterCountMax) ?? [])
        selection.bins = try bins(params)
        selection.sequence = try params.integer("sequence", in: 0...Int64.max).map { EventSequence($0) }
        selection.part = try part(params)
        selection.key = try params.text("key", byteCountMax: keyByteCountMax)
        selection.before = try params.integer("before", in: 0...Int64.max) ?? .max
        return selection
    }
}
