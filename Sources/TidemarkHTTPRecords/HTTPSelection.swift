import TidemarkModel

/// Selects stored HTTP responses: those that match every given part. Without parts, all are selected.
package struct HTTPSelection: Hashable, Sendable {
    /// The library to match; nil for any.
    package var library: ByteString?
    /// The exact URL to match; nil for any.
    package var url: ByteString?
    /// The exact key to match; nil for any.
    package var key: ByteString?
    /// The beginning of the URL to match; nil for any.
    package var prefix: ByteString?
    /// True for responses that end with the process, false for the others; nil for both.
    package var isSession: Bool?

    /// Creates a selection from the parts to match.
    package init(
        library: ByteString? = nil, url: ByteString? = nil, key: ByteString? = nil, prefix: ByteString? = nil,
        isSession: Bool? = nil
    ) {
        self.library = library
        self.url = url
        self.key = key
        self.prefix = prefix
        self.isSession = isSession
    }
}

extension HTTPSelection {
    /// Returns true if the selection matches what a request asks for.
    package func includes(_ asked: HTTPAsked) -> Bool {
        includes(library: asked.library, url: asked.url, key: asked.key, isSession: asked.isSession)
    }

    /// Returns true if the selection matches a stored response.
    package func includes(_ record: HTTPRecord) -> Bool {
        includes(library: record.library, url: record.url, key: record.key, isSession: record.isSession)
    }

    private func includes(library: ByteString, url: ByteString, key: ByteString, isSession: Bool) -> Bool {
        (self.library.map { $0 == library } ?? true) && (self.url.map { $0 == url } ?? true)
            && (self.key.map { $0 == key } ?? true)
            && (prefix.map { url.bytes.starts(with: $0.bytes) } ?? true)
            && (self.isSession.map { $0 == isSession } ?? true)
    }
}
