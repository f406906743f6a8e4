/// The index of an array element as a coding key.
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

/// A key of a coding path that the text does not show: a key with a number, or the key of a missing member.
final class CodingPathNode {
    /// The decoder of the container in which the key was looked up.
    private let container: ResourceDecoder
    private let key: any CodingKey
    /// The entry of the value that the key leads to.
    let index: Int

    init(_ container: ResourceDecoder, _ key: any CodingKey, index: Int) {
        self.container = container
        self.key = key
        self.index = index
    }

    var keys: [any CodingKey] { container.codingPath + [key] }
}
