import TidemarkMessages
import TidemarkModel

/// The methods of a session by name.
struct MethodTable: Sendable {
    private let methods: [ByteString: SessionMethod]

    /// Collects the methods of families.
    ///
    /// - Precondition: No two methods have the same name.
    init(_ families: [any MethodFamily]) {
        methods = Dictionary(families.flatMap(\.methods).map { ($0.name, $0) }) { method, _ in
            preconditionFailure("two families have the method \(method.name)")
        }
    }

    /// Finds a method; nil if there is none.
    subscript(name: ByteString) -> SessionMethod? { methods[name] }

    /// Returns the name of the method that a misspelt name was probably meant to be; nil if it is like none.
    ///
    /// - Complexity: O(methods), for names of at most 64 bytes.
    func nearest(to name: ByteString) -> String? {
        NearestName.of(name, among: methods.keys.map(\.description).sorted())
    }
}
