import CNats
import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A borrowed message of a NATS server, valid until its owner frees or refills it.
package struct NatsMessageView {
    private let message: tidemark_nats_message

    init(_ message: tidemark_nats_message) { self.message = message }

    /// The bytes of the subject.
    var subject: UnsafeRawBufferPointer { NatsMessageView.text(message.subject) }

    /// The bytes of the reply subject; empty when the message has none.
    var reply: UnsafeRawBufferPointer { NatsMessageView.text(message.reply) }

    /// The bytes of the body.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: message.bytes, count: message.byte_count)
    }

    var isEmpty: Bool { message.byte_count == 0 }

    private static func text(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: text.map { strlen($0) } ?? 0)
    }

    /// The sequence that the publisher expected the subject's last message to have; nil when it named none.
    var lastOfSubject: Int64? { header("Nats-Expected-Last-Subject-Sequence").flatMap { Int64($0) } }

    /// Returns the value of a header, compared by its exact name; nil when the message has no such header.
    func header(_ name: String) -> String? {
        tidemark_nats_header(message.handle, name).map { String(cString: $0) }
    }
}

/// The response to a request. It owns memory of libnats, and frees it at the end of its life.
struct NatsMessage: ~Copyable {
    private let message: tidemark_nats_message

    /// Takes ownership of a message that libnats returned.
    init(_ message: tidemark_nats_message) { self.message = message }

    deinit { tidemark_nats_release(message.handle) }

    /// The bytes of the body, valid as long as this value.
    var bytes: UnsafeRawBufferPointer { NatsMessageView(message).bytes }

    /// Returns the value of a header, compared by its exact name; nil when the message has no such header.
    func header(_ name: String) -> String? { NatsMessageView(message).header(name) }
}
