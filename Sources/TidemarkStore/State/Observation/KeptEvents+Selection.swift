import TidemarkModel

/// One kept event, with its content and its writes.
package struct KeptEvent: Hashable, Sendable {
    /// One entity that the event wrote.
    package struct Write: Hashable, Sendable {
        /// The entity's key, as `type:id`.
        package var key: ByteString
        /// The resource before the event; nil if the cache had none.
        package var before: [UInt8]?
        /// The resource after the event; nil if the event removed it.
        package var after: [UInt8]?
    }

    /// The event as observers of the log get it.
    package var event: LoggedEvent
    /// The line as received; nil if it was too long or no longer available.
    package var content: [UInt8]?
    /// The size of the line as received, in bytes.
    package var byteCount: Int
    /// The entities that the event wrote, in order.
    package var writes: [Write]
    /// True if the line and all writes were kept.
    package var isComplete: Bool
}

extension KeptEvents {
    /// Selects kept events. A part that is nil or empty admits all.
    package struct Selection: Sendable {
        /// The library of the event.
        package var library: ByteString?
        /// The sequence of the event.
        package var sequence: EventSequence?
        /// The bins of the event.
        package var bins: Set<LoggedEvent.Bin> = []
        /// The cache's own names of the event's resource type.
        package var types: Set<ByteString> = []
        /// A fragment of the `type:id` of an entity that the event names or wrote. ASCII letters match in either case.
        package var part: ByteString?
        /// The whole `type:id` of an entity that the event names or wrote.
        package var key: ByteString?
        /// The event's number must be below this one.
        package var before = Int64.max
        /// The most events of one page.
        package var countMax: Int

        /// Creates a selection that admits all events.
        package init(countMax: Int) { self.countMax = countMax }
    }

    /// A page of kept events.
    package struct Page: Sendable {
        /// The events, newest first.
        package var events: [KeptEvent]
        /// The `before` of the next page; nil if there are no further events.
        package var next: Int64?
    }

    /// The size of lines and resources after which a page ends early: 4 MiB.
    private static let pageByteCountMax = 4 << 20

    /// Finds kept events, newest first.
    ///
    /// Pure: it may run on any executor.
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
