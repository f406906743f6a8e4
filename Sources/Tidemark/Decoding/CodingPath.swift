/// An element's index as a coding key.
struct JSONIndexKey: CodingKey {
    let index: Int

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }

    init(_ index: Int) {
        self.index = index
    }

    init?(intValue: Int) {
        self.init(intValue)
    }

    init?(stringValue: String) { nil }
}

/// A key on the way to a value that cannot be read off the text: one with a number, or of a member that is not there.
final class CodingPathNode {
    /// Of the container that the key was looked for in.
    private let container: ResourceDecoder
    private let key: any CodingKey
    /// The value that the key leads to.
    let index: Int

    init(_ container: ResourceDecoder, _ key: any CodingKey, index: Int) {
        self.container = container
        self.key = key
        self.index = index
    }

    var keys: [any CodingKey] { container.codingPath + [key] }
}
