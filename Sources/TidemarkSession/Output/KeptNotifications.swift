import Tidemark
import TidemarkModel

/// The notifications about libraries and pending edits of which only the newest matters. Bounded by their number.
package struct KeptNotifications {
    package struct Notification {
        package enum Subject: Hashable {
            case durable
            case state
            case outbox
        }

        var subject: Subject
        /// The name of the library, or the pending id.
        var name: ByteString
        /// The notification as a line, with its LF.
        package var line: [UInt8]

        package init(subject: Subject, name: ByteString, line: [UInt8]) {
            self.subject = subject
            self.name = name
            self.line = line
        }
    }

    private struct Name: Hashable {
        var subject: Notification.Subject
        var name: ByteString
    }

    /// The notifications in the order in which they were first kept.
    private var notifications: [Notification] = []
    private var positions: [Name: Int] = [:]

    package init() {}

    package func holds(_ notification: Notification) -> Bool { positions[KeptNotifications.name(notification)] != nil }

    package mutating func keep(_ notification: Notification) {
        if let position = positions[KeptNotifications.name(notification)] {
            notifications[position] = notification
        } else {
            positions[KeptNotifications.name(notification)] = notifications.count
            notifications.append(notification)
        }
    }

    package mutating func takeAll() -> [Notification] {
        defer {
            notifications = []
            positions = [:]
        }
        return notifications
    }

    private static func name(_ notification: Notification) -> Name {
        Name(subject: notification.subject, name: notification.name)
    }
}
