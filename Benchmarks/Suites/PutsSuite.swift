import Tidemark
import TidemarkModel

/// The peak memory of one request with many puts, per put. It includes the stored result.
enum PutsSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let count = isSmoke ? 1_000 : 10_000
        let resources = (0..<count).map { Array("{\"id\":\"\($0)\"}".utf8) }
        for request in Request.allCases {
            var peaks: [Double] = []
            var referencePeaks: [Double] = []
            for _ in 0..<runs {
                guard let reference = await PeakByteCount.of({ keep(resources) }),
                    let peak = try await peak(of: request, resources)
                else { return }
                referencePeaks.append(Double(reference) / Double(count))
                peaks.append(Double(peak) / Double(count))
            }
            report.add(
                name: request.rawValue, values: peaks, unit: "bytes/put", count: count,
                referenceName: "in a Dictionary", referenceValues: referencePeaks, goal: 8, hash: UInt64(count))
        }
    }

    private enum Request: String, CaseIterable {
        case transaction = "cache.transaction"
        case update = "optimistic.update"
        case confirmed
    }

    /// Keeps copies of the resources in a dictionary: the minimum for any program that keeps them.
    private static func keep(_ resources: [[UInt8]]) {
        var kept: [[UInt8]: [UInt8]] = [:]
        for resource in resources { kept[resource + []] = resource.map { $0 } }
        blackHole(UInt64(kept.count))
    }

    /// Returns the peak of a request. Memory that exists before it, such as its operations, is not counted.
    private static func peak(of request: Request, _ resources: [[UInt8]]) async throws -> Int? {
        let cache = try await SyncCache.open(journal: ForgetfulJournal())
        let operations = resources.map { TransactionOperation.put(type: "file", resource: $0) }
        let update = OptimisticUpdate(pendingID: "p", library: "", operations: operations)
        let layered = OptimisticUpdate(pendingID: "p", library: "", operations: Array(operations.prefix(1)))
        let commit = OptimisticCommit(pendingID: "p", confirmed: resources, resourceType: "file")
        if request == .confirmed { try await cache.update(layered) }
        let peak = try await PeakByteCount.of {
            switch request {
            case .transaction: try await cache.transact(operations, library: "")
            case .update: try await cache.update(update)
            case .confirmed: try await cache.commit(commit)
            }
        }
        try await cache.close()
        return peak
    }
}
