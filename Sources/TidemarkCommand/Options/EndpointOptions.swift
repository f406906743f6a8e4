import ArgumentParser
import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// Options for the GraphQL server that a session sends requests to.
///
/// Header fields are kept as text: the parser would print a malformed one, and it may contain a credential.
struct EndpointOptions: ParsableArguments {
    @Option(
        name: .customLong("graphql-endpoint"),
        help: ArgumentHelp("Ask this server of GraphQL by HTTP, instead of the host.", valueName: "url"))
    var endpoint: String?
    @Option(
        name: .customLong("graphql-header"), parsing: .singleValue,
        help: ArgumentHelp(
            "A field of requests to the server, as 'Name: value'; may be repeated. Never shown.", valueName: "field"))
    var headers: [String] = []
    @Option(
        name: .customLong("graphql-pending-header"),
        help: ArgumentHelp("The field that carries the id of a mutation's layer.", valueName: "name"))
    var pendingHeader = "Tidemark-Pending-Id"
    @Option(
        name: .customLong("graphql-proxy"),
        help: ArgumentHelp(
            "The proxy to the server: system, the one that the environment names; none; or a URL. Never shown.",
            valueName: "proxy"))
    var proxy = "system"
    @Option(
        name: .customLong("graphql-write"),
        help: "When an answer in parts is stored: complete, after its last part; or incremental, part by part.")
    var write = GraphQLWrite.complete
    @Option(
        name: .customLong("graphql-reconnect"),
        help: ArgumentHelp(
            "The attempts in a row to get a lost subscription back; 0 for none.", valueName: "n"))
    var reconnectCountMax = GraphQLReconnecting().attemptCountMax

    var reconnecting: GraphQLReconnecting {
        var reconnecting = GraphQLReconnecting()
        reconnecting.attemptCountMax = reconnectCountMax
        return reconnecting
    }

    func validate() throws {
        guard (0...1_000_000).contains(reconnectCountMax) else {
            throw ValidationError("--graphql-reconnect takes 0 to 1000000, not \(reconnectCountMax).")
        }
        if endpoint == nil, !headers.isEmpty { throw ValidationError("--graphql-header is for --graphql-endpoint.") }
        _ = try server(timeout: .milliseconds(1))
        _ = try EndpointOptions.proxy(proxy, option: "--graphql")
    }

    /// Returns the server; nil without an endpoint.
    ///
    /// - Parameter timeout: How long the head of a response, or the next part, may take, in milliseconds.
    func server(timeout: Duration) throws -> DocumentServer? {
        guard pendingHeader.utf8.allSatisfy(ASCII.isToken), !pendingHeader.isEmpty else {
            throw ValidationError("--graphql-pending-header is no name of a field.")
        }
        guard let endpoint else { return nil }
        return try EndpointOptions.server(
            endpoint, headers: headers, pendingHeader: pendingHeader, timeout: timeout, option: "--graphql")
    }

    /// Returns the transport to the server: the engine's own, through the proxy; any other transport unchanged.
    func transport(_ transport: any HTTPTransport) throws -> any HTTPTransport {
        guard transport is CurlTransport else { return transport }
        return CurlTransport(proxy: try EndpointOptions.proxy(proxy, option: "--graphql"))
    }

    /// Parses the value of a proxy option. Error messages do not repeat it, because it may contain a credential.
    ///
    /// - Parameter option: The start of the option's name, for messages.
    static func proxy(_ text: String, option: String) throws -> HTTPProxy {
        switch text {
        case "system": return .system
        case "none": return .none
        default:
            guard text.contains("://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw ValidationError("\(option)-proxy takes system, none, or a URL such as http://proxy.example:3128.")
            }
            return .url(text)
        }
    }

    /// Creates a server from option values.
    ///
    /// - Parameter option: The start of the options' names, for messages: `--graphql` or `-`.
    static func server(
        _ endpoint: String, headers: [String], pendingHeader: String, timeout: Duration, option: String
    ) throws -> DocumentServer {
        let url: HTTPURL
        do throws(HTTPURL.Fault) {
            url = try HTTPURL(ByteString(endpoint))
        } catch {
            throw ValidationError("\(option)-endpoint: \(error).")
        }
        return DocumentServer(
            url: url, fields: try fields(headers, option: option), pendingField: ByteString(pendingHeader),
            timeout: timeout)
    }

    /// Parses header fields from option values.
    ///
    /// - Parameter option: The start of the option's name, for messages.
    static func fields(_ headers: [String], option: String) throws -> HeaderFields {
        var fields = HeaderFields()
        for header in headers {
            guard let colon = header.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw ValidationError("\(option)-header takes 'Name: value'.")
            }
            let name = ByteString(String(header[..<colon]))
            let value = ByteString(ASCII.trimmed(Array(header[colon...].utf8).dropFirst()))
            if HeaderFields.fault(name: name, value: value) != nil {
                throw ValidationError("\(option)-header has a name or a value that no field may have.")
            }
            fields.fields.append(.init(name, value))
        }
        return fields
    }
}

extension GraphQLWrite: ExpressibleByArgument {}
