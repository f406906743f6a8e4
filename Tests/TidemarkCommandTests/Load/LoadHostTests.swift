import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Hosts and upstreams that do not answer as they should, and writers that compete for one database.
@Suite(.pooled(minutes: 600), .tags(.process)) struct LoadHostTests {
    private let size = LoadSize.current

    @Test func `a host that never reads gets merged notifications later, and takes little memory`() async throws {
        let folder = try TemporaryFolder()
        let size = size
        struct Outcome {
            var before = 0
            var after = 0
            var told: [String] = []
            var list = ""
        }
        let outcome = try await onThread {
            var outcome = Outcome()
            let child = try LoadChild(.run, folder.path("a.db"), readsOutput: false)
            let query = #""library_id":"a","method":"files","input":{}"#
            child.feed(LoadLines.change(1))
            child.feed(
                #"{"jsonrpc":"2.0","id":1,"method":"query.put","params":{\#(query),"resource_type":"file","resources":[],"#
                    + #""local":true,"membership":{"resource_type":"file","order":[{"path":"/n","direction":"desc"}]}}}"#
            )
            child.feed(#"{"jsonrpc":"2.0","id":2,"method":"query.observe","params":{\#(query)}}"#)
            outcome.before = try child.peakByteCount()
            var sequence = 1
            let text = String(repeating: "t", count: 500)
            while sequence < size.unreadChangeCount {
                var bytes: [UInt8] = []
                let count = min(500, size.unreadChangeCount - sequence)
                for _ in 0..<count {
                    sequence += 1
                    let line = LoadLines.change(sequence, id: "k\(sequence % 50)", rest: #","t":"\#(text)""#)
                    bytes += Array((line + "\n").utf8)
                }
                child.feed(bytes, lines: count)
                if sequence % 50_000 == 0 { LoadSize.tell("\(sequence) changes that nobody reads") }
            }
            outcome.after = try child.peakByteCount()
            child.command.beginReading()
            outcome.list = try child.ask("query.read", "{\(query)}")
            outcome.told = child.otherLines
            try child.finish()
            return outcome
        }
        let changes = outcome.told.filter { $0.contains(#""method":"query.changed""#) }
        let missed = changes.reduce(0) { total, line in
            total + (line.firstMatch(of: /"missed":([0-9]+)/).flatMap { Int($0.1) } ?? 0)
        }
        LoadSize.tell(
            "\(changes.count) notifications, \(missed) merged; \(outcome.before >> 20) MiB, then \(outcome.after >> 20)"
        )
        #expect(changes.count + missed == size.unreadChangeCount - 1)
        #expect(changes.count < size.unreadChangeCount / 2)
        #expect(outcome.list.contains(#""n":\#(size.unreadChangeCount),"#))
        #expect(outcome.after - outcome.before <= 96 << 20, "\(outcome.before >> 20) MiB, then \(outcome.after >> 20)")
    }

    @Test func `a host that asks and never reads has to wait, and is answered when it reads`() async throws {
        let folder = try TemporaryFolder()
        struct Outcome {
            var taken = 0
            var peak = 0
            var answerCount = 0
        }
        let requestCount = LoadSize.isWhole ? 20_000 : 2_000
        let (asked, outcome) = try await onThread {
            var outcome = Outcome()
            let child = try LoadChild(.run, folder.path("a.db"), readsOutput: false)
            child.feed(LoadLines.change(1, id: "big", rest: #","t":"\#(String(repeating: "t", count: 64 << 10))""#))
            let params = #"{"library_id":"a","resource_type":"file","id":"big"}"#
            var requests: [UInt8] = []
            for id in 0..<requestCount {
                requests +=
                    Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"entity.get","params":\#(params)}"#.utf8) + [10]
            }
            outcome.taken = child.command.write(requests, patienceMilliseconds: 1_000)
            outcome.peak = try child.peakByteCount()
            child.command.beginReading()
            child.command.write(Array(requests[outcome.taken...]))
            for id in 0..<requestCount where try child.answer("\(id)").contains(#""n":1"#) { outcome.answerCount += 1 }
            try child.finish()
            return (requests.count, outcome)
        }
        LoadSize.tell("\(outcome.taken) of \(asked) bytes taken, \(outcome.peak >> 20) MiB at most")
        #expect(outcome.answerCount == requestCount)
        #expect(outcome.peak <= 192 << 20, "\(outcome.peak >> 20) MiB")
    }

    @Test func `a reader of acknowledgements that never reads delays nothing`() async throws {
        let folder = try TemporaryFolder()
        let count = LoadSize.isWhole ? 500_000 : 5_000
        let last = try await onThread {
            let child = try LoadChild(.ingest, folder.path("a.db"), readsOutput: false)
            for start in stride(from: 0, to: count, by: 500) {
                let lines = (start..<start + 500).map { LoadLines.change($0 + 1, id: "k\($0 % 100)") + "\n" }
                child.feed(Array(lines.joined().utf8), lines: 500)
            }
            child.command.closeInput()
            child.command.beginReading()
            return try child.finish().last ?? ""
        }
        #expect(last.hasPrefix(#"{"lines":\#(count),"events":{"applied":\#(count),"#), "\(last)")
    }

    @Test func `an upstream that answers one event at a time fills the whole gap`() async throws {
        let folder = try TemporaryFolder()
        let count = size.singleAnswerCount
        let (asked, state) = try await onThread {
            let child = try LoadChild(.run, folder.path("a.db"))
            child.feed(LoadLines.change(1))
            child.feed(LoadLines.change(count + 2, id: "last"))
            var asked: [Int] = []
            while asked.count < count {
                let line = try child.next()
                guard let id = line.firstMatch(of: /"id":"(tm-[0-9]+)"/),
                    let sequence = line.firstMatch(of: /"sequence":([0-9]+)/).flatMap({ Int($0.1) })
                else { continue }
                asked.append(sequence)
                child.feed(
                    #"{"jsonrpc":"2.0","id":"\#(id.1)","result":{"events":[\#(LoadLines.change(sequence, id: "k\(sequence % 7)"))]}}"#
                )
                if asked.count % 5_000 == 0 { LoadSize.tell("\(asked.count) answers of one event") }
            }
            let state = try child.ask("cache.caught_up", #"{"library_id":"a","sequence":\#(count + 2)}"#)
            try child.finish()
            return (asked, state)
        }
        let isInOrder = asked == Array(2..<count + 2)
        #expect(isInOrder)
        #expect(state.contains(#"{"cursor":\#(count + 2),"state":"live"}"#), "\(state)")
        let gaps = try await CommandRunner().run(["gaps", "--json", "--db", folder.path("a.db")])
        #expect(gaps.outputText.contains(#""lost":[]"#), "\(gaps.outputText)")
    }

    @Test func `one of eight writers gets the database, and another one follows right after its death`() async throws {
        for round in 0..<size.lockRoundCount {
            let folder = try TemporaryFolder()
            struct Loss: Hashable {
                var status: Int32
                var words: String
            }
            let (winnerCount, losses, kept) = try await onThread {
                var losses: [Loss] = []
                var winners: [LoadChild] = []
                let children = try (0..<LoadSize.writerCount).map { number in
                    try LoadChild(number % 2 == 0 ? .run : .ingest, folder.path("a.db"))
                }
                for child in children {
                    child.feed(LoadLines.change(1))
                    if child.kind == .run {
                        child.feed(#"{"jsonrpc":"2.0","id":"mine","method":"cache.flush"}"#)
                    }
                }
                for child in children {
                    // The winner prints a line, the others only end.
                    if case .line = child.command.next(seconds: LoadSize.patience) {
                        winners.append(child)
                    } else {
                        let (status, errors, _) = child.command.finish(seconds: LoadSize.patience)
                        losses.append(Loss(status: status, words: errors))
                    }
                }
                for child in winners {
                    child.command.send(signal: SIGKILL)
                    _ = child.command.finish(seconds: LoadSize.patience)
                }
                let next = try LoadChild(.run, folder.path("a.db"))
                next.feed(LoadLines.change(2))
                let kept = try next.ask("cache.caught_up", #"{"library_id":"a","sequence":2}"#)
                try next.finish()
                return (winners.count, losses, kept)
            }
            #expect(winnerCount == 1)
            #expect(losses.count == LoadSize.writerCount - winnerCount)
            for loss in losses {
                #expect(loss.status == 75)
                #expect(loss.words.contains("is open for writing in process"), "\(loss.words)")
            }
            #expect(kept.contains(#"{"cursor":2,"state":"live"}"#), "\(kept)")
            LoadSize.tell("round \(round + 1) of \(size.lockRoundCount): one writer of eight")
        }
    }
}
