import TidemarkModel
import TidemarkStore

/// The paths of an answer's errors as a tree: a null is explained when an error's path is its own or lies below it.
struct ErrorPaths {
    private var children: [[ResponseStep: Int]] = [[:]]

    /// The node of the whole answer.
    let root = 0

    /// - Parameter errors: The `errors` of an answer, a list; nil when there are none. Errors without a usable path
    ///   explain nothing.
    init(_ errors: JSONSlice?) {
        for error in errors?.elements ?? [] {
            guard let path = error.members?[Array("path".utf8)]?.elements, !path.isEmpty else { continue }
            var node = root
            for step in path {
                guard let step = ErrorPaths.step(step) else { break }
                if let next = children[node][step] {
                    node = next
                } else {
                    children.append([:])
                    children[node][step] = children.count - 1
                    node = children.count - 1
                }
            }
        }
    }

    private static func step(_ value: JSONSlice) -> ResponseStep? {
        if let text = value.text { return .name(ByteString(text)) }
        return value.integer.flatMap { Int(exactly: $0) }.map { .index($0) }
    }

    var isEmpty: Bool { children.count == 1 }

    /// The node of a step; nil where no error's path goes.
    func child(_ node: Int?, _ step: @autoclosure () -> ResponseStep) -> Int? {
        guard let node, !children[node].isEmpty else { return nil }
        return children[node][step()]
    }
}
