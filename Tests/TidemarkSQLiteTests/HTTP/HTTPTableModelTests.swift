import TestTraits
import Testing
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Stored answers against a naive model, under random operations.
@Suite(.pooled, .tags(.model)) struct HTTPTableModelTests {
    private struct Answer: Equatable {
        var url: String
        var head: ByteString
        var body: ByteString
        var isSession: Bool
        var answeredAt: Int64
    }

    private static let urls = ["http://a.test/1", "http://a.test/2", "http://a.test/22", "http://b.test/1"]

    @Test(arguments: 0..<12)
    func `the rows are those of a dictionary`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        var journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.recover()
        var model: [Int64: Answer] = [:]
        var holds: [(HTTPBodyHold, ByteString)] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 120) {
            let step = walk.step - 1
            let url = random.pick(Self.urls)
            let size = random.chance(150) ? 1 << 20 + random.below(1_500_000) : random.below(5_000)
            let body = [UInt8](repeating: UInt8(random.below(256)), count: size)
            let head = (0..<random.below(50)).map { UInt8($0) }
            var record = HTTPDraftTests.record(url, size, isSession: random.chance(300), head: head)
            record.answeredAt = Int64(step)
            let new = Answer(
                url: url, head: ByteString(head), body: ByteString(body), isSession: record.isSession,
                answeredAt: record.answeredAt)
            let replaced = model.keys.sorted().filter { model[$0]?.url == url && random.chance(500) }
            let numbers = model.keys.sorted()
            switch random.below(10) {
            case 0...2:
                _ = try await journal.writeHTTP([.store(record, body: body, replacing: replaced)])
                for number in replaced { model[number] = nil }
                let added = try #require(
                    try await journal.httpAnswers(library: "", url: ByteString(url)).map(\.number).max())
                model[added] = new
            case 3...4:
                let (draft, hold) = try await HTTPDraftTests.draft(body, journal)
                if random.chance(700) {
                    _ = try await journal.writeHTTP([.storeDraft(record, draft, replacing: replaced)])
                    for number in replaced { model[number] = nil }
                    model[draft.number] = new
                }
                withExtendedLifetime(hold) {}
            case 5 where !numbers.isEmpty:
                let number = random.pick(numbers)
                _ = try await journal.writeHTTP([.update(number: number, head: head, answeredAt: Int64(step))])
                model[number]?.head = ByteString(head)
                model[number]?.answeredAt = Int64(step)
            case 6 where !numbers.isEmpty:
                let gone = numbers.filter { _ in random.chance(300) }
                #expect(try await journal.writeHTTP([.remove(gone + [999_999])]) == gone.count)
                for number in gone { model[number] = nil }
            case 7:
                var selection = HTTPSelection()
                if random.chance(600) { selection.prefix = ByteString(String(url.prefix(random.below(17)))) }
                if random.chance(300) { selection.isSession = random.chance(500) }
                let gone = model.filter { _, answer in
                    (selection.prefix.map { answer.url.hasPrefix($0.description) } ?? true)
                        && (selection.isSession.map { $0 == answer.isSession } ?? true)
                }
                #expect(try await journal.writeHTTP([.removeAll(selection)]) == gone.count)
                for number in gone.keys { model[number] = nil }
            case 8:
                if let number = numbers.randomElement(using: &random), let answer = model[number],
                    let hold = try await journal.holdHTTPBody(number, usedAt: Int64(step))
                {
                    holds.append((hold, answer.body))
                }
                if holds.count > 3 { holds.removeFirst() }
            default:
                guard random.chance(400) else { break }
                holds = []
                try await journal.close()
                #expect(try SQLiteReader(path: path).verify().problems == [], "\(walk)")
                journal = try await SQLiteJournal.open(path: path)
                _ = try await journal.recover()
                model = model.filter { !$0.value.isSession }
            }
            try await compare(journal, model, "\(walk)")
            for (hold, body) in holds {
                var read: [UInt8] = []
                for place in 0..<((body.bytes.count + (1 << 20) - 1) >> 20) {
                    read += try await journal.httpChunk(hold, Int64(place)) ?? []
                }
                #expect(ByteString(read) == body, "\(walk): a held body")
            }
        }
        try await journal.close()
    }

    private func compare(_ journal: SQLiteJournal, _ model: [Int64: Answer], _ place: Comment) async throws {
        var found: [Int64: Answer] = [:]
        for url in Self.urls {
            for record in try await journal.httpAnswers(library: "", url: ByteString(url)) {
                let body = try await journal.httpBody(record.number, usedAt: nil)
                found[record.number] = Answer(
                    url: record.url.description, head: ByteString(record.head), body: ByteString(body ?? [0]),
                    isSession: record.isSession, answeredAt: record.answeredAt)
            }
        }
        #expect(found == model, place)
    }
}
