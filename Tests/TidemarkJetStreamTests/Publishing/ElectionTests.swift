import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Publishing while a cluster of real servers has no leader.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct ElectionTests {
    private func lines(_ range: Range<Int>) -> [UInt8] {
        Array(
            range.map {
                #"{"library_id":"a","sequence":\#($0),"event":\#(EventLine.change(#"{"id":"\#($0 % 40)","n":\#($0)}"#))}"#
                    + "\n"
            }.joined().utf8)
    }

    @Test func `publishing waits through an election, and nothing is lost or reordered`() async throws {
        let cluster = try NatsCluster()
        let live = try LiveCommand(["publish", "--to", cluster.address, "--ack"])
        live.write(lines(1..<101))
        var isAcknowledged = false
        while !isAcknowledged, case .line(let line) = live.next(seconds: 30) {
            isAcknowledged = String(decoding: line, as: UTF8.self).hasPrefix(#"{"ack":{"lines":100,"#)
        }
        try #require(isAcknowledged)
        let leader = try cluster.leader()
        let follower = (leader + 1) % 3
        let survivor = cluster.servers[(leader + 2) % 3]
        for number in [leader, follower] { cluster.servers[number].kill(SIGKILL) }
        live.write(lines(101..<201))
        // The servers have no leader: the first of the lines comes again and again.
        try waitUntil("the publisher tries again") {
            survivor.log.split(separator: "\n").count { $0.contains("MSG_PAYLOAD") && $0.contains(":101,") } >= 3
        }
        try cluster.servers[leader].start()
        let end = live.finish(seconds: 60)
        #expect(end.status == 0, "\(end.errors)")
        let folder = try TemporaryFolder()
        let deadline = TestPatience.deadline
        var result: CommandResult
        repeat {
            result = try await CommandRunner().run(
                ["ingest", "--db", folder.path("cache.db"), "--from", cluster.address, "--until-caught-up"])
            // On a slow machine the election can take longer than the time in which `ingest` must find the stream.
        } while result.status != 0 && ContinuousClock.now < deadline
            && ["no_server", "timed_out", "no_jetstream"].contains { result.errorText.contains($0) }
        try #require(result.status == 0, "\(result.errorText)")
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        let events = summary["events"] as? [String: Int]
        #expect(events?["applied"] == 200 && summary["lines"] as? Int == 200, "\(result.outputText)")
        let export = try await CommandRunner().run(["export", "--db", folder.path("cache.db")]).outputText
        let wrong = (0..<40).filter { !export.contains(#"{"id":"\#($0)","n":\#($0 == 0 ? 200 : 160 + $0)}"#) }
        #expect(wrong == [])
    }
}
