/// The `metadata` of a change; its presence requests a merge.
package struct ReferenceMetadata: Equatable, Sendable {
    /// The unescaped names of members that are replaced as a whole at any depth.
    package let noMergeFields: Set<[UInt8]>
    /// The other ids of the resource, in the form of a key.
    package let alternateIDs: [[UInt8]]

    /// Creates metadata.
    package init(noMergeFields: Set<[UInt8]>, alternateIDs: [[UInt8]]) {
        self.noMergeFields = noMergeFields
        self.alternateIDs = alternateIDs
    }
}
