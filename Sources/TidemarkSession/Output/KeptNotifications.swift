import Tidemark
import TidemarkMessages
import TidemarkModel

/// Notifications of which only the newest matters: one per library and kind, and one per pending edit. Bounded by their
/// number.
package struct KeptNotifications {
    /// A notification that replaces the previous one of the same subject and name.
    package struct Notification {
        /// What a notification is about.
        package enum Subject: Hashable {
            /// The durable position of a library.
            case durable
            /// The state of a library.
            case state
            /// The request of a pending edit.
            case outbox
        }

        var subject: Subject
        /// The library, or the pending id.
        var name: ByteString
        /// The notification as a line, with its LF.
        package var line: [UInt8]

        /// Creates a notification.
        ///
        /// - Parameters:
        ///   - subject: What it is about.
        ///   - name: The library, or the pending id.
        ///   - line: The notification as a line, with its LF.
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

    /// The notifications, in the order in which their names were first kept.
    private var notifications: [Notification] = []
    private var positions: [Name: Int] = [:]

    /// Creates an empty set.
    package init() {}

    /// Returns true if a notification of the same subject and name is kept.
    package func holds(_ notification: Notification) -> Bool { positions[KeptNotifications.name(notification)] != nil }

    /// Keeps a notification; it takes the place of an older one of the same subject and name.
    package mutating func keep(_ notification: Notification) {
        if let position = positions[KeptNotifications.name(notification)] {
            notifications[position] = notification
        } else {
            positions[KeptNotifications.name(notification)] = notifications.count
            notifications.append(notification)
        }
    }

    /// Removes and returns all notifications, in the order in which their names were first kept.
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
