import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

extension OutputQueue: ObserverSink {
    /// Appends a notification if there is room; returns false if the observer's changes must be merged instead.
    ///
    /// Notifications of libraries are always accepted; only the newest is kept.
    package func offer(_ notification: CacheNotification) -> Bool {
        if case .library(let status) = notification {
            notify(status)
            return true
        }
        let line = OutputQueue.line(of: notification)
        var isTaken = true
        append { isTaken = $0.offer(line) }
        return isTaken
    }

    /// Appends a notification that must not be merged, even if there is no room.
    package func deliver(_ notification: CacheNotification) {
        if case .library(let status) = notification { return notify(status) }
        let line = OutputQueue.line(of: notification)
        append { $0.deliver(line) }
    }

    /// Appends `durable` notifications; only the newest of each library is kept.
    package func notifyDurable(_ places: [DurablePlace]) {
        for place in places {
            let notification = KeptNotifications.Notification(durable: place)
            append { $0.keepNewest(notification) }
        }
    }

    /// Appends an `outbox.changed` notification; only the newest of each pending edit is kept.
    func notifyOutbox(_ status: OutboxStatus) {
        let notification = KeptNotifications.Notification(outbox: status)
        append { $0.keepNewest(notification) }
    }

    private func notify(_ status: LibraryStatus) {
        let notification = KeptNotifications.Notification(library: status)
        append { $0.keepNewest(notification) }
    }

    /// Returns a notification as a line, with its LF.
    ///
    /// - Source: Protocol/sessions.md, notifications.
    package static func line(of notification: CacheNotification) -> [UInt8] {
        switch notification {
        case .query(let change):
            MessageLine.notification("query.changed") { line in
                line.member("subscription", change.subscription.rawValue)
                line.name("patch")
                line.array { line in
                    for operation in change.operations { line.value(operation) }
                }
                line.member("stale", change.isStale)
                line.member("as_of", change.asOf)
                line.member("pending", change.isPending)
                line.member("missed", change.missed)
            }
        case .entity(let change):
            MessageLine.notification("entity.changed") { line in
                line.member("subscription", change.subscription.rawValue)
                line.member("entity", json: change.entity)
                line.name("changed_fields")
                line.array { line in
                    for field in change.changedFields { line.value(field) }
                }
                if let isStale = change.isStale { line.member("stale", isStale) }
            }
        case .log(let news):
            MessageLine.notification("log.event") { line in
                line.member("subscription", news.subscription.rawValue)
                line.name("events")
                line.array { line in
                    for event in news.events { line.value(event) }
                }
                line.member("missed", news.missed)
            }
        case .document(let change): MessageLine.notification(change.method, json: change.params)
        case .library(let status):
            MessageLine.notification("library.state") { line in
                line.member("library_id", status.library)
                line.member("state", ByteString(status.phase.rawValue))
                line.member("cursor", status.cursor)
                line.lost(status.lost)
            }
        }
    }
}

extension KeptNotifications.Notification {
    /// Creates a `durable` notification.
    package init(durable place: DurablePlace) {
        let line = MessageLine.notification("durable") { line in
            line.member("library_id", place.library)
            line.member("epoch", place.epoch)
            line.member("sequence", place.sequence)
        }
        self.init(subject: .durable, name: place.library, line: line)
    }

    /// Creates a `library.state` notification.
    package init(library status: LibraryStatus) {
        self.init(subject: .state, name: status.library, line: OutputQueue.line(of: .library(status)))
    }

    /// Creates an `outbox.changed` notification.
    package init(outbox status: OutboxStatus) {
        let line = MessageLine.notification("outbox.changed") { line in
            line.outbox(status)
            if status.failure != nil { line.error(status.failure) }
        }
        self.init(subject: .outbox, name: status.pendingID, line: line)
    }
}

extension JSONLine {
    /// Writes an RFC 6902 operation on a whole element.
    fileprivate mutating func value(_ operation: ListOperation<[UInt8]>) {
        object { line in
            switch operation {
            case .add(let element, let index):
                line.member("op", "add" as ByteString?)
                line.member("path", ByteString("/\(index)"))
                line.member("value", json: Optional(element))
            case .remove(let index):
                line.member("op", "remove" as ByteString?)
                line.member("path", ByteString("/\(index)"))
            case .replace(let element, let index):
                line.member("op", "replace" as ByteString?)
                line.member("path", ByteString("/\(index)"))
                line.member("value", json: Optional(element))
            case .move(let from, let to):
                line.member("op", "move" as ByteString?)
                line.member("from", ByteString("/\(from)"))
                line.member("path", ByteString("/\(to)"))
            }
        }
    }
}
