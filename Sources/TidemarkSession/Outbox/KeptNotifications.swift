import Tidemark
import TidemarkModel

/// Notifications about libraries of which only the newest counts. Bounded by the number of libraries.
struct KeptNotifications {
    struct Notification {
        enum Subject: Hashable {
            case durable
            case state
        }

        var subject: Subject
        var library: ByteString
        /// With its LF.
        var line: [UInt8]
    }

    private struct Name: Hashable {
        var subject: Notification.Subject
        var library: ByteString
    }

    /// In the order in which they were first kept.
    private var notifications: [Notification] = []
    private var positions: [Name: Int] = [:]

    func holds(_ notification: Notification) -> Bool { positions[KeptNotifications.name(notification)] != nil }

    mutating func keep(_ notification: Notification) {
        if let position = positions[KeptNotifications.name(notification)] {
            notifications[position] = notification
        } else {
            positions[KeptNotifications.name(notification)] = notifications.count
            notifications.append(notification)
        }
    }

    mutating func takeAll() -> [Notification] {
        defer {
            notifications = []
            positions = [:]
        }
        return notifications
    }

    private static func name(_ notification: Notification) -> Name {
        Name(subject: notification.subject, library: notification.library)
    }
}
