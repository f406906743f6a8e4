// Built only with `TIDEMARK_URLCACHE`: Foundation's networking, linked statically, needs libcurl's development files.
#if TIDEMARK_URLCACHE
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Foundation's cache of HTTP responses, in memory.
    struct URLCacheReference {
        private let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0, diskPath: nil)
        private let url: (Int) -> URL

        /// Stores the responses with the numbers from 0 to `count - 1`.
        init(_ count: Int, url: @escaping (Int) -> URL, body: (Int) -> [UInt8]) {
            self.url = url
            for number in 0..<count {
                guard
                    let response = HTTPURLResponse(
                        url: url(number), statusCode: 200, httpVersion: nil,
                        headerFields: ["Cache-Control": "max-age=100000"])
                else { continue }
                cache.storeCachedResponse(
                    CachedURLResponse(response: response, data: Data(body(number))), for: URLRequest(url: url(number)))
            }
        }

        /// Reads responses in turn, and returns the sum of their sizes in bytes.
        func read(_ readCount: Int, _ distinct: Int) -> UInt64 {
            (0..<readCount).reduce(0) { sum, index in
                sum + UInt64(cache.cachedResponse(for: URLRequest(url: url(index % distinct)))?.data.count ?? 0)
            }
        }
    }
#endif
