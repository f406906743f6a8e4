import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSession

/// Lines take effect in the order in which they arrive, however the input is cut.
@Suite(.pooled) struct SessionOrderTests {
    /// Runs a session over a whole input, cut at random.
    ///
    /// - Returns: The session's lines, except notifications about libraries.
    private func lines(of stream: [UInt8], seed: UInt64, chunkByteCountMax: Int) async throws -> [String] {
        let output = PipeLines()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let outputQueue = OutputQueue(output.writeEnd, hasRoom: {}, isAbandoned: {})
        let calls = HostCalls(outputQueue, timeout: .seconds(1), clock: ManualClock(), logger: logger)
        let cache = try await SyncCache.open(journal: MemoryJournal(), queryUpstream: nil)
        let session = Session(
            of: cache, outputQueue: outputQueue, calls: calls,
            settings: Session.Settings(limits: Limits(), defaultLibrary: "", logger: logger))
        var lines = SessionLines(output)
        let (room, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        defer { roomSignal.finish() }
        let running = Task {
            defer { output.closeWriting() }
            try await session.run(
                ChunkInput(stream, seed: seed, chunkByteCountMax: chunkByteCountMax), room: room)
        }
        let found = await lines.rest()
        try await running.value
        return found
    }

    /// Returns a random stream, and the answers of a plain dictionary to it.
    private func conversation(_ random: inout SeededGenerator) -> (stream: String, answers: [String]) {
        var values: [String: (value: Int, sequence: Int)] = [:]
        var answers: [String] = []
        var stream = ""
        var sequence = 0
        func answer(_ id: Int, _ name: String) -> String {
            let result =
                values[name].map {
                    #"{"entity":{"id":"\#(name)","n":\#($0.value)},"pending":false,"sequence":\#($0.sequence),"stale":false,"miss":null}"#
                } ?? #"{"entity":null,"pending":false,"sequence":null,"stale":false,"miss":"absent"}"#
            return #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
        }
        for number in 0..<80 {
            let name = random.pick(["a", "b", "c", "d"])
            let get = SessionFixture.request(
                number, "entity.get", #"{"library_id":"l","resource_type":"file","id":"\#(name)"}"#)
            switch random.below(8) {
            case 0, 1, 2:
                sequence += 1
                values[name] = (number, sequence)
                stream += EventLine.change(
                    #"{"id":"\#(name)","n":\#(number)}"#, library: "l", sequence: Int64(sequence))
            case 3, 4:
                stream += get
                answers.append(answer(number, name))
            case 5:
                stream += "[\(get), \(get)]"
                answers.append("[\(answer(number, name)),\(answer(number, name))]")
            case 6:
                stream += random.pick([
                    "", " ", "\"Pong\"", "broken", "{\"JsonOk\":1}", #"{"jsonrpc":"2.0","method":"x"}"#,
                ])
            default:
                stream += #"{"jsonrpc":"2.0","id":\#(number)"#
                answers.append("error")
            }
            stream += random.pick(["\n", "\r\n", " \n"])
        }
        return (stream, answers)
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `a request sees the events on earlier lines and no others`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (stream, answers) = conversation(&random)
        for chunkByteCountMax in [1, 40, 100_000] {
            let found = try await lines(of: Array(stream.utf8), seed: seed, chunkByteCountMax: chunkByteCountMax)
            let shortened = found.map { $0.contains(#""code":-32700"#) ? "error" : $0 }
            #expect(shortened == answers, "seed \(seed), chunks of \(chunkByteCountMax)")
        }
    }
}
