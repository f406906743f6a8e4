import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Reads the parameters of the methods for HTTP responses.
///
/// - Source: Protocol/http.md, methods.
extension RequestReader {
    /// The maximum number of entries per page, and the number without `limit`.
    private static let entryCountMax: Int64 = 10_000
    private static let entryCountDefault = 100

    /// Reads the params of `http.fetch` and `http.observe`.
    func httpFetch(_ params: Params, _ defaults: HTTPClientDefaults) throws(CacheError) -> HTTPFetch {
        guard let text = try params.text("url", byteCountMax: HTTPURL.byteCountMax) else {
            throw params.wrong("url", "the URL of http or https")
        }
        let url: HTTPURL
        do throws(HTTPURL.Fault) {
            url = try HTTPURL(text)
        } catch {
            throw CacheError(.invalidParams, "\(params.name("url")): \(error.description)")
        }
        let method = try params.text("method") ?? "GET"
        guard !method.bytes.isEmpty, method.bytes.allSatisfy(ASCII.isToken), method != "CONNECT" else {
            throw params.wrong("method", "a method of HTTP such as GET, not CONNECT")
        }
        let head = RequestHead(method: method, url: url, fields: try params.headers("headers") ?? HeaderFields())
        for name in ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"]
        where head.fields.contains(name) {
            throw CacheError(
                .invalidParams, "\(params.name("headers")) has \(name), which the transport writes: leave it out")
        }
        var fetch = HTTPFetch(
            library: try library(params), request: head, rules: try httpRules(params, defaults),
            storage: try httpStorage(params, defaults), timeout: try httpTimeout(params, defaults))
        fetch.body = try params.body() ?? []
        fetch.answerByteCountMax = HTTPMethods.bodyByteCountMax
        fetch.cacheKey = try params.text("cache_key")
        if let key = fetch.cacheKey, key.bytes.isEmpty { throw params.wrong("cache_key", "a text that is not empty") }
        if fetch.cacheKey == nil, try params.flag("cache_body") {
            fetch.cacheKey = ByteString(SHA256Digest(of: fetch.body).hexadecimal)
        }
        if let value = params.value("normalize") {
            fetch.normalization = try HTTPNormalization(
                Params(value, path: params.name("normalize")), spec: Array(value.bytes), limits: limits)
        }
        switch try params.text("redirect") {
        case nil, "follow": fetch.followsRedirects = true
        case "manual": fetch.followsRedirects = false
        default: throw params.wrong("redirect", "follow or manual")
        }
        return fetch
    }

    private func httpTimeout(_ params: Params, _ defaults: HTTPClientDefaults) throws(CacheError) -> Duration {
        guard let milliseconds = try params.milliseconds("request_timeout") else { return defaults.requestTimeout }
        guard 1...86_400_000 ~= milliseconds else {
            throw params.wrong("request_timeout", "more than 0 and at most 86400 seconds")
        }
        return .milliseconds(milliseconds)
    }

    private func httpStorage(_ params: Params, _ defaults: HTTPClientDefaults) throws(CacheError) -> HTTPStorage {
        guard let text = try params.text("storage") else { return defaults.storage }
        guard let storage = HTTPStorage(rawValue: text.description) else {
            throw params.wrong("storage", "disabled, session or permanent")
        }
        return storage
    }

    private func httpRules(_ params: Params, _ defaults: HTTPClientDefaults) throws(CacheError) -> CacheRules {
        let timeout = try params.milliseconds("timeout").map { $0 / 1_000 } ?? defaults.timeout
        guard let value = params.value("policy") else {
            if case .options(let options, _) = defaults.rules {
                if options.contains(.timeout), timeout == nil {
                    throw CacheError(.invalidParams, "the policy has timeout: pass its seconds as timeout")
                }
                return .options(options, timeout: options.contains(.timeout) ? timeout : nil)
            }
            return defaults.rules
        }
        let names: [ByteString]
        if let text = value.text {
            names = [ByteString(text)]
        } else {
            names = try params.texts("policy", countMax: 100) ?? []
        }
        return try CacheRules(names: names, timeout: timeout, path: params.name("policy"))
    }

    /// Reads the params of `http.invalidate`.
    func httpInvalidation(_ params: Params) throws(CacheError) -> HTTPSelection {
        var selection = HTTPSelection(library: try library(params))
        var isAnything = try params.flag("all")
        if let text = try params.text("url", byteCountMax: HTTPURL.byteCountMax) {
            do throws(HTTPURL.Fault) {
                selection.url = try HTTPURL(text).text
            } catch {
                throw CacheError(.invalidParams, "\(params.name("url")): \(error.description)")
            }
            isAnything = true
        }
        if let prefix = try params.text("prefix", byteCountMax: HTTPURL.byteCountMax) {
            guard !prefix.bytes.isEmpty else { throw params.wrong("prefix", "the beginning of a URL, or all: true") }
            selection.prefix = prefix
            isAnything = true
        }
        switch try params.text("storage") {
        case nil: break
        case "session": (selection.isSession, isAnything) = (true, true)
        case "permanent": (selection.isSession, isAnything) = (false, true)
        default: throw params.wrong("storage", "session or permanent")
        }
        guard isAnything else {
            throw CacheError(
                .invalidParams, "nothing says which answers: pass url, prefix or storage, or all: true")
        }
        return selection
    }

    /// Reads the params of `http.list`.
    func httpPage(
        _ params: Params
    ) throws(CacheError) -> (selection: HTTPSelection, after: HTTPPlace?, countMax: Int) {
        let library = try library(params)
        let prefix = try params.text("prefix", byteCountMax: HTTPURL.byteCountMax)
        var after: HTTPPlace?
        if let text = try params.text("after", byteCountMax: HTTPURL.byteCountMax + 32) {
            guard let colon = text.bytes.firstIndex(of: UInt8(ascii: ":")),
                let number = ASCII.number(text.bytes[..<colon], max: .max / 16)
            else { throw params.wrong("after", "`next` of an earlier page") }
            after = HTTPPlace(library: library, url: ByteString(text.bytes[(colon + 1)...]), number: number)
        }
        let limit = try params.integer("limit", in: 1...RequestReader.entryCountMax).map { Int($0) }
        return (
            HTTPSelection(library: library, prefix: prefix), after, limit ?? RequestReader.entryCountDefault
        )
    }
}
