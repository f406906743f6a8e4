import ScopeTestKit
import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// Lines of streams, byte by byte.
@Suite(.pooled) struct ScopeStreamTests {
    private let unit: UInt64 = 1 << 20

    @Test func `a state is a Reset, batches in key order and a heartbeat`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        #expect(
            world.read(handle, &reader) == [
                #"{"envelope":{"sequence":0},"event":{"Reset":{"state":true}}}"#,
                #"{"envelope":{"sequence":1,"prev":0},"event":{"ResourceChanged":{"resource_type":"issue","#
                    + #""resource":{"id":"i1","project":"p1"}}}}"#,
                #"{"envelope":{"sequence":2,"prev":1},"event":{"ResourceChanged":{"resource_type":"project","#
                    + #""resource":{"id":"p1","name":"One"}}}}"#,
                #"{"envelope":{"sequence":3,"prev":2},"event":{"ResourceChanged":{"resource_type":"user","#
                    + #""resource":{"id":"ann","name":"Ann"}}}}"#,
                #"{"envelope":{"sequence":1048576,"prev":3},"event":{"Heartbeat":{"last_sequence":1048576}}}"#,
            ])
        #expect(world.scopes.isCaughtUp(reader, with: handle))
        #expect(world.read(handle, &reader).isEmpty)
    }

    @Test func `a unit of several lines has more, and its last line the number of the unit`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        _ = world.read(handle, &reader)
        world.apply([
            ("issue:i2", #"{"id":"i2","project":"p1"}"#), ("issue:i3", #"{"id":"i3","project":"p1"}"#),
            ("comment:c1", #"{"id":"c1","issue":"i2"}"#), ("issue:i1", #"{"id":"i1","project":"p2"}"#),
            ("project:p1", nil),
        ])
        #expect(
            world.read(handle, &reader) == [
                #"{"envelope":{"sequence":1048577,"prev":1048576,"more":true},"event":{"ResourceChanged":"#
                    + #"{"resource_type":"comment","resource":{"id":"c1","issue":"i2"}}}}"#,
                #"{"envelope":{"sequence":1048578,"prev":1048577,"more":true},"event":{"ResourceBatchChanged":"#
                    + #"{"resource_type":"issue","resources":[{"id":"i2","project":"p1"},{"id":"i3","project":"p1"}]}}}"#,
                #"{"envelope":{"sequence":1048579,"prev":1048578,"more":true},"event":{"ResourceDeleted":"#
                    + #"{"resource_type":"issue","resource_id":"i1","reason":"scope"}}}"#,
                #"{"envelope":{"sequence":2097152,"prev":1048579},"event":{"ResourceDeleted":"#
                    + #"{"resource_type":"project","resource_id":"p1"}}}"#,
            ])
    }

    @Test func `a unit that shows nothing takes no line and no number`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        _ = world.read(handle, &reader)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","internal_notes":"other"}"#)])
        world.apply([("issue:i9", #"{"id":"i9","project":"p2","title":"other"}"#)])
        world.apply([("issue:i9", nil), ("issue:i7", nil)])
        world.apply([("user:ann", #"{"id":"ann","name":"Ann","email":"other"}"#)])
        #expect(world.read(handle, &reader).isEmpty)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","title":"x","internal_notes":"other"}"#)])
        #expect(
            world.read(handle, &reader) == [
                #"{"envelope":{"sequence":2097152,"prev":1048576},"event":{"ResourceChanged":{"resource_type":"issue","#
                    + #""resource":{"id":"i1","project":"p1","title":"x"}}}}"#
            ])
    }

    @Test func `a client that was away is sent each entity once, and no delete of what it never had`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        _ = world.read(handle, &reader)
        let epoch = try #require(reader.epoch?.text)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":1}"#)])
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":2}"#)])
        world.apply([("issue:i5", #"{"id":"i5","project":"p1"}"#)])
        world.apply([("issue:i5", #"{"id":"i5","project":"p2"}"#)])
        world.apply([("project:p1", nil)])
        for after in [unit, unit + 7] {
            var again = ScopeReader(
                subject: "ann", resumption: ScopeReader.Resumption(after: after, epoch: epoch))
            #expect(
                world.read(handle, &again) == [
                    #"{"envelope":{"sequence":\#(after + 1),"prev":\#(after),"more":true},"event":{"ResourceChanged":"#
                        + #"{"resource_type":"issue","resource":{"id":"i1","project":"p1","n":2}}}}"#,
                    #"{"envelope":{"sequence":6291456,"prev":\#(after + 1)},"event":{"ResourceDeleted":"#
                        + #"{"resource_type":"project","resource_id":"p1"}}}"#,
                    #"{"envelope":{},"event":{"Heartbeat":{"last_sequence":6291456}}}"#,
                ])
        }
    }

    @Test func `a number that cannot be served begins a state`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        _ = world.read(handle, &reader)
        let epoch = try #require(reader.epoch?.text)
        let other = try world.open("bob")
        let resumptions: [(ScopeHandle, ByteString, UInt64, ByteString)] = [
            (handle, "ann", 1, epoch), (handle, "ann", 5 * unit, epoch), (handle, "ann", unit, "x"),
            (handle, "bob", unit, epoch), (other, "ann", unit, epoch),
        ]
        for (handle, subject, after, epoch) in resumptions {
            var again = ScopeReader(
                subject: subject, resumption: ScopeReader.Resumption(after: after, epoch: epoch))
            #expect(world.read(handle, &again).first?.contains("Reset") == true, "\(subject) \(after) \(epoch)")
            let resumption = try #require(ScopeReader.Resumption(after: after, epoch: epoch))
            #expect(!world.scopes.canResume(handle, resumption, for: subject))
        }
        var again = ScopeReader(subject: "ann", resumption: ScopeReader.Resumption(after: unit, epoch: epoch))
        #expect(world.read(handle, &again).first?.contains("Heartbeat") == true)
    }

    @Test func `an edit is settled in its author's streams alone, without a gap for others`() throws {
        var world = try StreamFixture()
        let (handle, other) = (try world.open("ann"), try world.open("bob"))
        var (ann, bob) = (ScopeReader(subject: "ann"), ScopeReader(subject: "bob"))
        _ = world.read(handle, &ann)
        _ = world.read(other, &bob)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","internal_notes":"x"}"#)], by: "ann", through: handle)
        #expect(
            world.read(handle, &ann) == [
                #"{"envelope":{"sequence":1048577,"prev":1048576,"mutation_id":"edit"},"event":{"ResourceBatchChanged":"#
                    + #"{"resource_type":"comment","resources":[]}}}"#
            ])
        #expect(world.read(other, &bob).isEmpty)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":1}"#)], by: "ann", through: handle)
        let change =
            #""event":{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i1","project":"p1","n":1}}}}"#
        #expect(
            world.read(handle, &ann) == [
                #"{"envelope":{"sequence":2097152,"prev":1048577,"mutation_id":"edit"},"# + change
            ])
        #expect(world.read(other, &bob) == [#"{"envelope":{"sequence":2097152,"prev":1048576},"# + change])
    }

    @Test func `everything leaves when require fails, and nothing is recorded meanwhile`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var (reader, away) = (ScopeReader(subject: "ann"), ScopeReader(subject: "ann"))
        _ = world.read(handle, &reader)
        _ = world.read(handle, &away)
        world.scopes.detach(&away, from: handle)
        world.apply([("membership:m1", nil)])
        let lines = world.read(handle, &reader)
        #expect(lines.count == 4 && lines.dropLast().allSatisfy { $0.contains("ResourceDeleted") })
        #expect(lines.last == #"{"bye":{"reason":"forbidden"}}"# && reader.isEnded)
        #expect(world.scopes.isForbidden(handle))
        world.apply([("issue:i2", #"{"id":"i2","project":"p1"}"#)])
        world.apply([("issue:i2", nil)])
        world.apply([("membership:m1", #"{"id":"m1","user":"ann","project":"p1"}"#)])
        #expect(!world.scopes.isForbidden(handle))
        // Away all the time: everything left and came back, as one unit.
        let back = world.read(handle, &away)
        #expect(back.count == 3 && back.allSatisfy { $0.contains("ResourceChanged") })
        #expect(back.last?.contains(#""sequence":3145728"#) == true)
    }

    @Test func `nothing of a state is sent after access ends`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        #expect(world.read(handle, &reader, room: 100).count == 1)
        world.apply([("membership:m1", nil)])
        // Everything leaves by an empty state.
        let lines = world.read(handle, &reader)
        #expect(lines.map { $0.contains("Reset") || $0.contains("Heartbeat") } == [true, true, false])
        #expect(lines.last == #"{"bye":{"reason":"forbidden"}}"#)
    }

    @Test func `a state is as of its position, however long it takes`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        #expect(world.read(handle, &reader, room: 100).count == 1)
        world.apply([
            ("project:p1", #"{"id":"p1","name":"New"}"#), ("user:ann", nil),
            ("issue:i2", #"{"id":"i2","project":"p1"}"#),
        ])
        let lines = world.read(handle, &reader)
        #expect(lines[1].contains(#""One""#) && lines[2].contains(#""Ann""#) && lines[3].contains("Heartbeat"))
        #expect(!lines[..<4].joined().contains("i2"))
        #expect(lines[4...].joined().contains("i2") && lines[4...].joined().contains(#""New""#) && lines.count == 7)
    }

    @Test func `heartbeats repeat the client's own number and tell of staleness`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        #expect(world.scopes.heartbeat(handle, for: reader) == nil)
        _ = world.read(handle, &reader)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":1}"#)])
        let beat = world.scopes.heartbeat(handle, for: reader).map { StreamFixture.text($0) }
        #expect(beat == #"{"envelope":{},"event":{"Heartbeat":{"last_sequence":1048576}}}"#)
        world.scopes.isStale = true
        let stale = world.scopes.heartbeat(handle, for: reader).map { StreamFixture.text($0) }
        #expect(stale == #"{"envelope":{},"event":{"Heartbeat":{"last_sequence":1048576,"stale":true}}}"#)
        let end = reader.end(.tokenExpired)
        #expect(StreamFixture.text(end) == #"{"bye":{"reason":"token_expired"}}"# && end.isEnd)
        #expect(world.read(handle, &reader).isEmpty)
    }

    @Test func `a changed file gives a new epoch, and a scope that is gone ends with not_found`() throws {
        var world = try StreamFixture(ScopeFiles.oracle)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","owner":"ann","title":"T"}"#)])
        let (project, mine) = (try world.open("ann"), try world.open("ann", nil, name: "mine"))
        var (first, second) = (ScopeReader(subject: "ann"), ScopeReader(subject: "ann"))
        _ = world.read(project, &first)
        #expect(world.read(mine, &second).count == 4)
        let file = try ScopeFile(json: Array(ScopeFiles.oracleChanged.utf8))
        let replaced = world.scopes.replace(file, now: 0, world.entities)
        #expect(replaced.changed == [project] && replaced.gone == [mine])
        #expect(world.read(project, &first).isEmpty)
        let last = world.read(mine, &second)
        #expect(last.count == 3 && last.last == #"{"bye":{"reason":"not_found"}}"#)
        let fresh = try world.open("ann")
        #expect(fresh != project)
        let lines = world.read(fresh, &first)
        #expect(lines.first?.contains("Reset") == true && !lines.joined().contains(#""title""#))
        #expect(throws: ScopeRequestError.notFound) {
            let definition = try #require(try ScopeFile(json: Array(ScopeFiles.oracle.utf8)).scopes["mine"])
            let parameters = try ScopeParameters(definition, claims: Array(#"{"sub":"ann"}"#.utf8), address: [])
            _ = try world.scopes.open("mine", parameters)
        }
    }

    @Test func `a line has at most its bound, but for an entity that is larger`() throws {
        var limits = ScopeLimits()
        limits.lineByteCountMax = ScopeEnvelope.byteCountMax + 1_000
        var world = try StreamFixture(limits: limits)
        for number in 10..<40 {
            let text = String(repeating: "x", count: number == 20 ? 20_000 : 300)
            world.apply([("issue:i\(number)", #"{"id":"i\#(number)","project":"p1","text":"\#(text)"}"#)])
        }
        let handle = try world.open("ann")
        var reader = ScopeReader(subject: "ann")
        let lines = world.read(handle, &reader)
        #expect(lines.filter { $0.utf8.count > limits.lineByteCountMax }.count == 1)
        #expect(lines.filter { $0.contains("BatchChanged") }.count > 8)
    }

    @Test func `a log that runs out of positions begins anew`() throws {
        var world = try StreamFixture()
        let first = try world.open("ann")
        let released = world.scopes.release(first, world.entities)
        var image = try #require(released)
        image.head = ScopePosition(.max - 1_000_001)
        let definition = try #require(world.scopes.file.scopes["project"])
        let parameters = try ScopeParameters(
            definition, claims: Array(#"{"sub":"ann"}"#.utf8), address: [(name: "project", value: "p1")])
        let handle = try world.scopes.open("project", parameters, restoring: image)
        while !world.scopes.fill(handle, world.entities, countMax: 100, identity: [1], now: 0) {}
        var reader = ScopeReader(subject: "ann")
        _ = world.read(handle, &reader)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":1}"#)])
        #expect(world.read(handle, &reader).last?.contains("ResourceChanged") == true)
        world.apply([("issue:i1", #"{"id":"i1","project":"p1","n":2}"#)])
        #expect(world.read(handle, &reader).first?.contains("Reset") == true)
        #expect(world.scopes.head(of: handle) == .start)
    }

    @Test func `entities are shown as they are sent`() throws {
        var world = try StreamFixture()
        let handle = try world.open("ann")
        let (inside, outside) = (ViewKey(type: "issue", id: "i1"), ViewKey(type: "issue", id: "i9"))
        #expect(world.scopes.shows(handle, inside) && !world.scopes.shows(handle, outside))
        let sent = world.scopes.projected(Array(#"{"id":"i1","internal_notes":1,"n":2}"#.utf8), of: "issue", in: handle)
        #expect(sent == Array(#"{"id":"i1","n":2}"#.utf8))
        #expect(world.scopes.projected(Array("{}".utf8), of: "membership", in: handle) == nil)
    }

    @Test func `a scope that is forbidden from the beginning ends its streams at once`() throws {
        var world = try StreamFixture()
        let handle = try world.open("eve")
        var reader = ScopeReader(subject: "eve")
        #expect(world.scopes.isForbidden(handle))
        #expect(world.read(handle, &reader) == [#"{"bye":{"reason":"forbidden"}}"#])
        world.apply([("membership:m3", #"{"id":"m3","user":"eve","project":"p1"}"#)])
        // Its rules were not even evaluated: they are now.
        #expect(!world.scopes.isReady(handle))
        #expect(try world.open("eve") == handle)
        var again = ScopeReader(subject: "eve")
        #expect(world.read(handle, &again).count == 5)
    }
}
