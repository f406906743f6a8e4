import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkJetStream

@Suite(.pooled) struct AddressTests {
    @Test func `a full address gives each of its parts`() throws {
        let address = try JetStreamAddress(
            "nats://user:p%40ss%3Aw%2F@a.example:4222,[::1]:4223,b/EVENTS?prefix=my.events&libraries=a,b%2Cc,&creds=%2Ftmp%2Fx.creds&tls-ca=ca.pem"
        )
        #expect(address.servers == ["a.example:4222", "[::1]:4223", "b:4222"])
        #expect(address.user == "user" && address.password == "p@ss:w/" && address.token == nil)
        #expect(address.stream == "EVENTS" && address.prefix == "my.events")
        #expect(address.scope == .named(["a", "b,c", ""]))
        #expect(address.credentialsFile == "/tmp/x.creds")
        #expect(address.tls.isRequired && address.tls.authorityFile == "ca.pem")
        #expect(address.description == "nats://a.example:4222,[::1]:4223,b:4222/EVENTS")
    }

    @Test func `a token stands alone before the at sign`() throws {
        let address = try JetStreamAddress("tls://s3cret@host/S")
        #expect(address.token == "s3cret" && address.user == nil && address.tls.isRequired)
        #expect(address.servers == ["host:4222"] && address.scope == .all && address.prefix == "tidemark")
    }

    @Test(arguments: [
        "", "http://host/S", "nats://host", "nats://host/", "nats:///S", "nats://host:0/S", "nats://host:99999/S",
        "nats://a,,b/S", "nats://ho st/S", "nats://host/a.b", "nats://host/a*", "nats://host/S?prefix=",
        "nats://host/S?prefix=a..b",
        "nats://host/S?prefix=a.*", "nats://host/S?prefix=a%22b", "nats://host/S?shard=1", "nats://host/S?shard=2/2",
        "nats://host/S?shard=-1/2", "nats://host/S?shard=0/0", "nats://host/S?shard=0/2&libraries=a",
        "nats://host/S?libraries=a&shard=0/2", "nats://host/S?unknown=1", "nats://host/S?prefix",
        "nats://host/S?tls=maybe",
        "nats://host/S?nkey=U1", "nats://host/S?seed=f", "nats://host/S?tls-cert=f", "nats://host/S?prefix=%zz",
        "nats://host/S?prefix=%00", "nats://user:sECRET@ho st/S", "nats://sECRET@host/", "nats://u:sECRET%zz@host/S",
    ])
    func `a malformed address is refused without its credentials`(text: String) {
        do throws(JetStreamError) {
            let address = try JetStreamAddress(text)
            Issue.record("\(text) was taken as \(address)")
        } catch {
            #expect(error.code == .badAddress)
            #expect(!error.description.contains("sECRET"))
        }
    }

    @Test func `names of libraries survive their subject`() throws {
        #expect(LibrarySubject.token(of: "") == "_")
        #expect(LibrarySubject.token(of: "photos") == "obug65dpom")
        #expect(LibrarySubject.subject(prefix: "tidemark", "a") == "tidemark.me")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let name = ByteString((0..<random.below(20)).map { _ in UInt8(random.below(256)) })
            let subject = LibrarySubject.subject(prefix: "p.q", name)
            #expect(LibrarySubject.library(ofSubject: subject, prefix: "p.q") == name)
        }
    }

    @Test(arguments: [
        "", "tidemark", "tidemark.", "tidemark.A", "tidemark.a", "tidemark.me.x", "tidemark.mf", "other.me",
        "tidemark.1",
    ])
    func `a subject that is no library's is none`(subject: String) {
        #expect(LibrarySubject.library(ofSubject: subject, prefix: "tidemark") == nil)
    }

    @Test func `each library is in exactly one shard`() throws {
        let shards = (0..<5).map { LibraryScope.shard(index: $0, count: 5) }
        var counts = [Int](repeating: 0, count: 5)
        for number in 0..<1_000 {
            let holders = shards.indices.filter { shards[$0].contains(ByteString("library \(number)")) }
            #expect(holders.count == 1)
            for holder in holders { counts[holder] += 1 }
        }
        #expect(counts.allSatisfy { $0 > 120 }, "the shares are \(counts)")
        // XXH64 of the empty text with seed 0 is EF46DB3751D8E999.
        #expect(LibraryScope.shard(index: 0xEF46_DB37_51D8_E999 % 7, count: 7).contains(""))
    }
}
