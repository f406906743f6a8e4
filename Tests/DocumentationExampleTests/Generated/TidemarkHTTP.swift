// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import HTTPTypes
import Tidemark
import TidemarkHTTP
import TidemarkModel

/// The example in Sources/TidemarkHTTP/API/CachingHTTPClient.swift.
func exampleTidemarkHTTP1(cache: SyncCache) async throws {
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    let page = try await client.fetch(
        .init(method: .get, scheme: "https", authority: "example.com", path: "/news"),
        policy: [.etag, .loadIfOffline])
    print(page.body.count, page.wasLoadedFromCache, page.isStale)
    await client.close()
}

/// The example in Sources/TidemarkHTTP/API/CachingHTTPClient.swift.
func exampleTidemarkHTTP2(cache: SyncCache) async throws {
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    let photo = try await client.fetch(
        .init(method: .get, scheme: "https", authority: "example.com", path: "/photo.jpg"),
        policy: .timeout, timeout: .seconds(60))
    print(photo.age, photo.cacheStatus)
}

/// The example in Sources/TidemarkHTTP/API/CachingHTTPClient.swift.
func exampleTidemarkHTTP3(cache: SyncCache) async throws {
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    let page = try await client.observe(
        .init(method: .get, scheme: "https", authority: "example.com", path: "/news"),
        policy: [.etag, .loadIfOffline])
    print("now:", page.response.body.count, "bytes")
    for await changed in page.changes { print("changed:", changed.body.count, "bytes") }
}

/// The example in Sources/TidemarkHTTP/API/CachingHTTPClient.swift.
func exampleTidemarkHTTP4(cache: SyncCache) async throws {
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    let video = try await client.stream(
        .init(method: .get, scheme: "https", authority: "example.com", path: "/video.mp4"))
    var byteCount = 0
    for try await chunk in video.body { byteCount += chunk.count }
    print(byteCount, await video.body.isStored)
}

/// The example in Sources/TidemarkHTTP/API/HTTPEntities.swift.
func exampleTidemarkHTTP5(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    _ = try await client.fetch(
        .init(method: .get, scheme: "https", authority: "example.com", path: "/photos"),
        normalize: HTTPEntities(resourceType: "photo", pointer: "/photos", method: "photos.all"))
    let photos = try await cache.query(Photo.self, method: "photos.all", policy: .cacheOnly)
    print(photos.items.count)
}

/// The example in Sources/TidemarkHTTP/API/HTTPResponseCache.swift.
func exampleTidemarkHTTP6(cache: SyncCache) async throws {
    let responses = HTTPResponseCache(cache)
    await responses.limit(byteCountMax: 64 << 20)
    for stored in try await responses.list(prefix: "https://example.com/") {
        print(stored.url, stored.status, stored.age)
    }
    try await responses.invalidate(url: "https://example.com/news")
}

/// The example in Sources/TidemarkHTTP/CurlTransport.swift.
func exampleTidemarkHTTP7(cache: SyncCache) async throws {
    let transport = CurlTransport(proxy: .system)
    let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: transport)
}

/// The example in Sources/TidemarkHTTP/HTTPTransport.swift.
func exampleTidemarkHTTP8(cache: SyncCache) async throws {
    struct CountingTransport: HTTPTransport {
        let transport: any HTTPTransport
        func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
            print("sending a body of \(exchange.body.count) bytes")
            return try await transport.exchange(exchange)
        }
    }
    let client = CachingHTTPClient(
        cache: HTTPResponseCache(cache), transport: CountingTransport(transport: CurlTransport()))
}
