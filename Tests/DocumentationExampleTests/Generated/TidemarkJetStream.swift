// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkJetStream
import TidemarkModel

/// The example in Sources/TidemarkJetStream/Address/JetStreamAddress.swift.
func exampleTidemarkJetStream1(cache: SyncCache) async throws {
    let address = try JetStreamAddress("nats://a:4222,b:4222/EVENTS?libraries=photos,music")
    print(address.servers, address.stream, address.subject(of: "photos"))
}

/// The example in Sources/TidemarkJetStream/Address/LibrarySubject.swift.
func exampleTidemarkJetStream2(cache: SyncCache) async throws {
    print(LibrarySubject.subject(prefix: "tidemark", "photos"))  // tidemark.obug65dpom
    print(LibrarySubject.library(ofSubject: "tidemark.obug65dpom", prefix: "tidemark") == "photos")  // true
}

/// The example in Sources/TidemarkJetStream/Reading/JetStreamFeed.swift.
func exampleTidemarkJetStream3(cache: SyncCache) async throws {
    let feed = JetStreamFeed(try JetStreamAddress("nats://localhost/EVENTS"))
    let reading = Task { try await feed.run(into: cache) }
    // … until the program ends:
    feed.stop()
    try await reading.value
    print("read up to message \(feed.progress.sequence)")
}

/// The example in Sources/TidemarkJetStream/Reading/JetStreamUpstream.swift.
func exampleTidemarkJetStream4(cache: SyncCache) async throws {
    let upstream = JetStreamUpstream(try JetStreamAddress("nats://localhost/EVENTS"))
    let answer = try await upstream.events(since: EventSequence(17), of: "photos")
    print("\(answer.lines.count) bytes of event lines")
}

/// The example in Sources/TidemarkJetStream/Streams/StreamAdministration.swift.
func exampleTidemarkJetStream5(cache: SyncCache) async throws {
    let administration = StreamAdministration(try JetStreamAddress("nats://localhost/EVENTS"))
    var configuration = StreamConfiguration()
    configuration.replicaCount = 3
    let stream = try await administration.create(configuration)
    print(stream.name, stream.messageCount)
}
