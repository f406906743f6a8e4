import TidemarkModel

/// One kept event.
package struct KeptEvent: Hashable, Sendable {
    /// One entity that the event wrote.
    package struct Write: Hashable, Sendable {
        /// `type:id`.
        package var key: ByteString
        /// The resource before; nil: the cache had none.
        package var before: [UInt8]?
        /// The resource after; nil: it is removed.
        package var after: [UInt8]?
    }

    /// The event as observers of the log see it.
    package var event: LoggedEvent
    /// The line as it came; nil when it was too long, or not there any more.
    package var content: [UInt8]?
    /// The bytes of the line.
    package var byteCount: Int
    package var writes: [Write]
    /// Whether the line and all writes are here.
    package var isComplete: Bool
}

extension KeptEvents {
    /// The kept events that somebody wants.
    package struct Selection: Sendable {
        /// Each part that is nil or empty admits all.
        package var library: ByteString?
        package var sequence: EventSequence?
        package var bins: Set<LoggedEvent.Bin> = []
        package var types: Set<ByteString> = []
        /// A part of `type:id` of an entity that the event names or wrote; ASCII letters match in either case.
        package var part: ByteString?
        /// The `type:id` of an entity that the event names or wrote.
        package var key: ByteString?
        /// Only events with a lower number.
        package var before = Int64.max
        package var countMax: Int

        package init(countMax: Int) { self.countMax = countMax }
    }

    /// A page of kept events.
    package struct Page: Sendable {
        /// The newest first.
        package var events: [KeptEvent]
        /// The `before` of the next page; nil when there are no further events.
        package var next: Int64?
    }

    /// The bytes of lines and resources after which a page ends early: 4 MiB.
    private static let pageByteCountMax = 4 << 20

    /// Finds events, the newest first.
    ///
    /// Pure: it runs wherever the caller is.
    ///
    /// - Complexity: O(bytes that are kept).
    package func select(_ selection: Selection) -> Page {
        var page = Page(events: [], next: nil)
        var byteCount = 0
        let pattern = selection.part.map { KeyFragment($0) }
        for chunk in chunks.reversed() where chunk.firstNumber < selection.before {
            let isFull = chunk.bytes.withUnsafeBytes { bytes in
                for (offset, number) in KeptEvents.places(in: bytes, from: chunk.firstNumber).reversed()
                where number < selection.before {
                    let record = KeptEventReader(bytes, at: offset, number: number)
                    guard record.isWanted(by: selection, pattern) else { continue }
                    if page.events.count == selection.countMax || byteCount > KeptEvents.pageByteCountMax {
                        page.next = page.events.last?.event.number
                        return true
                    }
                    byteCount += record.byteCount
                    page.events.append(record.event())
                }
                return false
            }
            if isFull { return page }
        }
        return page
    }

    private static func places(
        in bytes: UnsafeRawBufferPointer, from firstNumber: Int64
    ) -> [(offset: Int, number: Int64)] {
        var places: [(Int, Int64)] = []
        var offset = 0
        var number = firstNumber
        while offset < bytes.count {
            places.append((offset, number))
            offset += Int(bytes.loadUnaligned(fromByteOffset: offset, as: KeptHead.self).byteCount)
            number += 1
        }
        return places
    }
}
