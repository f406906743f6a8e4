import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

@Suite(.pooled) struct LibraryLogsTests {
    private func place(_ logs: inout LibraryLogs, _ subject: String) -> ByteString? {
        Array(subject.utf8).withUnsafeBytes { logs.place(of: $0) }.map { logs[$0].library }
    }

    @Test(arguments: ["", "libraries=lib%201,lib%203,lib%2099", "shard=1/3", "prefix=a.b", "libraries=lib%201"])
    func `a subject has the log of its library, if this process reads it`(options: String) throws {
        let address = try JetStreamAddress("nats://localhost/S?\(options)")
        var logs = LibraryLogs(address, withoutEpoch: ["lib 3"])
        var walk = RandomWalk(seed: 5)
        var random = SeededGenerator(seed: walk.seed)
        var lastRead: [ByteString: Int64] = [:]
        while walk.next(of: 3_000) {
            let number = Int64(walk.step)
            let library = ByteString("lib \(random.below(12))")
            let subject = Array(address.subject(of: library).utf8)
            guard let place = subject.withUnsafeBytes({ logs.place(of: $0) }) else {
                #expect(!address.scope.contains(library), "\(walk)")
                continue
            }
            #expect(address.scope.contains(library) && logs[place].library == library, "\(walk)")
            #expect(logs[place].needsReset == (library == "lib 3") && logs[place].lastRead == lastRead[library] ?? 0)
            logs[place].lastRead = number
            lastRead[library] = number
            #expect(logs.lastRead(of: library) == number, "\(walk)")
        }
        #expect(Set(logs.read) == Set(lastRead.keys) && !lastRead.isEmpty)
        #expect(logs.lastRead(of: "another") == 0)
        logs.removeAll()
        #expect(logs.read.isEmpty && logs.lastRead(of: "lib 1") == 0)
    }

    @Test func `a subject of another form has no log`() throws {
        var logs = LibraryLogs(try JetStreamAddress("nats://localhost/S"), withoutEpoch: [])
        for subject in [
            "", "tidemark", "tidemark.", "tidemark.ME", "tidemark.m", "tidemark.mf", "tidemark.me.me", "tidemark.1",
            "tidemar.me", "other.me", "tidemark.mee", "tidemark.__",
        ] {
            #expect(place(&logs, subject) == nil, "\(subject)")
        }
        #expect(place(&logs, "tidemark._") == "" && place(&logs, "tidemark.me") == "a")
    }
}
