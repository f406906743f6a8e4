import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct EventLineTests {
    @Test func `each line is the event that it says`() {
        #expect(
            EventLine.change(#"{"id":"1"}"#)
                == #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}"#)
        #expect(
            EventLine.change(
                #"{"id":"1"}"#, type: "a", metadata: "{}", library: "l", sequence: 7, epoch: "e", mutation: "m")
                == #"{"library_id":"l","sequence":7,"epoch":"e","mutation_id":"m","event":"#
                + #"{"ResourceChanged":{"resource_type":"a","resource":{"id":"1"},"metadata":{}}}}"#)
        #expect(
            EventLine.batch([#"{"id":"1"}"#, #"{"id":"2"}"#], sequence: 0)
                == #"{"sequence":0,"event":{"ResourceBatchChanged":{"resource_type":"file","#
                + #""resources":[{"id":"1"},{"id":"2"}]}}}"#)
        #expect(
            EventLine.delete("1", library: "")
                == #"{"library_id":"","event":{"ResourceDeleted":{"resource_type":"file","resource_id":"1"}}}"#)
        #expect(
            EventLine.heartbeat(9, library: "l") == #"{"library_id":"l","event":{"Heartbeat":{"last_sequence":9}}}"#)
        #expect(EventLine.reset(epoch: "e", library: "l") == #"{"library_id":"l","event":{"Reset":{"epoch":"e"}}}"#)
    }

    @Test func `a cache admits every line, with names of any characters`() async throws {
        let library = "a \"\\\n\u{1F600}"
        let cache = try await SyncCache.inMemory(clock: ManualClock())
        let lines = [
            EventLine.change(#"{"id":"1"}"#, library: library, sequence: 1, epoch: library),
            EventLine.batch([#"{"id":"2"}"#, #"{"id":"3"}"#], library: library, sequence: 2, mutation: library),
            EventLine.change(#"{"id":"2","n":1}"#, metadata: "{}", library: library, sequence: 3),
            EventLine.delete("1", library: library, sequence: 4), EventLine.heartbeat(4, library: library),
        ]
        for line in lines { try await cache.ingest(Array(line.utf8)) }
        let counts = await cache.statistics().counts
        #expect(counts.applied == 5 && counts.isConserved() && counts.lines == 5, "\(counts)")
        let key = EntityKey(library: ByteString(library), type: "file", id: "2")
        #expect(try await cache.read(EntityRequest(key)).entity == Array(#"{"id":"2","n":1}"#.utf8))
        try await cache.ingest(Array(EventLine.reset(epoch: "other", library: library).utf8))
        #expect(await cache.libraries().map(\.epoch) == ["other"])
        try await cache.close()
    }
}
