import ArgumentParser
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkMessages
import TidemarkModel
import TidemarkSession
import TidemarkStore

/// Options for a session's HTTP responses: how to fetch and store them.
struct HTTPOptions: ParsableArguments {
    /// Who performs HTTP exchanges.
    enum Exchanger: String, ExpressibleByArgument, CaseIterable {
        case engine
        case host
    }

    @Option(name: .customLong("http"), help: "The maker of HTTP exchanges: engine, or host (http.exchange).")
    var exchanger = Exchanger.engine
    @Option(
        name: .customLong("http-policy"),
        help: ArgumentHelp(
            "The policy of requests that have none: options with commas, standard or none.", valueName: "policy"))
    var policy = "etag"
    @Option(
        name: .customLong("http-storage"),
        help: "The storage of requests that name none: permanent, session or disabled.")
    var storage = "permanent"
    @Option(
        name: .customLong("http-timeout"),
        help: ArgumentHelp("The seconds of the option timeout, where a request has none.", valueName: "seconds"))
    var timeout: Double?
    @Option(
        name: .customLong("http-request-timeout"),
        help: ArgumentHelp("How long an exchange may take.", valueName: "seconds"))
    var requestTimeout = 30.0
    @Option(
        name: .customLong("http-sequence-header"),
        help: ArgumentHelp("The field of an answer that names its position in the log.", valueName: "name"))
    var sequenceHeader = "Tidemark-Sequence"
    @Flag(name: .customLong("http-offline"), help: "Treat every host as not reachable.")
    var isOffline = false
    @Option(
        name: .customLong("http-limit-kb"),
        help: ArgumentHelp("The space for stored answers; the least recently used are evicted.", valueName: "KiB"))
    var limit: Int64 = 256 * 1024
    @Option(
        name: .customLong("http-body-limit-kb"),
        help: ArgumentHelp("The largest body that is stored.", valueName: "KiB"))
    var bodyLimit: Int64 = 64 * 1024

    func validate() throws {
        do throws(CacheError) {
            _ = try defaults()
        } catch {
            throw ValidationError(error.message)
        }
        guard 0...(1 << 40) ~= limit else { throw ValidationError("--http-limit-kb takes 0 or more KiB.") }
        guard 0...(1 << 20) ~= bodyLimit else {
            throw ValidationError("--http-body-limit-kb takes 0 to \(1 << 20) KiB.")
        }
        guard requestTimeout > 0, requestTimeout <= 86_400 else {
            throw ValidationError("--http-request-timeout takes more than 0 and at most 86400 seconds.")
        }
        if let timeout, !(0...1e12 ~= timeout) { throw ValidationError("--http-timeout takes 0 or more seconds.") }
    }

    /// Returns the client's settings.
    ///
    /// - Throws: `CacheError` for an unknown policy or storage, or an invalid header name.
    func defaults() throws(CacheError) -> HTTPClientDefaults {
        var defaults = HTTPClientDefaults()
        let names = policy.split(separator: ",").map { ByteString(String($0)) }
        defaults.timeout = timeout.map { Int64($0) }
        defaults.rules = try CacheRules(names: names, timeout: defaults.timeout ?? 0, path: "--http-policy")
        if case .options(let options, _) = defaults.rules, options.contains(.timeout), defaults.timeout == nil {
            defaults.rules = .options(options, timeout: nil)
        }
        guard let storage = HTTPStorage(rawValue: storage) else {
            throw CacheError(.invalidParams, "--http-storage is '\(storage)': pass permanent, session or disabled")
        }
        defaults.storage = storage
        defaults.requestTimeout = .milliseconds(max(1, Int64(requestTimeout * 1_000)))
        guard !sequenceHeader.isEmpty, sequenceHeader.utf8.allSatisfy(ASCII.isToken) else {
            throw CacheError(.invalidParams, "--http-sequence-header is no name of a header")
        }
        defaults.sequenceHeader = ByteString(sequenceHeader.lowercased())
        defaults.bodyByteCountMax = Int(bodyLimit) * 1_024
        return defaults
    }

    /// The limit on stored responses.
    var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.byteCountMax = limit * 1_024
        return limits
    }

    /// Returns the transport that the options select.
    ///
    /// - Parameter calls: The calls to the host, for `--http host`; nil if there is no host.
    func transport(_ calls: HostCalls?) -> any HTTPTransport {
        if isOffline { return OfflineTransport() }
        if exchanger == .host, let calls { return HostTransport(calls) }
        return CurlTransport()
    }
}
