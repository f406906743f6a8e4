// Built only when it is asked for: Foundation's networking, linked statically, wants libcurl's development files.
#if TIDEMARK_URLCACHE
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Foundation's cache of HTTP answers, in memory.
    struct URLCacheReference {
        private let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0, diskPath: nil)
        private let url: (Int) -> URL

        /// Stores answers of the numbers from 0 on.
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

        /// Reads answers in turn, and returns the sum of their bytes.
        func read(_ readCount: Int, _ distinct: Int) -> UInt64 {
            (0..<readCount).reduce(0) { sum, index in
                sum + UInt64(cache.cachedResponse(for: URLRequest(url: url(index % distinct)))?.data.count ?? 0)
            }
        }
    }
#endif
