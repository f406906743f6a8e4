import Tidemark
import TidemarkJSON
import TidemarkModel

extension ViewRequest {
    /// Checks and makes a request of values of Swift.
    ///
    /// - Throws: ``CacheError`` `invalidParams`.
    init(
        _ view: View, _ params: some Encodable, _ offset: Int?, _ limit: Int?, _ library: ByteString
    ) throws(CacheError) {
        self.init(library: library, view: try view.requested())
        let params = try ResourceCoder().encode(params)
        guard params.first == UInt8(ascii: "{") else {
            throw CacheError(.invalidParams, "params is no object: pass the values of the view's parameters by name")
        }
        self.params = params
        try ViewRequest.check(offset: offset, limit: limit)
        (self.offset, self.limit) = (offset, limit)
    }

    /// Checks a window.
    ///
    /// - Throws: ``CacheError`` `invalidParams`.
    static func check(offset: Int?, limit: Int?) throws(CacheError) {
        if let offset, offset < 0 {
            throw CacheError(.invalidParams, "offset is \(offset): pass an integer of 0 or more")
        }
        if let limit, limit < 1 {
            throw CacheError(.invalidParams, "limit is \(limit): pass an integer of 1 or more")
        }
    }
}
