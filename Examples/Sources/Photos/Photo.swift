import Foundation
import Tidemark

/// A photo as the server of these examples sends it: names in snake case, dates as seconds since 1970.
public struct Photo: Resource, Equatable {
    public static let resourceType = "photo"
    public static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)

    public var id: String
    public var name: String
    public var starCount: Int
    public var takenAt: Date?

    public init(id: String, name: String, starCount: Int, takenAt: Date? = nil) {
        self.id = id
        self.name = name
        self.starCount = starCount
        self.takenAt = takenAt
    }
}
