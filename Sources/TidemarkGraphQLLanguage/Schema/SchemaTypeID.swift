/// The number of a type in one schema.
package struct SchemaTypeID: Hashable, Sendable, Comparable {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }

    package static func < (left: SchemaTypeID, right: SchemaTypeID) -> Bool { left.index < right.index }
}
