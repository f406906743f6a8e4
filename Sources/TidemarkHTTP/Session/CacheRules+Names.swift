import Tidemark
import TidemarkHTTPRules
import TidemarkModel

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
