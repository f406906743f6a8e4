import CNats
import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A message of a NATS server that somebody else keeps; valid for as long as its owner says.
package struct NatsMessageView {
    private let message: tidemark_nats_message

    init(_ message: tidemark_nats_message) { self.message = message }

    /// The bytes of the subject.
    var subject: UnsafeRawBufferPointer { NatsMessageView.text(message.subject) }

    /// The bytes of the subject for an answer; empty when none is wanted.
    var reply: UnsafeRawBufferPointer { NatsMessageView.text(message.reply) }

    /// The body.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: message.bytes, count: message.byte_count)
    }

    var isEmpty: Bool { message.byte_count == 0 }

    private static func text(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: text.map { strlen($0) } ?? 0)
    }

    /// The number of the subject's last message that the publisher expected; nil when it named none.
    var lastOfSubject: Int64? { header("Nats-Expected-Last-Subject-Sequence").flatMap { Int64($0) } }

    /// Returns the value of a header, compared by its exact name; nil when there is none.
    func header(_ name: String) -> String? {
        tidemark_nats_header(message.handle, name).map { String(cString: $0) }
    }
}

/// The answer to a request; its memory belongs to libnats, and is freed with it.
struct NatsMessage: ~Copyable {
    private let message: tidemark_nats_message

    /// Takes over a message that libnats handed out.
    init(_ message: tidemark_nats_message) { self.message = message }

    deinit { tidemark_nats_release(message.handle) }

    /// The body, which is valid as long as the message.
    var bytes: UnsafeRawBufferPointer { NatsMessageView(message).bytes }

    /// Returns the value of a header, compared by its exact name; nil when there is none.
    func header(_ name: String) -> String? { NatsMessageView(message).header(name) }
}
