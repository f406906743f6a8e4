import Foundation
import Testing

@testable import TidemarkJetStream

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Three servers of one cluster on this machine, with a stream `EVENTS` that each of them stores.
struct NatsCluster {
    let servers: [NatsServer]

    init() throws {
        let ports = try NatsCluster.freePorts(3)
        let routes = ports.map { "nats-route://127.0.0.1:\($0)" }.joined(separator: ", ")
        servers = try ports.enumerated().map { number, port in
            // Traced: the log says which messages came.
            try NatsServer(
                """
                server_name: server\(number)
                trace: true
                cluster { name: test, listen: "127.0.0.1:\(port)", routes: [\(routes)], no_advertise: true }
                """, limits: "max_mem: 64MB, max_file: 256MB")
        }
        try waitUntil("the cluster makes a stream") {
            let answer = try NatsCluster.ifAnswered {
                try servers[0].call(
                    "STREAM.CREATE.EVENTS",
                    #"{"name":"EVENTS","subjects":["tidemark.*"],"num_replicas":3,"allow_direct":true}"#)
            }
            return answer?.contains(#""created""#) == true
        }
    }

    /// The address of all servers.
    var address: String { "nats://\(servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ","))/EVENTS" }

    /// Returns the server that leads the stream.
    func leader() throws -> Int {
        var leader: Int?
        try waitUntil("the stream has a leader") {
            let answer = try NatsCluster.ifAnswered { try servers[0].call("STREAM.INFO.EVENTS") }
            leader = (0..<servers.count).first { answer?.contains("\"leader\":\"server\($0)\"") == true }
            return leader != nil
        }
        return try #require(leader)
    }

    /// Returns the answer of a server; nil during an election.
    private static func ifAnswered(_ ask: () throws -> String) throws -> String? {
        do {
            return try ask()
        } catch let error as JetStreamError where error.mayPass {
            return nil
        }
    }

    /// Returns ports that nobody listens at.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for each in sockets { close(each) } }
        return try (0..<count).map { _ in
            #if os(Linux)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, byteCount) == 0 ? getsockname(descriptor, $0, &byteCount) : -1
                }
            }
            try #require(status == 0)
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
}
