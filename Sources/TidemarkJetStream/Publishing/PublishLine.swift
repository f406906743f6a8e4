import TidemarkModel

/// A line to publish, with its subject and message id.
struct PublishLine {
    /// The line's number in its input, from 1.
    var number: Int64
    var subject: String
    /// The message id by which the server recognizes a duplicate; nil publishes without one.
    var id: String?
    var bytes: [UInt8]

    /// Creates the line of an event; nil for a broken line or a session message, which are not published.
    init?(_ event: ChangeEvent, of batch: EventBatch, prefix: String, _ settings: PublishSettings) {
        guard event.kind != .unusable, event.kind != .message else { return nil }
        number = batch.firstLine + Int64(event.line)
        let span = batch.lines[Int(event.line)]
        let bytes = Array(batch.block[Int(span.offset)..<Int(span.offset + span.count)])
        let (library, mutationID, epoch) = batch.withBytes { text in
            (
                event.library.isAbsent ? settings.library : ByteString(text[event.library]),
                event.mutationID.isAbsent ? nil : ByteString(text[event.mutationID]),
                event.epoch.isAbsent ? "" : ByteString(text[event.epoch])
            )
        }
        subject = LibrarySubject.subject(prefix: prefix, library)
        self.bytes = bytes
        if let mutationID {
            id = mutationID.description
        } else if let sequence = event.sequence {
            id = "\(epoch)/\(LibrarySubject.token(of: library))/\(sequence.rawValue)"
        } else {
            switch settings.idSource {
            case .line: id = "\(settings.idPrefix)\(number)"
            case .content:
                let hashes = bytes.withUnsafeBytes { (Checksum.xxh64($0), Checksum.xxh64($0, seed: 1)) }
                id = String(hashes.0, radix: 16) + String(hashes.1, radix: 16)
            case nil: id = nil
            }
        }
        // A header value must be a single line.
        id = id.map { $0.contains { $0.isNewline || $0 == "\0" } ? String($0.utf8.map { "\($0)" }.joined()) : $0 }
    }
}
