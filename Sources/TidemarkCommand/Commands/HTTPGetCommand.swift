import ArgumentParser
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkMessages
import TidemarkModel
import TidemarkSQLite
import TidemarkSession

/// `tidemark http get`: fetches a response from the cache, the network, or both.
struct HTTPGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the body of an HTTP answer.",
        discussion: """
            Asks as the policy says, stores the answer, and prints its body. A failure prints its code on standard error \
            and nothing on standard output; the status is 69 when the network is at fault. A body past 1 MiB is printed \
            as it comes, and is never in memory as a whole: where it ends early, its beginning was printed. An answer \
            with an error status is an answer. Needs the database's lock.

            EXAMPLE
              tidemark http get https://example.com/ --db cache.db
              tidemark http get https://example.com/ --db cache.db --policy etag,loadIfOffline -i
              tidemark http get https://example.com/ --db cache.db --policy timeout --timeout 60 --json
            """)

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Options with commas, standard or none.", valueName: "policy"))
    var policy = "etag"
    @Option(help: ArgumentHelp("The seconds of the option timeout.", valueName: "seconds"))
    var timeout: Double?
    @Option(help: ArgumentHelp("How long the exchange may take.", valueName: "seconds"))
    var requestTimeout = 30.0
    @Option(help: "Where the answer is stored: permanent, session or disabled.")
    var storage = "permanent"
    @Option(
        name: .customLong("header"), parsing: .singleValue,
        help: ArgumentHelp("A field of the request, as 'Name: value'; may be repeated.", valueName: "field"))
    var headers: [String] = []
    @Option(help: "The method: GET or HEAD.")
    var method = "GET"
    @Flag(help: "Treat the host as not reachable.")
    var offline = false
    @Flag(name: .customShort("i"), help: "Print the head of the answer first.")
    var includesHead = false

    func validate() throws {
        do throws(CacheError) {
            _ = try fetch()
        } catch {
            throw ValidationError("\(error.message).")
        }
        guard requestTimeout > 0, requestTimeout <= 86_400 else {
            throw ValidationError("--request-timeout takes more than 0 and at most 86400 seconds.")
        }
        if let timeout, !(0...1e12 ~= timeout) { throw ValidationError("--timeout takes 0 or more seconds.") }
        guard method == "GET" || method == "HEAD" else { throw ValidationError("--method takes GET or HEAD.") }
    }

    private func fetch() throws(CacheError) -> HTTPFetch {
        let parsed: HTTPURL
        do throws(HTTPURL.Fault) {
            parsed = try HTTPURL(ByteString(url))
        } catch {
            throw CacheError(.invalidParams, error.description)
        }
        var fields = HeaderFields()
        for header in headers {
            guard let colon = header.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw CacheError(.invalidParams, "--header takes 'Name: value'")
            }
            let name = ByteString(String(header[..<colon]))
            let value = ByteString(ASCII.trimmed(Array(header[colon...].utf8).dropFirst()))
            if let fault = HeaderFields.fault(name: name, value: value) { throw CacheError(.invalidParams, fault) }
            fields.fields.append(.init(name, value))
        }
        let names = policy.split(separator: ",").map { ByteString(String($0)) }
        let rules = try CacheRules(names: names, timeout: timeout.map { Int64($0) }, path: "--policy")
        guard let storage = HTTPStorage(rawValue: storage) else {
            throw CacheError(.invalidParams, "--storage takes permanent, session or disabled")
        }
        return HTTPFetch(
            library: scope.library ?? "",
            request: RequestHead(method: ByteString(method), url: parsed, fields: fields), rules: rules,
            storage: storage, timeout: .milliseconds(max(1, Int64(requestTimeout * 1_000))))
    }

    func run() async throws {
        var fetch = try fetch()
        // JSON output needs the whole body in one line.
        fetch.wantsFlow = !format.isJSON
        try await perform(fetch) { fetched in try await write(fetched) }
    }

    private func write(_ fetched: HTTPFetched) async throws {
        let output = Output.standard()
        if format.isJSON {
            let line: [UInt8]
            do throws(CacheError) {
                line = try Answer.fetched(fetched)
            } catch {
                throw HTTPGetCommand.failure(error)
            }
            try output.writeLine(line)
        } else {
            if includesHead {
                try output.writeLine("HTTP \(fetched.head.status) \(Printable.text(fetched.head.reason))")
                for field in fetched.head.fields.fields {
                    try output.writeLine("\(Printable.text(field.name)): \(Printable.text(field.value))")
                }
                try output.writeLine("Cache-Status: \(fetched.status.text)")
                try output.writeLine("")
            }
            try output.write(fetched.body)
            while let chunk = try await HTTPGetCommand.next(fetched.flow) { try output.write(chunk) }
        }
        try output.flush()
    }

    private static func next(_ flow: HTTPBodyFlow?) async throws -> [UInt8]? {
        do throws(CacheError) {
            return try await flow?.next()
        } catch {
            throw failure(error)
        }
    }

    private func perform(
        _ fetch: HTTPFetch, _ write: (HTTPFetched) async throws -> Void
    ) async throws {
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: journal)
        let transport: any HTTPTransport = offline ? OfflineTransport("--offline is given") : CurlTransport()
        let client = HTTPClient(cache, transport: transport, defaults: HTTPClientDefaults())
        let result: Result<Void, any Error>
        do {
            let fetched: HTTPFetched
            do throws(CacheError) {
                fetched = try await client.fetch(fetch)
            } catch {
                throw HTTPGetCommand.failure(error)
            }
            result = .success(try await write(fetched))
        } catch {
            result = .failure(error)
        }
        await client.close()
        try await cache.close()
        try result.get()
    }

    /// Converts an error of a fetch; status 69 if the network is at fault.
    static func failure(_ error: CacheError) -> Failure {
        let advice = "ask again, or allow a stored answer with --policy etag,loadIfOffline,loadOnError"
        switch error.code {
        case .offline:
            return Failure(.unavailable, "offline", error.message, outcome: "nothing was stored", advice: advice)
        case .timedOut:
            return Failure(.unavailable, "timed_out", error.message, outcome: "nothing was stored", advice: advice)
        case .connectionLost:
            return Failure(
                .unavailable, "connection_lost", error.message, outcome: "nothing was stored", advice: advice)
        case .tlsFailed:
            return Failure(.unavailable, "tls_failed", error.message, outcome: "nothing was stored", advice: advice)
        case .truncated:
            return Failure(.unavailable, "truncated", error.message, outcome: "nothing was stored", advice: advice)
        case .redirectFailed:
            return Failure(
                .unavailable, "redirect_failed", error.message, outcome: "nothing was stored",
                advice: "ask for the place itself")
        case .limitExceeded:
            return Failure(
                .usage, "limit_exceeded", error.message, advice: "ask for a part of it with --header 'Range: …'")
        default:
            return Failure(.inputOutput, "input_output", error.message, advice: "look at the disk, and ask again")
        }
    }
}
