import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// A request about HTTP answers, with checked parameters.
///
/// - Source: Protocol/http.md, methods.
enum HTTPMethod: Sendable {
    case fetch(HTTPFetch)
    case observe(HTTPFetch)
    case invalidate(HTTPSelection)
    case list(HTTPSelection, after: HTTPPlace?, countMax: Int)

    /// The maximum number of entries per page, and the number without `limit`.
    static let pageCountMax: Int64 = 10_000
    static let pageCountDefault = 100
}

extension MethodReader {
    /// Reads the params of `http.fetch` and `http.observe`.
    func httpFetch(_ params: Params) throws(CacheError) -> HTTPFetch {
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
            library: try library(params), request: head, rules: try httpRules(params), storage: try httpStorage(params),
            timeout: try httpTimeout(params))
        fetch.body = try params.body() ?? []
        fetch.answerByteCountMax = Session.bodyByteCountMax
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

    private func httpTimeout(_ params: Params) throws(CacheError) -> Int64 {
        guard let milliseconds = try params.milliseconds("request_timeout") else { return http.requestTimeout }
        guard 1...86_400_000 ~= milliseconds else {
            throw params.wrong("request_timeout", "more than 0 and at most 86400 seconds")
        }
        return milliseconds
    }

    private func httpStorage(_ params: Params) throws(CacheError) -> HTTPStorage {
        guard let text = try params.text("storage") else { return http.storage }
        guard let storage = HTTPStorage(rawValue: text.description) else {
            throw params.wrong("storage", "disabled, session or permanent")
        }
        return storage
    }

    private func httpRules(_ params: Params) throws(CacheError) -> CacheRules {
        let timeout = try params.milliseconds("timeout").map { $0 / 1_000 } ?? http.timeout
        guard let value = params.value("policy") else {
            if case .options(let options, _) = http.rules {
                if options.contains(.timeout), timeout == nil {
                    throw CacheError(.invalidParams, "the policy has timeout: pass its seconds as timeout")
                }
                return .options(options, timeout: options.contains(.timeout) ? timeout : nil)
            }
            return http.rules
        }
        let names: [ByteString]
        if let text = value.text {
            names = [ByteString(text)]
        } else {
            names = try params.texts("policy", countMax: 100) ?? []
        }
        return try CacheRules(names: names, timeout: timeout, path: params.name("policy"))
    }

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

    func httpList(_ params: Params) throws(CacheError) -> HTTPMethod {
        let library = try library(params)
        let prefix = try params.text("prefix", byteCountMax: HTTPURL.byteCountMax)
        var after: HTTPPlace?
        if let text = try params.text("after", byteCountMax: HTTPURL.byteCountMax + 32) {
            guard let colon = text.bytes.firstIndex(of: UInt8(ascii: ":")),
                let number = ASCII.number(text.bytes[..<colon], max: .max / 16)
            else { throw params.wrong("after", "`next` of an earlier page") }
            after = HTTPPlace(library: library, url: ByteString(text.bytes[(colon + 1)...]), number: number)
        }
        let limit = try params.integer("limit", in: 1...HTTPMethod.pageCountMax).map { Int($0) }
        return .list(
            HTTPSelection(library: library, prefix: prefix), after: after,
            countMax: limit ?? HTTPMethod.pageCountDefault)
    }
}

extension CacheRules {
    /// Reads `standard`, `none`, or the names of options.
    ///
    /// - Parameters:
    ///   - names: The names as the host sent them.
    ///   - timeout: The value for the option `timeout`, in seconds; nil if absent.
    ///   - path: Names the parameter in errors.
    /// - Throws: ``CacheError`` `invalidParams` for an unknown name, and for `timeout` without its value.
    package init(names: [ByteString], timeout: Int64?, path: String = "policy") throws(CacheError) {
        if names == ["standard"] {
            self = .standard
            return
        }
        var options: CacheOptions = []
        for name in names where name != "none" {
            guard let option = CacheOptions.names.first(where: { ByteString($0.name) == name })?.option else {
                throw CacheError(
                    .invalidParams,
                    "\(path) has '\(name.excerpt(byteCount: 60))': pass standard alone, or of "
                        + CacheOptions.names.map(\.name).joined(separator: ", "))
            }
            options.insert(option)
        }
        guard !names.contains("none") || names.count == 1 else {
            throw CacheError(.invalidParams, "\(path) has none and other options: pass one or the others")
        }
        guard options.contains(.timeout) else {
            self = .options(options, timeout: nil)
            return
        }
        guard let timeout else {
            throw CacheError(.invalidParams, "\(path) has timeout: pass its seconds as timeout")
        }
        self = .options(options, timeout: timeout)
    }
}
