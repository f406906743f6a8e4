import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The paths of a response's errors as a tree. An error explains a null at its path or above.
struct ErrorPaths {
    private var children: [[ResponseStep: Int]] = [[:]]

    /// The node of the whole response.
    let root = 0

    /// Builds the tree.
    ///
    /// - Parameter errors: The `errors` of a response, a list; nil if there are none. Errors without a usable path are
    ///   ignored.
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

    /// Returns the node of a step; nil if no error's path leads there.
    func child(_ node: Int?, _ step: @autoclosure () -> ResponseStep) -> Int? {
        guard let node, !children[node].isEmpty else { return nil }
        return children[node][step()]
    }
}
