import Tidemark
import TidemarkModel
import TidemarkSQLite

extension QuarantineRetryCommand {
    /// The number of records to read and retry at a time, which bounds the memory.
    private static let pageCount = 256

    /// Retries the records; the only function of this command that uses the engine.
    func retry() async throws -> Summary {
        // Open a reader first: a retry must not create a missing database.
        let reader = try SQLiteReader(path: database.path, encryption: try database.key.encryption())
        for number in numbers where try reader.quarantineRecord(number) == nil {
            throw Failure(
                .noInput, "not_found", "there is no record \(number)", place: database.path,
                outcome: "nothing was retried",
                advice: "see tidemark quarantine list --db \(database.path)")
        }
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(journal: journal)
        var summary = Summary()
        var last: Int64 = 0
        while true {
            let page = try records(of: reader, after: last)
            guard let newest = page.last?.number else { break }
            last = newest
            let counts = try await cache.retry(page)
            summary.retriedCount += page.count
            summary.appliedCount += counts.applied
            summary.supersededCount += counts.superseded
            summary.remainingCount += counts.refused
        }
        try await cache.endOfInput()
        try await cache.close()
        return summary
    }

    private func records(of reader: SQLiteReader, after last: Int64) throws(StorageError) -> [QuarantineRecord] {
        var page: [QuarantineRecord] = []
        if isForAll {
            try reader.quarantine(QuarantineFilter(after: last), limit: QuarantineRetryCommand.pageCount) {
                page.append($0)
                return true
            }
        } else {
            for number in Set(numbers).filter({ $0 > last }).sorted().prefix(QuarantineRetryCommand.pageCount) {
                if let record = try reader.quarantineRecord(number) { page.append(record) }
            }
        }
        return page
    }
}
